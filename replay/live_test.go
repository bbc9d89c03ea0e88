package replay_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
	_ "journal/projections/all"
	"journal/replay"
)

var lanes = []projections.Target{
	{Project: "p", Session: "s"}, {Project: "p", Session: "s", Lane: "a"}, {Project: "p", Session: "t"},
}

// drawLog draws a log in which the lanes take turns.
func drawLog(t *rapid.T) replay.Slice {
	var log replay.Slice
	for i := range rapid.IntRange(0, 60).Draw(t, "events") {
		lane := rapid.SampledFrom(lanes).Draw(t, "lane")
		n := rapid.IntRange(0, 9).Draw(t, "n")
		e := rapid.SampledFrom([]events.Event{
			events.PromptSubmitted{Text: fmt.Sprint("prompt ", n)},
			events.CommandRan{Command: fmt.Sprint("make ", n), Failed: n%2 == 0},
			events.FileWritten{Path: fmt.Sprint("/f", n), Op: "edit"},
			events.DecisionRecorded{Text: fmt.Sprint("decision ", n)},
			events.CompactionIntended{Trigger: "auto"},
			events.ContextRestarted{},
			events.CompactionCompleted{Summary: "s"},
			events.UsageSampled{Percent: 10 * n, Window: 1000},
			events.CompoundFinished{Promoted: n},
		}).Draw(t, "event")
		env := eventstest.Wrap(t, e, events.Meta{Project: lane.Project, Session: lane.Session, Lane: lane.Lane, At: int64(i), Seq: uint64(i + 1)})
		log = append(log, env)
	}
	return log
}

// TestLiveEqualsReplayed: a live fold equals a replay, for any lane and sequence, in any order, with evictions in
// between, under any configuration.
func TestLiveEqualsReplayed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := drawLog(t)
		folds := replay.NewFolds(log, rapid.IntRange(1, 3).Draw(t, "kept"), projections.All()...)
		for range rapid.IntRange(1, 12).Draw(t, "asks") {
			target := rapid.SampledFrom(lanes).Draw(t, "target")
			seq := uint64(rapid.IntRange(1, 60).Draw(t, "seq"))
			config := projections.Config{Pressure: projections.Thresholds{Info: rapid.SampledFrom([]int{0, 20}).Draw(t, "info")}}
			got, err := folds.At(context.Background(), target, config, seq)
			if err != nil {
				t.Fatal(err)
			}
			want := projections.NewFold(target, config, projections.All()...)
			if err := replay.Forward(context.Background(), log, want, seq); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.States(), got.States()); diff != "" {
				t.Fatalf("%v at %d (-replayed +live):\n%s", target, seq, diff)
			}
		}
	})
}

