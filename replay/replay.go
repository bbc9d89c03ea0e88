// Package replay folds a log up to a point, keeps folds up to date, compares two states of a fold, and finds the titles of sessions.
//
// It reads from any Source: the journal, a slice, a file. It does no I/O of its own, reads no clock, and imports
// neither NATS nor the journal.
package replay

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/projections"
)

// Forward applies the events of src after the fold's sequence, up to and including until; 0 is the end of the log. If a rewind
// took back applied events, it folds the log again without them. After an error the fold may have a part of the events.
func Forward(ctx context.Context, src Source, f *projections.Fold, until uint64) error {
	if err := forward(ctx, src, f, until); err != nil {
		return err
	}
	return refold(ctx, src, f)
}

// Apply applies the next event of src. If it is a rewind of applied events, it folds the log again without them.
func Apply(ctx context.Context, src Source, f *projections.Fold, e events.Envelope) error {
	f.Apply(e)
	return refold(ctx, src, f)
}

// refold folds the log again, up to the fold's sequence, if the fold is stale.
func refold(ctx context.Context, src Source, f *projections.Fold) error {
	if !f.Stale() {
		return nil
	}
	restarted := f.Restart()
	if err := forward(ctx, src, restarted, f.Seq()); err != nil {
		return err
	}
	f.Replace(restarted)
	return nil
}

// Rewinds lists the rewinds of a session, or if session is empty those of a project, up to and including until; 0 is the
// end of the log.
func Rewinds(ctx context.Context, src Source, project, session string, until uint64) (rewinds projections.Rewinds, err error) {
	sel := events.Selector{Project: project, Session: session, Type: events.TypeOf[events.ConversationRewound]()}
	for e, err := range src.Events(ctx, events.Span{Until: until}, sel) {
		if err != nil {
			return rewinds, fmt.Errorf("find rewinds: %w", err)
		}
		rewinds, _ = rewinds.With(e)
	}
	return rewinds, nil
}

// forward is Forward, but may leave the fold stale.
func forward(ctx context.Context, src Source, f *projections.Fold, until uint64) error {
	span := events.Span{After: f.Seq(), Until: until}
	sel, err := Needed(ctx, src, f, span)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	for e, err := range src.Events(ctx, span, sel...) {
		if err != nil {
			return fmt.Errorf("replay: %w", err)
		}
		f.Apply(e)
	}
	return nil
}

// State returns the state of one projection up to and including a sequence; 0 is the end of the log.
func State[S any](ctx context.Context, src Source, t projections.Target, c projections.Config, p *projections.Def[S], until uint64) (S, error) {
	f := projections.NewFold(t, c, p)
	err := Forward(ctx, src, f, until)
	return p.In(f), err
}

// Selectors returns the selectors of the events that a fold reads. They select all events of the target's session, because one
// selector costs less than one for each type.
func Selectors(f *projections.Fold) []events.Selector {
	t := f.Target()
	reads := f.Reads()
	var sel []events.Selector
	if t.Session != "" {
		sel = append(sel, events.Selector{Project: t.Project, Session: t.Session})
	}
	sel = append(sel, events.Selector{Project: t.Project}.Of(reads[projections.Project]...)...)
	return append(sel, events.Selector{}.Of(reads[projections.User]...)...)
}

const (
	longSpan    = 4 << 10 // sequences from which finding the relevant sessions first costs less than reading all events
	maxSessions = 64      // greatest number of sessions that get selectors of their own
)

// Needed is Selectors for a span. For a long span it leaves out events that change no state, because their session or their project
// has no event of an opening type (see Projection.SessionOpeners and Projection.ProjectOpeners). It returns the source's error.
func Needed(ctx context.Context, src Source, f *projections.Fold, span events.Span) ([]events.Selector, error) {
	all := Selectors(f)
	long := span.Until >= span.After+longSpan
	if span.Until == 0 {
		long = span.After == 0 // a fold that has events is usually near the end of the log
	}
	if !long {
		return all, nil
	}
	var selectors []events.Selector
	opened := map[string][]string{} // project, limit and opening types → sessions
	for _, s := range all {
		opening, limit := f.Opening(s.Type, projections.Projection.SessionOpeners), maxSessions
		if len(opening) == 0 {
			// One opening event anywhere in the project makes all its sessions relevant.
			opening, limit = f.Opening(s.Type, projections.Projection.ProjectOpeners), 0
		}
		if s.Session != "" || len(opening) == 0 {
			selectors = append(selectors, s)
			continue
		}
		key := fmt.Sprint(s.Project, limit, opening)
		if _, known := opened[key]; !known {
			sessions, err := sessionsWith(ctx, src, s.Project, span.Until, opening, limit)
			if err != nil {
				return nil, err
			}
			opened[key] = sessions
		}
		if len(opened[key]) > limit {
			selectors = append(selectors, s)
			continue
		}
		for _, session := range opened[key] {
			selectors = append(selectors, events.Selector{Project: s.Project, Session: session, Type: s.Type})
		}
	}
	return selectors, nil
}

// sessionsWith lists the sessions of a project that have an event of one of the types up to and including until. It stops when it has
// more than limit sessions.
func sessionsWith(ctx context.Context, src Source, project string, until uint64, types []events.Type, limit int) (sessions []string, err error) {
	for e, err := range src.Events(ctx, events.Span{Until: until}, events.Selector{Project: project}.Of(types...)...) {
		if err != nil {
			return nil, err
		}
		if !slices.Contains(sessions, e.Session) {
			sessions = append(sessions, e.Session)
		}
		if len(sessions) > limit {
			break
		}
	}
	return sessions, nil
}

