package journal_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/replay"
)

// damaged is a log of which events can be taken away, which nothing but damage
// does to a real one, and its stream.
func damaged(t testing.TB) (*journal.Log, jetstream.JetStream) {
	t.Helper()
	_, js := newServer(t, ownertest.Dir(t))
	_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: "JOURNAL_1", Subjects: []string{"journal.>"}, AllowDirect: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := journal.OpenLog(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	return l, js
}

func remove(t testing.TB, l *journal.Log, js jetstream.JetStream, seq uint64) {
	t.Helper()
	s, err := js.Stream(t.Context(), l.Stream())
	if err == nil {
		err = s.DeleteMsg(t.Context(), seq)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestEventsIsTheModel reads spans and selectors of all shapes and compares with
// what a filter over a slice gives.
func TestEventsIsTheModel(t *testing.T) {
	t.Parallel()
	l, nc := newLog(t)
	projects, sessions := []string{"p", "q.q", ""}, []string{"a", "b", "", "세션"}
	kinds := []events.Event{events.TurnEnded{}, events.PromptSubmitted{}, events.CommandRan{}}
	var model replay.Slice
	for i := range 120 {
		// A walk through all combinations that no period of the names divides.
		m := events.Meta{Project: projects[i*i%3], Session: sessions[i*7%11%4], At: int64(i)}
		model = append(model, put(t, l, eventstest.Wrap(t, kinds[i*i%5%3], m)))
	}
	last := uint64(len(model))

	selector := rapid.Custom(func(t *rapid.T) events.Selector {
		return events.Selector{
			Project: rapid.SampledFrom([]string{"", "", "p", "q.q", events.None, "absent"}).Draw(t, "project"),
			Session: rapid.SampledFrom([]string{"", "", "a", "b", events.None, "세션"}).Draw(t, "session"),
			Type: rapid.SampledFrom([]events.Type{
				"", "", events.TypeOf[events.TurnEnded](), events.TypeOf[events.PromptSubmitted](),
				events.TypeOf[events.CommandRan](), "not.declared",
			}).Draw(t, "type"),
		}
	})
	before := nc.NumSubscriptions()
	rapid.Check(t, func(t *rapid.T) {
		span := events.Span{
			After: rapid.Uint64Range(0, last+2).Draw(t, "after"),
			Until: rapid.Uint64Range(0, last+3).Draw(t, "until"),
		}
		sel := rapid.SliceOfN(selector, 0, 4).Draw(t, "selectors")
		want, err := eventstest.All(model.Events(context.Background(), span, sel...))
		if err != nil {
			t.Fatal(err)
		}
		got, err := eventstest.All(l.Events(context.Background(), span, sel...))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("(-model +log):\n%s", d)
		}

		// A reader that leaves early got a beginning of it.
		stop := rapid.IntRange(1, 4).Draw(t, "stop")
		var some []uint64
		for e, err := range l.Events(context.Background(), span, sel...) {
			if err != nil {
				t.Fatal(err)
			}
			if some = append(some, e.Seq); len(some) == stop {
				break
			}
		}
		if !slices.Equal(some, seqs(want)[:min(stop, len(want))]) {
			t.Fatalf("stopped after %d: got %v", stop, some)
		}
	})
	if after := nc.NumSubscriptions(); after != before {
		t.Errorf("%d subscriptions before reading, %d after", before, after)
	}
}

func TestManyBatches(t *testing.T) {
	t.Parallel()
	l, js := damaged(t) // its server need not sync every event
	const n = 2500
	burst(t, l, js, n, func(i int) events.Meta { return events.Meta{Project: "p", Session: fmt.Sprint(i % 2)} })
	for name, c := range map[string]struct {
		span events.Span
		sel  []events.Selector
		want int
	}{
		"all":                  {events.Span{}, nil, n},
		"exactly one batch":    {events.Span{Until: 1000}, nil, 1000},
		"one more":             {events.Span{Until: 1001}, nil, 1001},
		"two batches":          {events.Span{After: 500}, nil, 2000},
		"half":                 {events.Span{}, []events.Selector{{Session: "1"}}, n / 2},
		"halves side by side":  {events.Span{}, []events.Selector{{Session: "1"}, {Session: "0"}}, n},
		"a filter of one more": {events.Span{After: 499}, []events.Selector{{Session: "0"}}, 1000},
		"overlapping":          {events.Span{}, []events.Selector{{Session: "1"}, {Project: "p"}, {}}, n},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := eventstest.All(l.Events(t.Context(), c.span, c.sel...))
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != c.want {
				t.Fatalf("%d events, want %d", len(got), c.want)
			}
			if !slices.IsSortedFunc(got, func(a, b events.Envelope) int { return int(a.Seq) - int(b.Seq) }) {
				t.Error("out of order")
			}
			if u := slices.Compact(seqs(got)); len(u) != len(got) {
				t.Errorf("%d events twice", len(got)-len(u))
			}
		})
	}
}

