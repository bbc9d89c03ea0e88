package ui

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"journal/events"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// catalogue knows what each session is about. What it folded of one is good until something
// happens in it. It is safe for concurrent use.
type catalogue struct {
	log  *reader
	fold func() projections.Config

	mu     sync.Mutex
	read   uint64 // first requests were looked for up to here
	titles map[projections.Target]string
	cards  map[projections.Target]card
}

// card is one session in a list.
type card struct {
	journal.Activity
	Title       string
	Info        projections.SessionState
	Pressure    projections.PressureState
	Compactions int
}

func newCatalogue(log *reader, fold func() projections.Config) *catalogue {
	c := &catalogue{log: log, fold: fold}
	c.clear()
	return c
}

func (c *catalogue) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read, c.titles, c.cards = 0, map[projections.Target]string{}, map[projections.Target]card{}
}

// query is which sessions are looked for.
type query struct {
	words   string // each in the first request, the project, the agent or the id
	project string // key
	all     bool   // also those in which nobody asked anything
}

func (q query) wants(a journal.Activity, title string) bool {
	switch {
	case q.project != "" && a.Project != q.project, !q.all && !a.Asked:
		return false
	}
	said := folded(strings.Join([]string{title, a.Project, a.Newest.Agent, a.ID}, " "))
	for word := range strings.FieldsSeq(folded(q.words)) {
		if !strings.Contains(said, word) {
			return false
		}
	}
	return true
}

func folded(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// list gives the sessions that are looked for from one on, those first in which something
// happened last, at most n, and how many there are.
func (c *catalogue) list(ctx context.Context, q query, from, n int) (found []card, total int, err error) {
	all, err := c.log.Sessions(ctx)
	if err != nil {
		return nil, 0, err
	}
	active, err := c.log.Newest(ctx, all)
	if err != nil {
		return nil, 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.name(ctx); err != nil {
		return nil, 0, err
	}
	for _, a := range active {
		t := projections.Target{Project: a.Project, Session: a.ID}
		if !q.wants(a, c.titles[t]) {
			continue
		}
		if total++; total <= from || len(found) == n {
			continue
		}
		one, err := c.card(ctx, t, a)
		if err != nil {
			return nil, 0, err
		}
		found = append(found, one)
	}
	return found, total, nil
}

// name finds what was asked first in the sessions that are new.
func (c *catalogue) name(ctx context.Context) error {
	st, err := c.log.Stats(ctx)
	if err != nil || st.Last == c.read {
		return err
	}
	asked := events.Selector{Type: events.TypeOf[events.PromptSubmitted]()}
	for e, err := range c.log.Events(ctx, events.Span{After: c.read, Until: st.Last}, asked) {
		if err != nil {
			return err
		}
		t := projections.Target{Project: e.Project, Session: e.Session}
		if c.titles[t] == "" {
			if title := replay.TitleIn(e); title != "" {
				c.titles[t] = title
			}
		}
	}
	c.read = st.Last
	return nil
}

// card folds what a list tells of a session, unless nothing happened in it since.
func (c *catalogue) card(ctx context.Context, t projections.Target, a journal.Activity) (card, error) {
	if known, ok := c.cards[t]; ok && known.Last == a.Last {
		return known, nil
	}
	f := projections.NewFold(t, c.fold(), projections.SessionInfo, projections.LastCompact, projections.Pressure)
	if err := replay.Forward(ctx, c.log, f, 0); err != nil {
		return card{}, err
	}
	one := card{
		Activity: a, Title: c.titles[t], Info: projections.SessionInfo.In(f), Pressure: projections.Pressure.In(f),
		Compactions: projections.LastCompact.In(f).Count,
	}
	one.Info.Agent = cmp.Or(one.Info.Agent, a.Newest.Agent)
	c.cards[t] = one
	return one, nil
}
