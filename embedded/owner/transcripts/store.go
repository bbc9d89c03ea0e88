package transcripts

import (
	"context"
	"errors"
	"strconv"

	"journal/embedded/owner/draft"
	"journal/events"
	"journal/journal"
	"journal/journal/agents/transcript"
	"journal/projections"
)

// inventory is what the log holds of a session of the facts that its transcript tells, so
// that one that a hook or an import told is not told again.
type inventory struct {
	seq     uint64 // up to where the log was read
	ids     map[string]bool
	refused map[string]bool // by tool call
	tasked  map[string]bool // by lane
	hooks   hookFacts
}

// transcribed are the types of what transcripts tell.
var transcribed = []events.Type{
	events.TypeOf[events.ToolRefused](), events.TypeOf[events.PromptSubmitted](), events.TypeOf[events.CommandRan](),
	events.TypeOf[events.TurnInterrupted](), events.TypeOf[events.SubagentTasked](), events.TypeOf[events.FileMoved](),
	events.TypeOf[events.ToolUsed](), events.TypeOf[events.CompactionCompleted](), events.TypeOf[events.UsageSampled](),
	events.TypeOf[events.CommandExited](), events.TypeOf[events.SummaryImported](),
}

// grow reads what the log holds up to a sequence.
func (k *inventory) grow(ctx context.Context, log *journal.Log, t projections.Target, head uint64) error {
	if k.ids == nil {
		k.ids, k.refused, k.tasked, k.hooks = map[string]bool{}, map[string]bool{}, map[string]bool{}, newHookFacts()
		if err := k.parts(ctx, log, t); err != nil {
			return err
		}
	}
	if head <= k.seq {
		return nil
	}
	var sel []events.Selector
	for _, name := range transcribed {
		sel = append(sel, events.Selector{Project: t.Project, Session: t.Session, Type: name})
	}
	for e, err := range log.Events(ctx, events.Span{After: k.seq, Until: head}, sel...) {
		if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
			continue // told twice is better than not at all
		}
		if err != nil {
			return err
		}
		k.note(e)
	}
	k.seq = head
	return nil
}

func (k *inventory) note(e events.Envelope) {
	if events.Derived(e.ID) {
		k.ids[e.ID] = true
	} else if e.Lane == "" && e.EchoOf == 0 {
		k.hooks.note(e)
	}
	switch e.Type {
	case events.TypeOf[events.ToolRefused](), events.TypeOf[events.SubagentTasked](), events.TypeOf[events.SummaryImported]():
	default:
		return
	}
	ev, err := events.Open(e)
	if err != nil {
		return // for verify
	}
	switch ev := ev.(type) {
	case events.ToolRefused:
		k.refused[ev.Use] = true
	case events.SummaryImported:
		k.hooks.summarised[ev.Compaction] = true
	case events.SubagentTasked:
		k.tasked[ev.Lane] = true
	}
}

// holds says whether the log holds the fact of an event that a transcript tells.
func (k *inventory) holds(e events.Envelope, ev events.Event) bool {
	switch ev := ev.(type) {
	case events.ToolRefused:
		return ev.Use != "" && k.refused[ev.Use]
	case events.SubagentTasked:
		return k.tasked[ev.Lane]
	}
	return k.ids[e.ID]
}

// parts reads what an import told beside the session (ADR-0011 rule 2).
func (k *inventory) parts(ctx context.Context, log *journal.Log, t projections.Target) error {
	for n := 1; ; n++ {
		found := false
		part := events.Selector{Project: t.Project, Session: t.Session + "~" + strconv.Itoa(n)}
		for e, err := range log.Events(ctx, events.Span{}, part) {
			if err != nil {
				return err
			}
			found = true
			k.note(e)
		}
		if !found && n > 1 { // the first need not be there
			return nil
		}
	}
}

// store stores what a transcript told. The caller has one's turn.
func (f *Reader) store(ctx context.Context, one *follower) error {
	steps := one.file.steps
	if len(steps) == 0 {
		return nil
	}
	// The log is long the first time; appenders do not wait for that.
	if err := one.told.grow(ctx, f.log, one.target, f.writer.Head()); err != nil {
		return err
	}
	f.writer.Lock()
	defer f.writer.Unlock()
	if err := one.told.grow(ctx, f.log, one.target, f.writer.Newest()); err != nil {
		return err
	}
	var all []*draft.Draft
	for len(steps) > 0 {
		s := steps[0]
		facts := events.Recognise(s.Report.Hook)
		when := one.told.complete(s, steps[1:], facts)
		if when == later {
			break
		}
		if steps = steps[1:]; when == never {
			continue
		}
		all = append(all, f.drafts(one, s, facts)...)
	}
	if len(all) > 0 {
		if err := f.writer.Store(ctx, all...); err != nil {
			one.told = inventory{} // what of it is stored the log tells
			return err
		}
	}
	one.file.steps = steps
	return nil
}

// drafts gives the events of a step that the log does not hold.
func (f *Reader) drafts(one *follower, s transcript.Step, facts []events.Event) (all []*draft.Draft) {
	es, err := s.Events(one.target.Session, one.target.Project, facts...)
	if err != nil {
		f.trouble(err)
	}
	for i, e := range es {
		if one.told.holds(e, facts[i]) {
			continue
		}
		one.told.note(e)
		d, err := draft.New(e)
		if err != nil {
			f.trouble(err)
			continue
		}
		all = append(all, d)
	}
	return all
}
