package replay_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
	_ "journal/projections/all"
	"journal/replay"
	"journal/replay/recovery"
)

// mixed is a log of two projects, two sessions and two types.
func mixed(t *testing.T) replay.Slice {
	t.Helper()
	var log replay.Slice
	for i, m := range []events.Meta{
		{Project: "p", Session: "s"}, {Project: "p", Session: "s"}, {Project: "p", Session: "t"}, {Project: "q", Session: "s"},
		{Project: "p", Session: "s"}, {Project: "q", Session: "u"},
	} {
		m.Seq, m.At = uint64(i+1), int64(i)
		if i%2 == 0 {
			log = append(log, eventstest.Wrap(t, events.PromptSubmitted{Text: fmt.Sprint(i)}, m))
		} else {
			log = append(log, eventstest.Wrap(t, events.CompoundFinished{Promoted: i}, m))
		}
	}
	return log
}

func sequences(t *testing.T, src replay.Source, span events.Span, sel ...events.Selector) []uint64 {
	t.Helper()
	var all []uint64
	for e, err := range src.Events(context.Background(), span, sel...) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Seq)
	}
	return all
}

func TestSlice(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		span events.Span
		sel  []events.Selector
		want []uint64
	}{
		{"all", events.Span{}, nil, []uint64{1, 2, 3, 4, 5, 6}},
		{"after", events.Span{After: 4}, nil, []uint64{5, 6}},
		{"until", events.Span{Until: 2}, nil, []uint64{1, 2}},
		{"between", events.Span{After: 2, Until: 4}, nil, []uint64{3, 4}},
		{"beyond", events.Span{After: 6}, nil, nil},
		{"a session", events.Span{}, []events.Selector{{Project: "p", Session: "s"}}, []uint64{1, 2, 5}},
		{"a type of a project", events.Span{}, []events.Selector{{Project: "q", Type: "compound.finished"}}, []uint64{4, 6}},
		{"a type", events.Span{After: 1}, []events.Selector{{Type: "prompt.submitted"}}, []uint64{3, 5}},
		{"several that overlap, each event once", events.Span{}, []events.Selector{{Project: "p", Session: "s"}, {Project: "p"}, {Session: "s"}}, []uint64{1, 2, 3, 4, 5}},
		{"nothing", events.Span{}, []events.Selector{{Project: "r"}}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := sequences(t, mixed(t), tc.span, tc.sel...); !slices.Equal(got, tc.want) {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
}

func TestSliceStops(t *testing.T) {
	t.Parallel()
	n := 0
	for range mixed(t).Events(context.Background(), events.Span{}) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d events, want 2", n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n = 0
	var last error
	for _, err := range mixed(t).Events(ctx, events.Span{}) {
		n++
		last = err
		cancel()
	}
	if n != 2 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d yields, the last with %v; want an event and the end of the context", n, last)
	}
}

// broken is a source that fails after some events.
type broken struct {
	replay.Slice
	err error
}

func (b broken) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for e, err := range b.Slice.Events(ctx, span, sel...) {
			if !yield(e, err) {
				return
			}
		}
		yield(events.Envelope{}, b.err)
	}
}

func texts(f *projections.Fold) []string {
	var all []string
	for p := range projections.Prompts.In(f).All() {
		all = append(all, p.Text)
	}
	return all
}

// TestForward: Forward moves to a sequence and from there to another, and not beyond.
func TestForward(t *testing.T) {
	t.Parallel()
	log := logOf(t, events.PromptSubmitted{Text: "a"}, events.PromptSubmitted{Text: "b"}, events.TurnEnded{}, events.PromptSubmitted{Text: "c"})
	f := projections.NewFold(target, projections.Config{}, projections.Prompts)
	for _, step := range []struct {
		until uint64
		want  []string
		seq   uint64
	}{
		{1, []string{"a"}, 1},
		{1, []string{"a"}, 1},
		{3, []string{"a", "b"}, 3},
		{0, []string{"a", "b", "c"}, 4},
		{0, []string{"a", "b", "c"}, 4},
	} {
		if err := replay.Forward(context.Background(), log, f, step.until); err != nil {
			t.Fatal(err)
		}
		if got := texts(f); !slices.Equal(got, step.want) || f.Seq() != step.seq {
			t.Errorf("until %d: %v at %d, want %v at %d", step.until, got, f.Seq(), step.want, step.seq)
		}
	}
}

