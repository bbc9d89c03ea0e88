// Package timeline derives from the log how a session went: how full its context
// was, and what happened when. It is pure: the same log gives the same timeline.
package timeline

import (
	"context"
	"fmt"
	"slices"

	"journal/events"
	"journal/projections"
	"journal/replay"
)

// Timeline is one lane of a session.
type Timeline struct {
	First, Last uint64 // sequences of its first and newest event; 0 for none
	FirstAt     int64  // ns since 1970 UTC, of the first event
	Points      []Point
	Marks       []Mark
}

// Point is how full the context was from an event on.
type Point struct {
	Seq     uint64
	At      int64 // ns since 1970 UTC, the event's own time
	Percent int   // of the window, 0 to 100; 0 without a window
	Tokens  int64 // 0 where only the percentage was told
	Window  int64 // tokens in all, 0 in every point of a timeline whose window nobody knows
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
	w.line.resolve()
	return w.line, nil
}

// resolve gives the points before a window was known the first one that was: a curve has
// one scale.
func (l *Timeline) resolve() {
	first := slices.IndexFunc(l.Points, func(p Point) bool { return p.Window > 0 })
	for i := range max(first, 0) {
		p := &l.Points[i]
		p.Window = l.Points[first].Window
		p.Percent = projections.PercentOf(p.Tokens, p.Window)
	}
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
			w.line.First, w.line.FirstAt = e.Seq, e.At
		}
		w.line.Last = e.Seq
		if err := w.said(e); err != nil {
			return err
		}
	}
	if now := projections.Pressure.In(w.fold); now.UsedPercent != pressure.UsedPercent || now.Window != pressure.Window {
		w.point(Point{e.Seq, e.At, now.UsedPercent, now.Tokens, now.Window})
	}
	if now := projections.LastCompact.In(w.fold); now.Count != compact.Count {
		w.mark(Compaction, e, now.Trigger)
		if projections.Pressure.In(w.fold).Window == 0 && len(w.line.Points) > 0 {
			w.point(Point{Seq: e.Seq, At: e.At})
		}
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
	case events.TypeOf[events.PromptSubmitted](), events.TypeOf[events.NoticeGiven](), events.TypeOf[events.UsageSampled]():
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
	case events.UsageSampled:
		if projections.Pressure.In(w.fold).Window == 0 && ev.Tokens > 0 {
			w.point(Point{Seq: e.Seq, At: e.At, Tokens: ev.Tokens})
		}
	}
	return nil
}

func (w *watcher) point(p Point) { w.line.Points = append(w.line.Points, p) }

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