// Before returns the sequence just before the session's first event, echoes left out, whose own time is later than at. It returns last
// if there is no such event up to last. Own times are used because they survive imports and rebuilds (ADR-0021 rule 3).
func Before(ctx context.Context, src Source, t projections.Target, at time.Time, last uint64) (uint64, error) {
	for e, err := range src.Events(ctx, events.Span{Until: last}, events.Selector{Project: t.Project, Session: t.Session}) {
		if err != nil {
			return 0, fmt.Errorf("find %s: %w", at.Format(time.RFC3339), err)
		}
		if e.EchoOf == 0 && e.Time().After(at) {
			return e.Seq - 1, nil
		}
	}
	return last, nil
}

// Compactions returns the sequence of the first fact of each compaction of the target's lane, oldest first, without those that were
// taken back.
func Compactions(ctx context.Context, src Source, t projections.Target) (firstFacts []uint64, err error) {
	rewinds, err := Rewinds(ctx, src, t.Project, t.Session, 0)
	if err != nil {
		return nil, fmt.Errorf("find compactions: %w", err)
	}
	f := projections.NewFold(t, projections.Config{}, projections.LastCompact)
	f.SetRewinds(rewinds)
	for e, err := range src.Events(ctx, events.Span{}, events.Selector{Project: t.Project, Session: t.Session}) {
		if err != nil {
			return nil, fmt.Errorf("find compactions: %w", err)
		}
		f.Apply(e)
		if s := projections.LastCompact.In(f); s.Count > len(firstFacts) {
			firstFacts = append(firstFacts, s.Seq)
		}
	}
	return firstFacts, nil
}

// Source is a log. Events yields the stored events of a span that match any of the selectors, or all of them without a
// selector, in order of sequence, each once, including echoes. It ends where the log ended when the call began, or with an error.
type Source interface {
	Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error]
}

// Slice is a Source of events in memory, in order of their sequence.
type Slice []events.Envelope

// Events implements Source.
func (s Slice) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	selected := func(m events.Meta) bool {
		return len(sel) == 0 || slices.ContainsFunc(sel, func(s events.Selector) bool { return s.Match(m) })
	}
	return func(yield func(events.Envelope, error) bool) {
		for _, e := range s {
			if e.Seq <= span.After || span.Until != 0 && e.Seq > span.Until || !selected(e.Meta) {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(events.Envelope{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// maxTitle bounds a title, in UTF-16 units.
const maxTitle = 160

// Title returns the title of a session on one line: the client's own, else the first request that was not taken back. It is
// empty if there is neither. It returns the source's error.
func Title(ctx context.Context, src Source, t projections.Target) (string, error) {
	var state projections.SessionState
	titled := events.Selector{Project: t.Project, Session: t.Session, Type: events.TypeOf[events.SessionTitled]()}
	for e, err := range src.Events(ctx, events.Span{}, titled) {
		if err != nil {
			return "", err
		}
		if ev, ok := events.As[events.SessionTitled](e); ok && e.EchoOf == 0 {
			state = projections.SessionInfo.Next(state, projections.Session, ev, projections.At{Meta: e.Meta, Target: t})
		}
	}
	if title := TitleOf(state); title != "" {
		return title, nil
	}
	rewinds, err := Rewinds(ctx, src, t.Project, t.Session, 0)
	if err != nil {
		return "", err
	}
	prompts := events.Selector{Project: t.Project, Session: t.Session, Type: events.TypeOf[events.PromptSubmitted]()}
	for e, err := range src.Events(ctx, events.Span{}, prompts) {
		if err != nil {
			return "", err
		}
		if title := TitleIn(e); title != "" && !rewinds.TakenBack(e.Meta, "") {
			return title, nil
		}
	}
	return "", nil
}

// TitleOf returns the client's own title of a session on one line; empty if it has none.
func TitleOf(s projections.SessionState) string { return text.CutLine(s.Title, maxTitle) }

// TitleIn returns the title of a session whose first request is the event e. It is empty if the event is an echo, cannot be read, or
// is no request of a person to a main lane.
func TitleIn(e events.Envelope) string {
	if e.EchoOf != 0 || e.Lane != "" || e.Type != events.TypeOf[events.PromptSubmitted]() {
		return ""
	}
	ev, err := events.Open(e)
	p, ok := ev.(events.PromptSubmitted)
	if err != nil || !ok || p.Machine {
		return ""
	}
	words, _, _ := text.WithoutRecovery(p.Text)
	return headline(words)
}

// handedOver begins the first request of a session in which Codex implements the plan of an earlier one.
const handedOver = "A previous agent produced the plan below"

// headline returns a request on one line. If it only announces a document ("Implement the following plan:"), it returns
// the document's heading.
func headline(request string) string {
	firstLine, document, _ := strings.Cut(text.Trimmed(request), "\n")
	announces := strings.HasSuffix(firstLine, ":") || strings.HasPrefix(firstLine, handedOver)
	if heading, _, _ := strings.Cut(text.Trimmed(document), "\n"); announces && strings.HasPrefix(heading, "#") {
		request = strings.TrimLeft(heading, "#")
	}
	return text.CutLine(request, maxTitle)
}
