package rebuild_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/embedded/rebuild"
	"journal/embedded/store/archive"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// world is a journal directory without an owner, with the events that were stored in it.
type world struct {
	t    testing.TB
	dir  string
	lock *ownership.Lock
	all  []record.Record     // by sequence, from 1
	js   jetstream.JetStream // while the log is open
}

// newWorld stores events in a log, all but some at the end also in its archive, and stops cleanly.
func newWorld(t testing.TB, unarchived int, es ...events.Envelope) *world {
	t.Helper()
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "j")}
	w.own()
	for _, e := range es {
		b, err := events.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		w.all = append(w.all, record.Record{Subject: journal.Subject(e.Meta), ID: e.ID, Data: b})
	}
	w.open(func(l *journal.Log) {
		for part := range slices.Chunk(w.all, 20) {
			if _, err := l.StoreBatch(t.Context(), part); err != nil {
				t.Fatal(err)
			}
		}
	})
	w.writeHead(len(es))
	w.archive(len(es) - unarchived)
	return w
}

// damageArchive changes a bit of the first of the archive's segments.
func (w *world) damageArchive() {
	w.t.Helper()
	segments, err := filepath.Glob(w.path("archive", "*.zst"))
	if err != nil || len(segments) < 2 {
		w.t.Fatal(segments, err)
	}
	b, err := os.ReadFile(segments[0])
	if err != nil {
		w.t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(segments[0], b, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// duplicate returns a copy of the directory.
func (w *world) duplicate(t testing.TB) *world {
	t.Helper()
	d := &world{t: t, dir: filepath.Join(t.TempDir(), "j"), all: slices.Clone(w.all)}
	if err := os.CopyFS(d.dir, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
	d.own()
	return d
}

// own takes the directory's lock until the test ends.
func (w *world) own() {
	w.t.Helper()
	if err := ownership.Prepare(w.dir); err != nil {
		w.t.Fatal(err)
	}
	lock, err := ownership.TryLock(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	w.lock = lock
	w.t.Cleanup(func() { lock.Release() })
}

// open runs f on the log as its owner.
func (w *world) open(f func(*journal.Log)) {
	w.t.Helper()
	s, err := embedded.Own(w.t.Context(), w.lock, embedded.Options{Grace: time.Millisecond})
	if err != nil {
		w.t.Fatal(err)
	}
	js, err := jetstream.New(s.Conn())
	if err != nil {
		w.t.Fatal(err)
	}
	w.js = js
	l, err := journal.CreateLog(w.t.Context(), js)
	if err != nil {
		w.t.Fatal(err)
	}
	f(l)
	if err := s.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// archive writes the first n messages to an archive.
func (w *world) archive(n int) {
	w.t.Helper()
	a, err := archive.Open(w.path("archive"), archive.Options{SegmentBytes: 4 << 20})
	if err != nil {
		w.t.Fatal(err)
	}
	for i, m := range w.all[:n] {
		if err := a.Append(record.Record{Seq: uint64(i + 1), Subject: m.Subject, ID: m.ID, Data: m.Data}); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) writeHead(n int) {
	w.t.Helper()
	if err := os.WriteFile(w.path("head"), []byte(strconv.Itoa(n)+"\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) path(names ...string) string {
	return filepath.Join(append([]string{w.dir}, names...)...)
}

// stream returns the directory of the log's stream.
func (w *world) stream() string {
	w.t.Helper()
	found, err := filepath.Glob(w.path("store", "jetstream", "*", "streams", "JOURNAL_*"))
	if err != nil || len(found) != 1 {
		w.t.Fatalf("streams %q, error %v; want one", found, err)
	}
	return found[0]
}

// blocks returns the block files of the log, oldest first.
func (w *world) blocks() []string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.stream(), "msgs", "*.blk"))
	if err != nil || len(found) == 0 {
		w.t.Fatalf("blocks %q, error %v", found, err)
	}
	slices.SortFunc(found, func(a, b string) int { return number(a) - number(b) })
	return found
}

func number(block string) int {
	n, _ := strconv.Atoi(strings.TrimSuffix(filepath.Base(block), ".blk"))
	return n
}

// flip changes one byte of the stored data of an event.
func (w *world) flip(seq int) {
	w.t.Helper()
	data := w.all[seq-1].Data
	for _, path := range w.blocks() {
		b, err := os.ReadFile(path)
		if err != nil {
			w.t.Fatal(err)
		}
		if at := bytes.Index(b, data); at >= 0 {
			b[at+len(data)/2] ^= 1
			if err := os.WriteFile(path, b, 0o600); err != nil {
				w.t.Fatal(err)
			}
			return
		}
	}
	w.t.Fatalf("no block holds #%d", seq)
}

// stale removes the index, as a kill leaves it.
func (w *world) stale() {
	w.t.Helper()
	err := errors.Join(os.RemoveAll(filepath.Join(w.stream(), "msgs", "index.db")), os.RemoveAll(w.path("clean")))
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) inspect() rebuild.Inspection {
	w.t.Helper()
	i, err := rebuild.Inspect(w.t.Context(), w.dir, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return i
}

func (w *world) rebuild(o rebuild.Options) rebuild.Result {
	w.t.Helper()
	if o.Reason == "" {
		o.Reason = "test"
	}
	r, err := rebuild.Rebuild(w.t.Context(), w.lock, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// log reads the log through a server, and returns each event by its sequence.
func (w *world) log() (got []events.Envelope, epoch int) {
	w.t.Helper()
	w.open(func(l *journal.Log) {
		epoch = journal.Epoch(l.Stream())
		for e, err := range l.Events(w.t.Context(), events.Span{}) {
			if err != nil {
				w.t.Fatal(err)
			}
			got = append(got, e)
		}
	})
	return got, epoch
}

// wantKept checks that every event is unchanged at its sequence, except those that have another type in marks.
func (w *world) wantKept(other map[uint64]events.Type, tail ...events.Type) {
	w.t.Helper()
	got, _ := w.log()
	if len(got) != len(w.all)+len(tail) {
		w.t.Fatalf("%d events, want %d", len(got), len(w.all)+len(tail))
	}
	for i, e := range got {
		seq := uint64(i + 1)
		want, marked := other[seq]
		if i >= len(w.all) {
			want, marked = tail[i-len(w.all)], true
		}
		switch {
		case e.Seq != seq:
			w.t.Fatalf("event %d has sequence %d", seq, e.Seq)
		case marked:
			if e.Type != want {
				w.t.Errorf("#%d is %s, want %s", seq, e.Type, want)
			}
		default:
			if b, err := events.Encode(e); err != nil || !bytes.Equal(b, w.all[i].Data) {
				w.t.Errorf("#%d is not the event that was stored (%s, %v)", seq, e.Type, err)
			}
		}
	}
}

// wishes returns prompts of a size, of sessions s0, s1 and s2 in turn.
func wishes(t testing.TB, n, size int) (es []events.Envelope) {
	t.Helper()
	for i := range n {
		e, err := events.Wrap(events.PromptSubmitted{Text: fmt.Sprintf("wish %d %s", i+1, testutil.Words(uint64(i), size))},
			events.Meta{Project: "p", Session: fmt.Sprint("s", i%3), At: int64(i+1) * int64(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		es = append(es, e)
	}
	return es
}

var (
	gap       = events.TypeOf[events.LogGap]()
	forgotten = events.TypeOf[events.LogForgotten]()
	repaired  = events.TypeOf[events.LogRepaired]()
)