// TestForwardSelectsEnough: a fold that is moved by a source gets all events that it reads, in every scope, and ends in
// the same state as with all events.
func TestForwardSelectsEnough(t *testing.T) {
	t.Parallel()
	log := mixed(t)
	for i, e := range []events.Event{
		events.SessionStarted{Source: "startup"}, events.DecisionRecorded{Text: "d"}, events.PortTicked{Port: "x", Item: "y"},
	} {
		for j, m := range []events.Meta{{Project: "p", Session: "t"}, {Project: "q", Session: "u"}, {Project: "p", Session: "s", Lane: "a"}} {
			m.Seq = uint64(10 + 3*i + j)
			log = append(log, eventstest.Wrap(t, e, m))
		}
	}
	for _, p := range projections.All() {
		given := projections.NewFold(target, projections.Config{}, p)
		for _, e := range log {
			given.Apply(e)
		}
		read := projections.NewFold(target, projections.Config{}, p)
		if err := replay.Forward(context.Background(), log, read, 0); err != nil {
			t.Fatal(err)
		}
		if changes, err := replay.Diff(given.States()[p.Name()], read.States()[p.Name()]); err != nil || len(changes) > 0 {
			t.Errorf("%s: %v, error %v", p.Name(), changes, err)
		}
	}
}

// TestForwardErrors: on an error the fold is as before the event that caused it, and can continue.
func TestForwardErrors(t *testing.T) {
	t.Parallel()
	log := logOf(t, events.PromptSubmitted{Text: "a"}, events.PromptSubmitted{Text: "b"})
	cause := errors.New("disk on fire")
	f := projections.NewFold(target, projections.Config{}, projections.Prompts)
	err := replay.Forward(context.Background(), broken{log, cause}, f, 0)
	if !errors.Is(err, cause) || err.Error() != "replay: disk on fire" {
		t.Errorf("error %v", err)
	}
	if f.Seq() != 2 {
		t.Errorf("stands at %d, want 2", f.Seq())
	}

	bad := slices.Clone(log)
	bad[1].Body = events.Raw{0x81, 0xa4, 't', 'e', 'x', 't', 0x90}
	f = projections.NewFold(target, projections.Config{}, projections.Prompts)
	if err := replay.Forward(context.Background(), bad, f, 0); err != nil || f.Seq() != 2 || !slices.Equal(texts(f), []string{"a"}) {
		t.Errorf("an event that does not fit its type: error %v, at %d with %v", err, f.Seq(), texts(f))
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := recovery.Replayed(ctx, log, target, projections.Config{}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the end of the context", err)
	}
}

// TestBefore: a time selects the events before the session's first event whose own time is later, in whatever order the
// times are (ADR-0021 rule 3).
func TestBefore(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(minute int, m events.Meta) events.Envelope {
		m.Project, m.At = "p", noon.Add(time.Duration(minute)*time.Minute).UnixNano()
		if m.Session == "" {
			m.Session = "s"
		}
		return eventstest.Wrap(t, events.TurnEnded{}, m)
	}
	log := replay.Slice{
		at(0, events.Meta{Seq: 1}),
		at(50, events.Meta{Seq: 2, Session: "t"}), // another session's clock
		at(2, events.Meta{Seq: 3}),
		at(40, events.Meta{Seq: 4, EchoOf: 3}), // a second report, late
		at(5, events.Meta{Seq: 5}),
		at(3, events.Meta{Seq: 6, Lane: "a"}), // out of order
		at(9, events.Meta{Seq: 7}),
		at(4, events.Meta{Seq: 8}),
	}
	for _, tc := range []struct {
		minute int
		last   uint64
		want   uint64
	}{
		{-1, 8, 0}, {0, 8, 2}, {1, 8, 2}, {2, 8, 4}, {4, 8, 4}, {5, 8, 6}, {8, 8, 6}, {9, 8, 8}, {30, 8, 8}, {30, 5, 5}, {3, 3, 3},
	} {
		got, err := replay.Before(context.Background(), log, target, noon.Add(time.Duration(tc.minute)*time.Minute), tc.last)
		if err != nil || got != tc.want {
			t.Errorf("minute %d of the first %d: %d (%v), want %d", tc.minute, tc.last, got, err, tc.want)
		}
	}
	if got, err := replay.Before(context.Background(), replay.Slice{}, target, noon, 0); got != 0 || err != nil {
		t.Errorf("of the empty log: %d, %v", got, err)
	}
	cause := errors.New("disk on fire")
	if _, err := replay.Before(context.Background(), broken{err: cause}, target, noon, 8); !errors.Is(err, cause) {
		t.Errorf("error %v, want %v", err, cause)
	}
}