// TestLargeEventsComeInSmallerBatches: the server ends a batch before it is too
// large; the reader asks for the rest.
func TestLargeEventsComeInSmallerBatches(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	text := strings.Repeat("x", 400<<10)
	const n = 25 // 10 MB, more than two batches
	for range n {
		put(t, l, eventstest.Wrap(t, events.PromptSubmitted{Text: text}, events.Meta{Session: "s"}))
	}
	for _, sel := range [][]events.Selector{nil, {{Session: "s"}}} {
		got, err := eventstest.All(l.Events(t.Context(), events.Span{}, sel...))
		if err != nil || len(got) != n {
			t.Errorf("selectors %v: %d events, error %v; want %d", sel, len(got), err, n)
		}
	}
}

func TestEmptyLog(t *testing.T) {
	t.Parallel()
	l, nc := newLog(t)
	before := nc.NumSubscriptions()
	for _, span := range []events.Span{{}, {After: 3}, {Until: 9}, {After: 5, Until: 2}} {
		for _, sel := range [][]events.Selector{nil, {{}}, {{Project: "p"}, {Session: "s"}}} {
			if got, err := eventstest.All(l.Events(t.Context(), span, sel...)); err != nil || len(got) != 0 {
				t.Errorf("span %v, selectors %v: %d events, error %v", span, sel, len(got), err)
			}
		}
	}
	if after := nc.NumSubscriptions(); after != before {
		t.Errorf("%d subscriptions before reading, %d after", before, after)
	}
}

func TestCancelEndsReading(t *testing.T) {
	t.Parallel()
	l, js := damaged(t)
	burst(t, l, js, 3000, func(int) events.Meta { return events.Meta{Project: "p", Session: "s"} })
	for name, sel := range map[string][]events.Selector{"scan": nil, "merge": {{Project: "p"}, {Session: "s"}}} {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		var last error
		for _, err := range l.Events(ctx, events.Span{Until: 3000}, sel...) {
			last = err
			if n++; n == 3 {
				cancel()
			}
		}
		cancel()
		testutil.WantError(t, last, context.Canceled)
		if n >= 3000 {
			t.Errorf("%s: read to the end", name)
		}
	}
}

// TestHole: a reader of the whole log gets an error for a missing sequence; a reader
// of selected events gets those that exist.
func TestHole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		missing []uint64
		span    events.Span
		want    []uint64 // before the error
		text    string   // of the error; empty for none
	}{
		"in the middle":       {[]uint64{3}, events.Span{}, []uint64{1, 2}, "3 to 3"},
		"several":             {[]uint64{3, 4}, events.Span{}, []uint64{1, 2}, "3 to 4"},
		"at the beginning":    {[]uint64{1}, events.Span{}, nil, "1 to 1"},
		"at the end":          {[]uint64{6}, events.Span{}, []uint64{1, 2, 3, 4, 5}, "6 to 6"},
		"at the end of it":    {[]uint64{4, 5}, events.Span{Until: 4}, []uint64{1, 2, 3}, "4 to"},
		"all of the span":     {[]uint64{4, 5}, events.Span{After: 3, Until: 5}, nil, "4 to 5"},
		"before what is read": {[]uint64{2}, events.Span{After: 2}, []uint64{3, 4, 5, 6}, ""},
		"after what is read":  {[]uint64{5}, events.Span{Until: 4}, []uint64{1, 2, 3, 4}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, js := damaged(t)
			prompts(t, l, 6)
			for _, seq := range c.missing {
				remove(t, l, js, seq)
			}
			ctx, cancel := context.WithTimeout(t.Context(), testutil.Patience)
			defer cancel()
			got, err := eventstest.All(l.Events(ctx, c.span))
			if c.text == "" && err != nil {
				t.Fatal(err)
			}
			if c.text != "" {
				testutil.WantError(t, err, journal.ErrHole)
				if !strings.Contains(err.Error(), c.text) {
					t.Errorf("%q does not say %q", err, c.text)
				}
			}
			if !slices.Equal(seqs(got), append([]uint64{}, c.want...)) {
				t.Errorf("read %v, want %v", seqs(got), c.want)
			}

			one, err := eventstest.All(l.Events(ctx, c.span, events.Selector{Session: "s"}))
			if err != nil {
				t.Errorf("reading a session: %v", err)
			}
			for _, e := range one {
				if slices.Contains(c.missing, e.Seq) {
					t.Errorf("seq %d is back", e.Seq)
				}
			}
		})
	}
}