// TestGivenFoldIsOwn: a returned fold is the caller's own: moving it forward changes no other.
func TestGivenFoldIsOwn(t *testing.T) {
	t.Parallel()
	env := eventstest.Wrap(t, events.PromptSubmitted{Text: "one"}, events.Meta{Project: "p", Session: "s", Seq: 1})
	folds := replay.NewFolds(replay.Slice{env}, 4, projections.Prompts)
	first, err := folds.At(context.Background(), lanes[0], projections.Config{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	env.Seq = 2
	first.Apply(env)
	second, err := folds.At(context.Background(), lanes[0], projections.Config{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := projections.Prompts.In(first).Len(), projections.Prompts.In(second).Len(); a != 2 || b != 1 {
		t.Errorf("prompts: %d and %d, want 2 and 1", a, b)
	}
}

// failing yields some events and then an error, until it is mended.
type failing struct {
	replay.Slice
	broken bool
}

func (f *failing) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for e, err := range f.Slice.Events(ctx, span, sel...) {
			if !yield(e, err) {
				return
			}
			if f.broken {
				yield(events.Envelope{}, errors.New("torn"))
				return
			}
		}
	}
}

// TestErrorIsForgotten: a fold is dropped after an error.
func TestErrorIsForgotten(t *testing.T) {
	t.Parallel()
	src := &failing{broken: true}
	for i := range 3 {
		env := eventstest.Wrap(t, events.PromptSubmitted{Text: "x"}, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)})
		src.Slice = append(src.Slice, env)
	}
	folds := replay.NewFolds(src, 4, projections.Prompts)
	if _, err := folds.At(context.Background(), lanes[0], projections.Config{}, 3); err == nil {
		t.Fatal("no error from a torn source")
	}
	src.broken = false
	f, err := folds.At(context.Background(), lanes[0], projections.Config{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if n := projections.Prompts.In(f).Len(); n != 3 {
		t.Errorf("%d prompts, want 3", n)
	}
}

func TestConcurrentAskers(t *testing.T) {
	t.Parallel()
	var log replay.Slice
	for i := range 200 {
		env := eventstest.Wrap(t, events.PromptSubmitted{Text: "x"}, events.Meta{Project: "p", Session: lanes[i%3].Session, Lane: lanes[i%3].Lane, Seq: uint64(i + 1)})
		log = append(log, env)
	}
	folds := replay.NewFolds(log, 2, projections.Prompts)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for seq := uint64(1); seq <= 200; seq += 7 {
				f, err := folds.At(context.Background(), lanes[i%3], projections.Config{}, seq)
				if err != nil {
					t.Error(err)
					return
				}
				want := (int(seq) + 2 - i%3) / 3
				if got := projections.Prompts.In(f).Len(); got != want {
					t.Errorf("lane %d at %d: %d prompts, want %d", i%3, seq, got, want)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestPeek: Peek returns a copy of the cached fold and moves nothing; the least recently used lane is evicted.
func TestPeek(t *testing.T) {
	t.Parallel()
	var log replay.Slice
	for i := range 9 {
		lane := lanes[i%3]
		log = append(log, eventstest.Wrap(t, events.PromptSubmitted{Text: "x"}, events.Meta{Project: "p", Session: lane.Session, Lane: lane.Lane, Seq: uint64(i + 1)}))
	}
	folds := replay.NewFolds(log, 2, projections.Prompts)
	config := projections.Config{Pressure: projections.Thresholds{Info: 20}}
	kept := func(want ...int) {
		t.Helper()
		for i, lane := range lanes {
			f, c, ok := folds.Peek(lane)
			switch {
			case ok != (want[i] > 0) || (f != nil) != ok:
				t.Errorf("lane %d: kept %v, fold %v, want one of %d prompts", i, ok, f, want[i])
			case ok && (projections.Prompts.In(f).Len() != want[i] || !c.Equal(config)):
				t.Errorf("lane %d: %d prompts under %v, want %d", i, projections.Prompts.In(f).Len(), c, want[i])
			case ok: // the caller's own copy
				f.Apply(log[i])
			}
		}
	}
	ask := func(lane int, seq uint64) {
		t.Helper()
		if _, err := folds.At(t.Context(), lanes[lane], config, seq); err != nil {
			t.Fatal(err)
		}
	}
	kept(0, 0, 0)
	ask(0, 4)
	kept(2, 0, 0)
	ask(1, 5)
	kept(2, 2, 0)
	ask(0, 9)
	kept(3, 2, 0)
	ask(2, 3)
	kept(3, 0, 1)
	ask(1, 9)
	kept(0, 3, 1)

	src := &failing{Slice: log, broken: true}
	folds = replay.NewFolds(src, 2, projections.Prompts)
	if _, err := folds.At(t.Context(), lanes[0], config, 9); err == nil {
		t.Fatal("no error from a torn source")
	}
	kept(0, 0, 0)
}

// read counts the events that a source yielded.
type read struct {
	replay.Slice
	events int
}

func (r *read) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for e, err := range r.Slice.Events(ctx, span, sel...) {
			r.events++
			if !yield(e, err) {
				return
			}
		}
	}
}

// TestReadsWhatIsNew: a cached fold reads only new events. Another configuration, and an earlier sequence, are folded
// anew; the latter keeps the cached fold.
func TestReadsWhatIsNew(t *testing.T) {
	t.Parallel()
	src := &read{}
	for i := range 10 {
		src.Slice = append(src.Slice, eventstest.Wrap(t, events.PromptSubmitted{Text: "x"}, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)}))
	}
	folds := replay.NewFolds(src, 2, projections.Prompts)
	other := projections.Config{Pressure: projections.Thresholds{Info: 20}}
	for i, ask := range []struct {
		config projections.Config
		seq    uint64
		reads  int
	}{{seq: 4, reads: 4}, {seq: 9, reads: 5}, {seq: 9}, {seq: 3, reads: 3}, {seq: 10, reads: 1}, {config: other, seq: 10, reads: 10}} {
		src.events = 0
		f, err := folds.At(t.Context(), lanes[0], ask.config, ask.seq)
		if err != nil {
			t.Fatal(err)
		}
		if n := projections.Prompts.In(f).Len(); n != int(ask.seq) || src.events != ask.reads {
			t.Errorf("ask %d: %d prompts out of %d events, want %d out of %d", i, n, src.events, ask.seq, ask.reads)
		}
	}
}
