package audit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"journal/projections"
	"journal/replay/knowledge"
)

// Survival is the audit of many sessions. Its JSON form is that of `journal audit --all --json`.
type Survival struct {
	Sessions    int    `json:"sessions"` // with a compaction
	Compactions int    `json:"compactions"`
	Totals      Totals `json:"totals"`
	// Totals, ByKind and BySession count an item once. ByClient and ByWeek count it for each compaction that knew it.
	ByKind    []KindTotals    `json:"by_kind"`    // in the order of knowledge.Audited
	ByClient  []ClientTotals  `json:"by_client"`  // by name and version
	ByWeek    []WeekTotals    `json:"by_week"`    // oldest first; weeks without a compaction are left out
	BySession []SessionTotals `json:"by_session"` // most lost first, then most unclear, then newest
}

// NewSurvival returns the audit of no session. Its lists are empty, not null, in JSON.
func NewSurvival() Survival {
	return Survival{
		ByKind: []KindTotals{}, ByClient: []ClientTotals{}, ByWeek: []WeekTotals{}, BySession: []SessionTotals{},
	}
}

// KindTotals counts the items of one kind.
type KindTotals struct {
	Kind knowledge.Kind `json:"kind"`
	Totals
}

// ClientTotals counts the items of the compactions of one version of an agent.
type ClientTotals struct {
	Agent       string `json:"agent"`
	Client      string `json:"client,omitempty"` // empty if unknown
	Compactions int    `json:"compactions"`
	Totals
}

// WeekTotals counts the items of the compactions of one week.
type WeekTotals struct {
	Monday      string `json:"monday"` // first day of the week in UTC, as 2026-02-02
	Compactions int    `json:"compactions"`
	Totals
}

// SessionTotals counts the items of one session.
type SessionTotals struct {
	Session     string            `json:"session"`
	Project     string            `json:"project"`
	Title       string            `json:"title"` // as replay.Title returns it
	Agent       string            `json:"agent"`
	Client      string            `json:"client,omitempty"` // version of the agent at the newest compaction
	Compactions int               `json:"compactions"`
	At          projections.Stamp `json:"at"` // of the newest compaction
	Totals
}

// Sum holds the numbers of the audit of one session.
type Sum struct {
	Compactions []Compaction // without their items
	ByKind      []KindTotals
	Totals      Totals
}

// Sum returns the numbers of a report.
func (r Report) Sum() Sum {
	s := Sum{Totals: r.Totals}
	for _, it := range r.Newest() {
		entryOf(&s.ByKind, KindTotals{Kind: it.Kind}, KindTotals.order).add(it.Status)
	}
	for _, c := range r.Compactions {
		c.Items, c.past = nil, nil
		s.Compactions = append(s.Compactions, c)
	}
	return s
}

// Since returns the numbers of the compactions from a time on. ok is false if only some of the compactions are that new. Their
// numbers must then be computed from a Report.
func (s Sum) Since(at time.Time) (since Sum, ok bool) {
	old := func(c Compaction) bool { return c.At.Time().Before(at) }
	switch i := slices.IndexFunc(s.Compactions, old); {
	case i < 0:
		return s, true
	case slices.ContainsFunc(s.Compactions, func(c Compaction) bool { return !old(c) }):
		return s, false
	}
	return Sum{}, true
}

