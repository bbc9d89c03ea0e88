package timeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/projections"
	"journal/replay"
)

// Needs returns the projections from which a timeline is derived.
func Needs() []projections.Projection {
	return []projections.Projection{projections.Pressure, projections.LastCompact, projections.CompoundLastRun, projections.Phase}
}

// Watcher builds a timeline from events. It is not safe for concurrent use.
type Watcher struct {
	fold   *projections.Fold
	line   Timeline // so far; Timeline adds CompactsAt, and the windows of early points
	before snapshot // as of the last event
}

// snapshot holds values of the states of the fold. A change of one makes a point or a mark.
type snapshot struct {
	percent     int    // of PressureState
	window      int64  // of PressureState
	compactions int    // LastCompactState.Count
	trigger     string // of LastCompactState
	compound    uint64 // sequence of the newest compound
	phase       projections.PhaseState
}

// Watch starts the timeline of a fold's target. The fold must be empty and have Needs. Only Apply may apply events to it.
func Watch(f *projections.Fold) *Watcher { return &Watcher{fold: f} }

// Timeline returns a copy of the timeline so far.
func (w *Watcher) Timeline() Timeline {
	line := w.line
	line.CompactsAt = projections.Pressure.In(w.fold).CompactsAt()
	line.Points, line.Marks, line.Subagents = withWindows(line.Points), slices.Clone(line.Marks), slices.Clone(line.Subagents)
	return line
}

// Apply applies the next event of src to the fold, and records the changes. It returns the error of src.
func (w *Watcher) Apply(ctx context.Context, src replay.Source, e events.Envelope) error {
	if err := replay.Apply(ctx, src, w.fold, e); err != nil {
		return err
	}
	t := w.fold.Target()
	if e.EchoOf != 0 || e.Project != t.Project {
		return nil
	}
	if e.Session == t.Session {
		w.line.Events++
		w.recordSubagent(e)
		if e.Lane == t.Lane {
			if w.line.First == 0 {
				w.line.First, w.line.FirstAt = e.Seq, e.At
			}
			w.line.Last = e.Seq
			w.recordMark(e)
		}
	}
	w.recordChanges(e)
	return nil
}

// recordChanges records the points and marks of what an event changed in the states.
func (w *Watcher) recordChanges(e events.Envelope) {
	pressure, compact := projections.Pressure.In(w.fold), projections.LastCompact.In(w.fold)
	compound, phase := projections.CompoundLastRun.In(w.fold).Seq, projections.Phase.In(w.fold)
	before := w.before
	w.before = snapshot{pressure.UsedPercent, pressure.Window, compact.Count, compact.Trigger, compound, phase}
	if pressure.UsedPercent != before.percent || pressure.Window != before.window {
		w.point(e, Point{Percent: pressure.UsedPercent, Tokens: pressure.Tokens, Window: pressure.Window})
	}
	if ev, ok := events.As[events.ConversationRewound](e); ok {
		if t := w.fold.Target(); e.Session == t.Session && e.Lane == t.Lane {
			w.mark(Rewind, e, fmt.Sprintf("#%d–#%d", ev.First, ev.Last))
		}
		return // the states returned to earlier ones
	}
	if compact.Count != before.compactions {
		w.mark(Compaction, e, compact.Trigger)
		if pressure.Window == 0 && len(w.line.Points) > 0 {
			w.point(e, Point{}) // without a window the percentage cannot fall, so a point without tokens shows the compaction
		}
	} else if compact.Count > 0 && compact.Trigger != before.trigger {
		w.setText(Compaction, compact.Trigger) // a later event of the same compaction has the trigger
	}
	if compound != before.compound {
		w.mark(Compound, e, "")
	}
	if phase.Skill != before.phase.Skill || phase.Phase != before.phase.Phase || phase.Status != before.phase.Status {
		w.mark(Phase, e, phaseText(phase))
	}
}

