package journal_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/cmd/testkit/ownertest"
	"journal/embedded"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// records counts the messages that a log gets from the files.
type records struct {
	journal.Records
	got atomic.Int64
}

func (r *records) Read(ctx context.Context, after, until uint64, filters []string, each func(record.Record) bool) error {
	return r.Records.Read(ctx, after, until, filters, func(m record.Record) bool {
		r.got.Add(1)
		return each(m)
	})
}

// TestFilesAreTheLog: who reads the stored records gets what the server gives,
// while it stores more.
func TestFilesAreTheLog(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	_, js := newServer(t, dir)
	asked, err := journal.CreateLog(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	const n = 3000
	projects := []string{"p", "q.q", ""}
	burst(t, asked, js, n, func(i int) events.Meta {
		return events.Meta{Project: projects[i*i%3], Session: fmt.Sprint(i / 500), At: int64(i)}
	})
	files := &records{Records: embedded.Records(dir, asked.Stream())}
	read := asked.Through(files)
	rapid.Check(t, func(rt *rapid.T) {
		put(t, asked, eventstest.Wrap(t, events.TurnEnded{Text: "one more"}, events.Meta{Project: "p", Session: "0"}))
		span := events.Span{After: rapid.Uint64Range(0, n+5).Draw(rt, "after"), Until: rapid.Uint64Range(0, n+200).Draw(rt, "until")}
		sel := rapid.SampledFrom([][]events.Selector{
			nil,
			{{Project: "p", Session: "0"}, {Project: "p", Type: events.TypeOf[events.TurnEnded]()}},
			{{Project: "q.q"}, {Session: "2"}, {Project: "p", Session: "3"}},
			{{Session: "absent"}, {Project: "absent"}},
		}).Draw(rt, "selectors")
		st, err := asked.Stats(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		if span.Until == 0 {
			span.Until = st.Last
		}
		want, err := eventstest.All(asked.Events(t.Context(), span, sel...))
		if err != nil {
			rt.Fatal(err)
		}
		got, err := eventstest.All(read.Events(t.Context(), span, sel...))
		if err != nil {
			rt.Fatal(err)
		}
		if !reflect.DeepEqual(want, got) { // what differs takes far longer to find
			rt.Fatalf("(-asked +read):\n%.3000s", cmp.Diff(want, got))
		}
	})
	before := files.got.Load()
	if got, err := eventstest.All(read.Events(t.Context(), events.Span{Until: n})); err != nil || len(got) != n || files.got.Load() != before+n {
		t.Errorf("%d of %d events, %d of them from the files, error %v", len(got), n, files.got.Load()-before, err)
	}
	stored := 0
	for m, err := range read.Stored(t.Context(), events.Span{}) {
		if stored++; err != nil || m.Seq != uint64(stored) || m.ID == "" {
			t.Fatalf("%+v as number %d, error %v", m, stored, err)
		}
	}
}

// failing returns some messages and then an error.
type failing struct {
	journal.Records
	most int
}

func (r failing) Read(ctx context.Context, after, until uint64, filters []string, each func(record.Record) bool) error {
	n := 0
	err := r.Records.Read(ctx, after, until, filters, func(m record.Record) bool {
		if n++; n > r.most {
			return false
		}
		return each(m)
	})
	return errors.Join(err, errCannotGoOn)
}

var errCannotGoOn = errors.New("cannot go on")

// TestWhatFilesCannotGiveIsAsked: files that cannot be read to the end cost speed and no event.
func TestWhatFilesCannotGiveIsAsked(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	_, js := newServer(t, dir)
	l, err := journal.CreateLog(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	const n = 2500
	burst(t, l, js, n, func(i int) events.Meta { return events.Meta{Project: "p", Session: fmt.Sprint(i % 2)} })
	for _, most := range []int{0, 1, 700, n - 1} {
		for _, sel := range [][]events.Selector{nil, {{Session: "0"}, {Session: "1"}}} {
			read := l.Through(failing{embedded.Records(dir, l.Stream()), most})
			got, err := eventstest.All(read.Events(t.Context(), events.Span{}, sel...))
			if err != nil || len(got) != n || !slices.IsSorted(seqs(got)) {
				t.Errorf("after %d of the files, selectors %v: %d events, error %v", most, sel, len(got), err)
			}
		}
	}
}

// TestNobodyIsAskedOffline: without an owner, the error of a reading that failed has the reason.
func TestNobodyIsAskedOffline(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	_, js := newServer(t, dir)
	l, err := journal.CreateLog(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	prompts(t, l, 3)
	var contents journal.Contents
	for m, err := range l.Stored(t.Context(), events.Span{}) {
		if err != nil {
			t.Fatal(err)
		}
		contents.Add(m)
	}
	offline := journal.Offline(failing{embedded.Records(dir, l.Stream()), 1}, &contents)
	got, err := eventstest.All(offline.Events(t.Context(), events.Span{}))
	if !errors.Is(err, journal.ErrHole) || !errors.Is(err, errCannotGoOn) {
		t.Errorf("%v, error %v", seqs(got), err)
	}
}