// Add adds the audit of a session. A session without a compaction adds nothing.
func (s *Survival) Add(sum Sum, session, project, title string) {
	if len(sum.Compactions) == 0 {
		return
	}
	s.Sessions++
	s.Compactions += len(sum.Compactions)
	s.Totals = s.Totals.Plus(sum.Totals)
	newest := sum.Compactions[len(sum.Compactions)-1]
	t := SessionTotals{
		Session: session, Project: project, Title: title, Agent: newest.Agent, Client: newest.Client,
		Compactions: len(sum.Compactions), At: newest.At, Totals: sum.Totals,
	}
	// The comparison never returns 0, so that t is inserted after equal sessions.
	i, _ := slices.BinarySearchFunc(s.BySession, t, func(a, b SessionTotals) int {
		return cmp.Or(b.Lost-a.Lost, b.Unclear-a.Unclear, cmp.Compare(b.At, a.At), -1)
	})
	s.BySession = slices.Insert(s.BySession, i, t)
	for _, k := range sum.ByKind {
		kind := entryOf(&s.ByKind, KindTotals{Kind: k.Kind}, KindTotals.order)
		kind.Totals = kind.Plus(k.Totals)
	}
	for _, c := range sum.Compactions {
		client := entryOf(&s.ByClient, ClientTotals{Agent: c.Agent, Client: c.Client}, ClientTotals.order)
		client.Compactions++
		client.Totals = client.Plus(c.Totals)
		week := entryOf(&s.ByWeek, WeekTotals{Monday: monday(c.At.Time())}, WeekTotals.order)
		week.Compactions++
		week.Totals = week.Plus(c.Totals)
	}
}

func (k KindTotals) order(o KindTotals) int {
	kinds := knowledge.Audited()
	return cmp.Compare(slices.Index(kinds, k.Kind), slices.Index(kinds, o.Kind))
}

func (c ClientTotals) order(o ClientTotals) int {
	return cmp.Or(strings.Compare(c.Agent, o.Agent), compareVersions(c.Client, o.Client))
}

func (w WeekTotals) order(o WeekTotals) int { return strings.Compare(w.Monday, o.Monday) }

// entryOf returns the entry of a sorted list that equals entry in its order. If there is none, it inserts entry.
func entryOf[T any](all *[]T, entry T, order func(T, T) int) *T {
	i, found := slices.BinarySearchFunc(*all, entry, order)
	if !found {
		*all = slices.Insert(*all, i, entry)
	}
	return &(*all)[i]
}

// monday returns the first day of a time's week, in UTC.
func monday(at time.Time) string {
	at = at.UTC()
	return at.AddDate(0, 0, -(int(at.Weekday())+6)%7).Format(time.DateOnly)
}

// compareVersions compares two versions by their numbers: 2.1.9 comes before 2.1.10.
func compareVersions(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
}

// Only returns the report of the compactions with an ordinal: one of each lane.
func (r Report) Only(ordinal int) Report {
	return r.keep(func(c Compaction) bool { return c.Ordinal == ordinal })
}

// Since returns the report of the compactions from a time on; the zero time keeps all.
func (r Report) Since(at time.Time) Report {
	return r.keep(func(c Compaction) bool { return !c.At.Time().Before(at) })
}

// keep returns the report of the wanted compactions, without Cleared.
func (r Report) keep(wanted func(Compaction) bool) Report {
	part := Report{Session: r.Session, Compactions: []Compaction{}}
	for _, c := range r.Compactions {
		if wanted(c) {
			part.Compactions = append(part.Compactions, c)
		}
	}
	return part.total()
}

// News returns the report without items that had the same status and worth at the last earlier compaction of the lane that knew
// them. So an item is shown once, and again if it changes. The totals stay.
func (r Report) News() Report {
	last := map[string]Item{}
	news := Report{Session: r.Session, Compactions: slices.Clone(r.Compactions), Totals: r.Totals, Cleared: r.Cleared}
	for i := range news.Compactions {
		c := &news.Compactions[i]
		items := []Item{}
		for _, it := range c.Items {
			before := last[c.Lane+"\n"+it.ID]
			last[c.Lane+"\n"+it.ID] = it
			if before.Status == it.Status && before.Worth == it.Worth {
				c.Settled++
				continue
			}
			items = append(items, it)
		}
		c.Items = items
	}
	return news
}

// Find returns the item with an id from the newest compaction that knew it. ok is false if none did.
func (r Report) Find(id string) (it Item, ok bool) {
	for _, c := range slices.Backward(r.Compactions) {
		if i := slices.IndexFunc(c.Items, func(it Item) bool { return it.ID == id }); i >= 0 {
			return c.Items[i], true
		}
	}
	return it, false
}
