// Package timeline derives the course of a session from the log: the use of its context, and its main events.
//
// A History keeps one lane of a session ready to be browsed: its events, its timeline, and folds at some of its events. From these
// the state at any other event is quick to compute. It is in memory only, and its states are those of a replay (ADR-0022).
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
	Events      int    // number of events of the session, of all lanes, without echoes
	CompactsAt  int    // as in PressureState.CompactsAt
	Points      []Point
	Marks       []Mark
	Subagents   []Subagent // of the main lane, in the order of their first events; a subagent's timeline has none
}

// Point is the usage of the context from an event on.
type Point struct {
	Seq     uint64
	Place   int   // index of the newest event of the session up to Seq, without echoes, from 0; 0 if there is none
	Percent int   // usage of the window, 0 to 100; 0 without a window
	Tokens  int64 // 0 if only the percentage is known
	Window  int64 // size of the window in tokens, 0 if unknown
}

// The kinds of Mark.
const (
	Prompt     = "prompt"     // a prompt of a person; Text is its beginning
	Phase      = "phase"      // a change of a skill's phase; Text names skill and phase
	Compound   = "compound"   // working notes were promoted
	Compaction = "compaction" // Text is auto or manual, empty if unknown
	Notice     = "notice"     // a notice about the use of the context; Text is the level
	Cleared    = "cleared"    // the client dropped a part of the context without a compaction; Text is the number of tokens
	Rewind     = "rewind"     // the person took back a part; Text has its first and last event
	Failure    = "failure"    // a failure; Text is the text that Failed returns
)

// Mark is an event that a timeline shows.
type Mark struct {
	Kind  string
	Seq   uint64
	Place int   // as in Point
	At    int64 // ns since 1970 UTC
	Text  string
}

// Subagent is a lane that the main lane started.
type Subagent struct {
	Lane, Type  string // its lane, and its type as the client calls it, empty if unknown
	First, Last uint64 // sequences of its first and last event
	From, To    int    // places of these two events, as in Point
	Ended       bool   // its newest start or end is an end
}

// Of returns the timeline of one lane of a session up to and including until; 0 is the end of the log.
func Of(ctx context.Context, src replay.Source, t projections.Target, c projections.Config, until uint64) (Timeline, error) {
	w := Watch(projections.NewFold(t, c, Needs()...))
	for e, err := range src.Events(ctx, events.Span{Until: until}, replay.Selectors(w.fold)...) {
		if err != nil {
			return Timeline{}, fmt.Errorf("timeline: %w", err)
		}
		if err := w.Apply(ctx, src, e); err != nil {
			return Timeline{}, fmt.Errorf("timeline: %w", err)
		}
	}
	return w.Timeline(), nil
}

// withWindows returns a copy of the points. Points before the first known window get that window, so that all have one scale.
func withWindows(points []Point) []Point {
	known := slices.IndexFunc(points, func(p Point) bool { return p.Window > 0 })
	points = slices.Clone(points)
	for i := range max(known, 0) {
		if p := &points[i]; p.Tokens <= points[known].Window { // a point with more tokens had another window
			p.Window = points[known].Window
			p.Percent = projections.PercentOf(p.Tokens, p.Window)
		}
	}
	return points
}
