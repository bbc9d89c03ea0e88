package replay_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/replay"
)

// counted counts how often it is read.
type counted struct {
	replay.Slice
	reads int
}

func (c *counted) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	c.reads++
	return c.Slice.Events(ctx, span, sel...)
}

// told returns the sequences that a source yields.
func told(t *rapid.T, src replay.Source, span events.Span, sel []events.Selector) (all []uint64) {
	for e, err := range src.Events(context.Background(), span, sel...) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Seq)
	}
	return all
}

// TestNewestTellsWhatTheLogTells: a Newest yields what the log does, wherever it started, whatever it missed, and
// however large the events are.
func TestNewestTellsWhatTheLogTells(t *testing.T) {
	t.Parallel()
	large := bytes.Repeat([]byte("x"), 200<<10)
	rapid.Check(t, func(t *rapid.T) {
		log := drawLog(t)
		for i := range log {
			if rapid.IntRange(0, 9).Draw(t, "large") == 0 {
				log[i].Body = large
			}
		}
		newest := replay.NewNewest(log)
		for _, e := range log[rapid.IntRange(0, len(log)).Draw(t, "begun"):] {
			if rapid.IntRange(0, 19).Draw(t, "missed") > 0 {
				newest.Add(e)
			}
		}
		for range 8 {
			span := events.Span{After: uint64(rapid.IntRange(0, 60).Draw(t, "after")), Until: uint64(rapid.IntRange(0, 60).Draw(t, "until"))}
			var sel []events.Selector
			if rapid.Bool().Draw(t, "selected") {
				sel = append(sel, events.Selector{Project: "p", Session: rapid.SampledFrom([]string{"", "s", "t"}).Draw(t, "session")})
			}
			if diff := cmp.Diff(told(t, log, span, sel), told(t, newest, span, sel)); diff != "" {
				t.Fatalf("%+v %v (-log +newest):\n%s", span, sel, diff)
			}
		}
	})
}

// TestNewestIsNotRead: the newest noted events are not read from the log.
func TestNewestIsNotRead(t *testing.T) {
	t.Parallel()
	src := &counted{}
	newest := replay.NewNewest(src)
	for i := range 5000 {
		src.Slice = append(src.Slice, eventstest.Wrap(t, events.PromptSubmitted{Text: fmt.Sprint(i)}, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)}))
		newest.Add(src.Slice[i])
		for _, err := range newest.Events(t.Context(), events.Span{After: uint64(max(0, i-100)), Until: uint64(i + 1)}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if src.reads != 0 {
		t.Errorf("the log was read %d times", src.reads)
	}
}