// recordMark records the marks of an event of the lane that follow from the event alone, and a point with the tokens of a sample while
// the window is unknown.
func (w *Watcher) recordMark(e events.Envelope) {
	if !marking[e.Type] && !MayFail(e.Type) {
		return
	}
	ev, err := events.Open(e)
	if err != nil {
		return // journal verify reports it
	}
	if failure, failed := Failed(ev); failed {
		w.mark(Failure, e, failure)
	}
	switch ev := ev.(type) {
	case events.PromptSubmitted:
		if !ev.Machine {
			w.mark(Prompt, e, text.Linked(ev.Text))
		}
	case events.NoticeGiven:
		if ev.Level != "" {
			w.mark(Notice, e, ev.Level)
		}
	case events.ContextCleared:
		w.mark(Cleared, e, "−"+text.Short(ev.Freed))
	case events.UsageSampled:
		if projections.Pressure.In(w.fold).Window == 0 && ev.Tokens > 0 {
			w.point(e, Point{Tokens: ev.Tokens})
		}
	}
}

// marking has the types of events, beside fallible ones, that recordMark reads.
var marking = map[events.Type]bool{
	events.TypeOf[events.PromptSubmitted](): true, events.TypeOf[events.NoticeGiven](): true, events.TypeOf[events.UsageSampled](): true,
	events.TypeOf[events.ContextCleared](): true,
}

// fallible has the types of events that can record a failure.
var fallible = map[events.Type]bool{
	events.TypeOf[events.CommandRan](): true, events.TypeOf[events.ToolUsed](): true, events.TypeOf[events.TurnFailed](): true,
}

// MayFail reports whether events of a type can record a failure.
func MayFail(t events.Type) bool { return fallible[t] }

// Failed reports whether an event records a failure. text is the command, the tool, or the kind of error.
func Failed(ev events.Event) (text string, failed bool) {
	switch ev := ev.(type) {
	case events.CommandRan:
		return ev.Command, ev.Failed || ev.Mark != ""
	case events.ToolUsed:
		return ev.Tool, ev.Failed
	case events.TurnFailed:
		return ev.Error, true
	}
	return "", false
}

// recordSubagent records an event of a subagent, in the timeline of a main lane.
func (w *Watcher) recordSubagent(e events.Envelope) {
	if e.Lane == "" || w.fold.Target().Lane != "" {
		return
	}
	place := w.line.Events - 1
	i := -1
	for j, s := range slices.Backward(w.line.Subagents) { // newest first: they have most of the events
		if s.Lane == e.Lane {
			i = j
			break
		}
	}
	if i < 0 {
		i = len(w.line.Subagents)
		w.line.Subagents = append(w.line.Subagents, Subagent{Lane: e.Lane, First: e.Seq, From: place})
	}
	s := &w.line.Subagents[i]
	s.Last, s.To = e.Seq, place
	switch e.Type {
	case events.TypeOf[events.SubagentStarted](), events.TypeOf[events.SubagentEnded]():
		switch ev, _ := events.Open(e); ev := ev.(type) { // an event that cannot be read counts too
		case events.SubagentStarted:
			s.Type = ev.AgentType
		case events.SubagentEnded:
			s.Type = ev.AgentType
		}
		s.Ended = e.Type == events.TypeOf[events.SubagentEnded]()
	}
}

// point adds a point at an event.
func (w *Watcher) point(e events.Envelope, p Point) {
	p.Seq, p.Place = e.Seq, max(w.line.Events-1, 0)
	w.line.Points = append(w.line.Points, p)
}

// maxText bounds the text of a mark, in bytes.
const maxText = 400

// mark adds a mark at an event.
func (w *Watcher) mark(kind string, e events.Envelope, words string) {
	if len(words) > maxText {
		words = strings.Clone(words[:text.Before(words, maxText)]) // a copy, so that the rest can be freed
	}
	w.line.Marks = append(w.line.Marks, Mark{Kind: kind, Seq: e.Seq, Place: max(w.line.Events-1, 0), At: e.At, Text: words})
}

// setText changes the text of the newest mark of a kind.
func (w *Watcher) setText(kind, words string) {
	for i := len(w.line.Marks) - 1; i >= 0; i-- {
		if w.line.Marks[i].Kind == kind {
			w.line.Marks[i].Text = words
			return
		}
	}
}

// phaseText returns the text of a Phase mark.
func phaseText(s projections.PhaseState) string {
	words := s.Skill
	if s.Phase != "" {
		words += " " + s.Phase
	}
	if s.Name != "" {
		words += " " + s.Name
	}
	if !s.Active() {
		words += ", " + s.Status
	}
	return words
}
