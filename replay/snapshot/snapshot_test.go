package snapshot_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/snapshot"
)

// drawLog draws what two sessions did in turn.
func drawLog(t *rapid.T) replay.Slice {
	var log replay.Slice
	for i := range rapid.IntRange(1, 40).Draw(t, "events") {
		n := rapid.IntRange(0, 9).Draw(t, "n")
		e := rapid.SampledFrom([]events.Event{
			events.SessionStarted{Source: "startup"},
			events.PromptSubmitted{Text: fmt.Sprint("wish ", n)},
			events.CommandRan{Command: fmt.Sprint("make ", n), Failed: n%2 == 0, Error: "no rule"},
			events.FileWritten{Path: fmt.Sprint("/src/", n), Op: "edit"},
			events.DecisionRecorded{Text: fmt.Sprint("decision ", n)},
			events.CompactionIntended{Trigger: "auto"},
			events.ContextRestarted{},
			events.CompactionCompleted{Summary: "s"},
			events.UsageSampled{Percent: 10 * n, Window: 1000},
		}).Draw(t, "event")
		env, err := events.Wrap(e, events.Meta{
			ID: fmt.Sprint(i), Project: "p", Session: rapid.SampledFrom([]string{"s", "t"}).Draw(t, "session"), At: int64(i),
		})
		if err != nil {
			t.Fatal(err)
		}
		env.Seq = uint64(i + 1)
		log = append(log, env)
	}
	return log
}

func forward(t rapid.TB, log replay.Slice, f *projections.Fold, until int) {
	t.Helper()
	if until > 0 {
		if err := replay.Forward(context.Background(), log, f, uint64(until)); err != nil {
			t.Fatal(err)
		}
	}
}

var target = projections.Target{Project: "p", Session: "s"}

// A snapshot at any cut and what came after it are the whole log, for every
// declared projection by itself and for all together (DECISIONS 2.5).
func TestSnapshotAndTailAreTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := drawLog(t)
		config := projections.Config{Pressure: projections.Thresholds{Info: rapid.SampledFrom([]int{0, 20}).Draw(t, "info")}}
		first := projections.NewFold(target, config, projections.All()...)
		forward(t, log, first, rapid.IntRange(0, len(log)).Draw(t, "cut"))
		b, err := snapshot.Encode(first, config, snapshot.Place{Stream: "J", Seq: first.Seq(), Record: "r"})
		if err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, ps := range append(singly(), projections.All()) {
			f, err := s.Fold(ps...)
			if err != nil {
				t.Fatal(err)
			}
			forward(t, log, f, len(log))
			whole := projections.NewFold(target, config, ps...)
			forward(t, log, whole, len(log))
			for name, want := range whole.States() {
				changes, err := replay.Diff(want, f.States()[name])
				if err != nil || len(changes) > 0 {
					t.Fatalf("%s: %v, error %v", name, changes, err)
				}
			}
			if whole.Count() != f.Count() || whole.Last() != f.Last() {
				t.Fatalf("%d events up to %v, want %d up to %v", f.Count(), f.Last(), whole.Count(), whole.Last())
			}
		}
	})
}

func singly() (all [][]projections.Projection) {
	for _, p := range projections.All() {
		all = append(all, []projections.Projection{p})
	}
	return all
}

func encoded(t *testing.T, at snapshot.Place) []byte {
	t.Helper()
	env, err := events.Wrap(events.PromptSubmitted{Text: "one"}, events.Meta{Project: "p", Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	env.Seq = 7
	f := projections.NewFold(target, projections.Config{}, projections.All()...)
	if err := f.Apply(env); err != nil {
		t.Fatal(err)
	}
	b, err := snapshot.Encode(f, projections.Config{}, at)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Whatever part of it is lost or changed, it is not used.
func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	place := snapshot.Place{Stream: "J", Seq: 7, Record: "r"}
	good := encoded(t, place)
	s, err := snapshot.Decode(good)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(place, s.Place); diff != "" || s.Target != target {
		t.Errorf("of %v, place (-want +got):\n%s", s.Target, diff)
	}
	unusable := func(what string, b []byte) {
		if _, err := snapshot.Decode(b); !errors.Is(err, snapshot.ErrUnusable) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	for i := range good {
		unusable(fmt.Sprint("the first bytes: ", i), good[:i])
		changed := append([]byte(nil), good...)
		changed[i] ^= 1 << (i % 8)
		unusable(fmt.Sprint("a bit of byte ", i), changed)
	}
	unusable("more", append(good[:len(good):len(good)], 0))
}

// A place that is not the fold's is no place.
func TestPlaceIsTheFolds(t *testing.T) {
	t.Parallel()
	s, err := snapshot.Decode(encoded(t, snapshot.Place{Stream: "J", Seq: 6, Record: "r"}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fold(projections.Prompts); !errors.Is(err, snapshot.ErrUnusable) {
		t.Errorf("error %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("journal snapshot 1\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := snapshot.Decode(b); err != nil && !errors.Is(err, snapshot.ErrUnusable) {
			t.Errorf("error %v", err)
		}
	})
}