// TestMarksAreSelected: selectors of every event and of marks select the marks of removed events also if the server is asked.
func TestMarksAreSelected(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	prompts(t, l, 1)
	if _, err := l.StoreBatch(t.Context(), []record.Record{{Subject: record.Forgotten}}); err != nil {
		t.Fatal(err)
	}
	for _, sel := range []events.Selector{{}, {Type: events.TypeOf[events.LogForgotten]()}} {
		got, err := eventstest.All(l.Events(t.Context(), events.Span{}, sel))
		if err != nil || len(got) == 0 || got[len(got)-1].Seq != 2 {
			t.Errorf("selector %+v: events %v, error %v", sel, seqs(got), err)
		}
	}
}

func TestGarbageIsAnErrorWithItsPlace(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]string{
		"empty":             "",
		"not msgpack":       "\xc1\xc1",
		"text":              "hello",
		"no envelope":       "\x80",
		"huge announcement": "\xdd\xff\xff\xff\xff",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, js := damaged(t)
			prompts(t, l, 2)
			garbage(t, js, b)
			prompts(t, l, 1)
			for _, sel := range [][]events.Selector{nil, {{Project: "p"}}, {{Project: "p"}, {Session: "s"}}} {
				got, err := eventstest.All(l.Events(t.Context(), events.Span{}, sel...))
				testutil.WantError(t, err, events.ErrMalformed)
				if len(got) != 2 || !strings.Contains(err.Error(), "seq 3") {
					t.Errorf("selectors %v: %d events, then %q; want 2, and seq 3 named", sel, len(got), err)
				}
				var noted []string
				got, err = eventstest.All(l.PastMalformed(func(err error) { noted = append(noted, err.Error()) }).Events(t.Context(), events.Span{}, sel...))
				if err != nil || !slices.Equal(seqs(got), []uint64{1, 2, 4}) || len(noted) != 1 || !strings.Contains(noted[0], "seq 3") {
					t.Errorf("selectors %v, past it: %v, error %v, noted %q", sel, seqs(got), err, noted)
				}
				for e, err := range l.Events(t.Context(), events.Span{}, sel...) {
					if err != nil && (e.Seq != 3 || e.Project != "p" || e.Session != "s" || e.Type != "prompt.submitted") {
						t.Errorf("selectors %v: the error is of %+v", sel, e.Meta)
					}
				}
			}
		})
	}
}

// TestGuestsStoreNoEvents: a guest of the server can have an answer stored in
// the log. It has no message id, or not that of what it holds.
func TestGuestsStoreNoEvents(t *testing.T) {
	t.Parallel()
	l, js := damaged(t)
	prompts(t, l, 1)
	b, err := events.Encode(eventstest.Wrap(t, events.TurnEnded{}, events.Meta{Project: "p", Session: "s"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range [][]jetstream.PublishOpt{nil, {jetstream.WithMsgID("other")}} {
		if _, err := js.Publish(t.Context(), "journal.p.s.turn.ended", b, o...); err != nil {
			t.Fatal(err)
		}
	}
	prompts(t, l, 1)
	want := []uint64{1, 4}
	for _, sel := range [][]events.Selector{nil, {{Session: "s"}}} {
		got, err := eventstest.All(l.Events(t.Context(), events.Span{}, sel...))
		if err != nil || !slices.Equal(seqs(got), want) {
			t.Errorf("selectors %v: read %v, error %v; want %v", sel, seqs(got), err, want)
		}
		var followed []uint64
		for e, err := range l.Follow(t.Context(), 0, sel...) {
			if err != nil {
				t.Fatal(err)
			}
			if followed = append(followed, e.Seq); len(followed) == len(want) {
				break
			}
		}
		if !slices.Equal(followed, want) {
			t.Errorf("selectors %v: followed %v, want %v", sel, followed, want)
		}
	}
}
