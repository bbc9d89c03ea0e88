// Package timeline derives from the log how a session went: how full its context
// was, and what happened when. It is pure: the same log gives the same timeline.
package timeline

import (
	"context"
	"fmt"

	"journal/events"
	"journal/projections"
	"journal/replay"
)

// Timeline is one lane of a session.
type Timeline struct {
	First, Last uint64 // sequences of its first and newest event; 0 for none
	Points      []Point
	Marks       []Mark
}

// Point is how full the context was from an event on.
type Point struct {
	Seq     uint64
	At      int64 // ns since 1970 UTC, the event's own time
	Percent int   // of the window, 0 to 100
	Window  int64 // tokens in all
}

// The kinds of Mark.
const (
	Prompt     = "prompt"     // a person's; Text is its beginning
	Phase      = "phase"      // of a skill's workflow; Text says which
	Compound   = "compound"   // working notes were promoted
	Compaction = "compaction" // Text is auto or manual
	Notice     = "notice"     // somebody was told how full the context is; Text is the level
)

// Mark is something that happened.
type Mark struct {
	Kind string
	Seq  uint64
	At   int64 // ns since 1970 UTC
	Text string
}

// Of folds one lane of a session up to and with until; 0 is the end of the log.
func Of(ctx context.Context, src replay.Source, t projections.Target, c projections.Config, until uint64) (Timeline, error) {
	w := watcher{fold: projections.NewFold(t, c, projections.Pressure, projections.LastCompact, projections.CompoundLastRun, projections.Phase)}
	for e, err := range src.Events(ctx, events.Span{Until: until}, replay.Selectors(w.fold)...) {
		if err == nil {
			err = w.see(e)
		}
		if err != nil {
			return Timeline{}, fmt.Errorf("timeline: %w", err)
		}
	}
	return w.line, nil
}

// watcher notes what an event changed.
type watcher struct {
	fold *projections.Fold
	line Timeline
}

func (w *watcher) see(e events.Envelope) error {
	pressure, compact := projections.Pressure.In(w.fold), projections.LastCompact.In(w.fold)
	compound, phase := projections.CompoundLastRun.In(w.fold), projections.Phase.In(w.fold)
	if err := w.fold.Apply(e); err != nil {
		return err
	}
	t := w.fold.Target()
	if e.EchoOf != 0 || e.Project != t.Project {
		return nil
	}
	if own := e.Session == t.Session && e.Lane == t.Lane; own {
		if w.line.First == 0 {
			w.line.First = e.Seq
		}
		w.line.Last = e.Seq
		if err := w.said(e); err != nil {
			return err
		}
	}
	if now := projections.Pressure.In(w.fold); now.UsedPercent != pressure.UsedPercent || now.Window != pressure.Window {
		w.line.Points = append(w.line.Points, Point{e.Seq, e.At, now.UsedPercent, now.Window})
	}
	if now := projections.LastCompact.In(w.fold); now.Count != compact.Count {
		w.mark(Compaction, e, now.Trigger)
	} else if now.Count > 0 && now.Trigger != compact.Trigger {
		w.retell(Compaction, now.Trigger) // a later fact of the same one knew it
	}
	if now := projections.CompoundLastRun.In(w.fold); now.Seq != compound.Seq {
		w.mark(Compound, e, "")
	}
	if now := projections.Phase.In(w.fold); now.Skill != phase.Skill || now.Phase != phase.Phase || now.Status != phase.Status {
		w.mark(Phase, e, phaseText(now))
	}
	return nil
}

// said notes events of the lane that are marks themselves.
func (w *watcher) said(e events.Envelope) error {
	switch e.Type {
	case events.TypeOf[events.PromptSubmitted](), events.TypeOf[events.NoticeGiven]():
	default:
		return nil
	}
	ev, err := events.Open(e)
	if err != nil {
		return err
	}
	switch ev := ev.(type) {
	case events.PromptSubmitted:
		if !ev.Machine {
			w.mark(Prompt, e, ev.Text)
		}
	case events.NoticeGiven:
		if ev.Level != "" {
			w.mark(Notice, e, ev.Level)
		}
	}
	return nil
}

func (w *watcher) mark(kind string, e events.Envelope, text string) {
	w.line.Marks = append(w.line.Marks, Mark{kind, e.Seq, e.At, text})
}

// retell changes what the newest mark of a kind says.
func (w *watcher) retell(kind, text string) {
	for i := len(w.line.Marks) - 1; i >= 0; i-- {
		if w.line.Marks[i].Kind == kind {
			w.line.Marks[i].Text = text
			return
		}
	}
}

func phaseText(s projections.PhaseState) string {
	text := s.Skill
	if s.Phase != "" {
		text += " " + s.Phase
	}
	if s.Name != "" {
		text += " " + s.Name
	}
	if !s.Active() {
		text += ", " + s.Status
	}
	return text
}
