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
	// ByKind and BySession count an item once, like the headline. ByClient and ByWeek count it for each compaction that
	// knew it.
	ByKind    []KindTotals    `json:"by_kind"`    // in the order of knowledge.Audited
	ByClient  []ClientTotals  `json:"by_client"`  // by name and version
	ByWeek    []WeekTotals    `json:"by_week"`    // oldest first; weeks without a compaction are left out
	BySession []SessionTotals `json:"by_session"` // most lost first, then newest
}

// NewSurvival returns the audit of no session. Its lists are empty, not null, in JSON.
func NewSurvival() Survival {
	return Survival{
		ByKind: []KindTotals{}, ByClient: []ClientTotals{}, ByWeek: []WeekTotals{}, BySession: []SessionTotals{},
	}
}

// KindTotals are the items of one kind.
type KindTotals struct {
	Kind knowledge.Kind `json:"kind"`
	Totals
}

// ClientTotals are the compactions of one version of an agent.
type ClientTotals struct {
	Agent       string `json:"agent"`
	Client      string `json:"client,omitempty"` // empty if unknown
	Compactions int    `json:"compactions"`
	Totals
}

// WeekTotals are the compactions of one week.
type WeekTotals struct {
	Monday      string `json:"monday"` // its first day in UTC, 2026-02-02
	Compactions int    `json:"compactions"`
	Totals
}

// SessionTotals are the items of one session.
type SessionTotals struct {
	Session     string            `json:"session"`
	Project     string            `json:"project"`
	Title       string            `json:"title"` // the first request; empty for none
	Agent       string            `json:"agent"`
	Client      string            `json:"client,omitempty"` // of the newest compaction
	Compactions int               `json:"compactions"`
	At          projections.Stamp `json:"at"` // of the newest compaction
	Totals
}

// Sum is the audit of one session in numbers.
type Sum struct {
	Compactions []Compaction // without their items
	ByKind      []KindTotals
	Totals      Totals
}

// Sum returns the numbers of a report.
func (r Report) Sum() Sum {
	s := Sum{Totals: r.Totals}
	for _, it := range r.Newest() {
		place(&s.ByKind, KindTotals{Kind: it.Kind}, KindTotals.order).add(it.Status)
	}
	for _, c := range r.Compactions {
		c.Items, c.past = nil, nil
		s.Compactions = append(s.Compactions, c)
	}
	return s
}

// Since keeps the compactions from a time on. It returns false if only some are that new: then the report is needed.
func (s Sum) Since(at time.Time) (Sum, bool) {
	since := func(c Compaction) bool { return !c.At.Time().Before(at) }
	if !slices.ContainsFunc(s.Compactions, since) {
		return Sum{}, true
	}
	return s, !slices.ContainsFunc(s.Compactions, func(c Compaction) bool { return !since(c) })
}

// Add adds the audit of a session. A session without a compaction adds nothing.
func (s *Survival) Add(one Sum, session, project, title string) {
	if len(one.Compactions) == 0 {
		return
	}
	s.Sessions++
	s.Compactions += len(one.Compactions)
	s.Totals = s.Totals.Plus(one.Totals)
	newest := one.Compactions[len(one.Compactions)-1]
	t := SessionTotals{
		Session: session, Project: project, Title: title, Agent: newest.Agent, Client: newest.Client,
		Compactions: len(one.Compactions), At: newest.At, Totals: one.Totals,
	}
	// After equal ones: the first stays first.
	i, _ := slices.BinarySearchFunc(s.BySession, t, func(a, b SessionTotals) int {
		return cmp.Or(b.Lost-a.Lost, b.Unclear-a.Unclear, cmp.Compare(b.At, a.At), -1)
	})
	s.BySession = slices.Insert(s.BySession, i, t)
	for _, k := range one.ByKind {
		kind := place(&s.ByKind, KindTotals{Kind: k.Kind}, KindTotals.order)
		kind.Totals = kind.Plus(k.Totals)
	}
	for _, c := range one.Compactions {
		client := place(&s.ByClient, ClientTotals{Agent: c.Agent, Client: c.Client}, ClientTotals.order)
		client.Compactions++
		client.Totals = client.Plus(c.Totals)
		week := place(&s.ByWeek, WeekTotals{Monday: monday(c.At.Time())}, WeekTotals.order)
		week.Compactions++
		week.Totals = week.Plus(c.Totals)
	}
}

func (k KindTotals) order(o KindTotals) int {
	kinds := knowledge.Audited()
	return cmp.Compare(slices.Index(kinds, k.Kind), slices.Index(kinds, o.Kind))
}

func (c ClientTotals) order(o ClientTotals) int {
	return cmp.Or(strings.Compare(c.Agent, o.Agent), versions(c.Client, o.Client))
}

func (w WeekTotals) order(o WeekTotals) int { return strings.Compare(w.Monday, o.Monday) }

// place returns the entry of a sorted list that equals one. It inserts one if there is none.
func place[T any](all *[]T, one T, order func(T, T) int) *T {
	i, found := slices.BinarySearchFunc(*all, one, order)
	if !found {
		*all = slices.Insert(*all, i, one)
	}
	return &(*all)[i]
}

// monday returns the first day of a time's week in UTC, so that weeks do not depend on the place.
func monday(at time.Time) string {
	at = at.UTC()
	return at.AddDate(0, 0, -(int(at.Weekday())+6)%7).Format(time.DateOnly)
}

// versions compares versions by their numbers: 2.1.9 comes before 2.1.10.
func versions(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
}

// Only keeps one compaction of each lane, by its ordinal.
func (r Report) Only(ordinal int) Report {
	return r.keep(func(c Compaction) bool { return c.Ordinal == ordinal })
}

// Since keeps the compactions from a time on; the zero time keeps all.
func (r Report) Since(at time.Time) Report {
	return r.keep(func(c Compaction) bool { return !c.At.Time().Before(at) })
}

func (r Report) keep(wanted func(Compaction) bool) Report {
	part := Report{Session: r.Session, Compactions: []Compaction{}}
	for _, c := range r.Compactions {
		if wanted(c) {
			part.Compactions = append(part.Compactions, c)
		}
	}
	return part.total()
}

// News removes the items that the previous compaction of the lane has with the same status and worth. So each item is
// shown once, and again when it changes. Totals stay.
func (r Report) News() Report {
	stood := map[string]Item{}
	news := Report{Session: r.Session, Compactions: slices.Clone(r.Compactions), Totals: r.Totals, Cleared: r.Cleared}
	for i := range news.Compactions {
		c := &news.Compactions[i]
		items := []Item{}
		for _, it := range c.Items {
			before := stood[c.Lane+"\n"+it.ID]
			stood[c.Lane+"\n"+it.ID] = it
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

// Find returns the item with an id from the newest compaction that knew it.
func (r Report) Find(id string) (Item, bool) {
	for _, c := range slices.Backward(r.Compactions) {
		for _, it := range c.Items {
			if it.ID == id {
				return it, true
			}
		}
	}
	return Item{}, false
}
