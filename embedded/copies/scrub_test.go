package copies_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/ownertest"
	"journal/embedded"
	"journal/embedded/copies"
	"journal/embedded/store/archive"
	"journal/embedded/store/ownership"
	"journal/journal"
	"journal/journal/record"
)

const messages = 60

// world is a journal directory with messages in three blocks and some segments.
func world(t *testing.T) (dir string, all []record.Record) {
	t.Helper()
	dir = ownertest.Dir(t)
	lock, err := ownership.TryLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Release() })
	s, err := embedded.Own(t.Context(), lock, embedded.Options{Grace: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(s.Conn())
	if err != nil {
		t.Fatal(err)
	}
	log, err := journal.CreateLog(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(filepath.Join(dir, "archive"), archive.Options{SegmentBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.NewChaCha8([32]byte{1})
	for i := range messages {
		r := record.Record{Subject: "journal.p.s.turn.ended", ID: fmt.Sprint("id-", i), Data: make([]byte, 400<<10)}
		if _, err := random.Read(r.Data); err != nil {
			t.Fatal(err)
		}
		if r.Seq, _, err = log.Store(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if err := a.Append(r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, all
}

// flip changes one byte of a message in the first matching file that has it; ok is false if none has.
func flip(t *testing.T, pattern string, data []byte) (ok bool) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if at := bytes.Index(b, data); at >= 0 {
			b[at+len(data)/2] ^= 1
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			return true
		}
	}
	return false
}

// pass makes a pass at full speed, and returns its findings and the state after it.
func pass(t *testing.T, ctx context.Context, dir string, rate int) (said []string, after copies.State, err error) {
	t.Helper()
	err = copies.Scrub(ctx, dir, embedded.StreamIn(dir, "JOURNAL_1"), copies.ScrubOptions{
		Rate: rate, Until: messages,
		Found: func(d copies.Damage) { said = append(said, fmt.Sprint(d.Where, " ", d.First, " ", d.Last)) },
	})
	return said, copies.LoadState(dir), err
}

const fast = 1 << 40

// A pass finds the damage in both copies and reports it once; the next one no longer has what was repaired.
func TestPass(t *testing.T) {
	t.Parallel()
	dir, all := world(t)
	said, s, err := pass(t, t.Context(), dir, fast)
	if err != nil || len(said) > 0 || len(s.Damage()) > 0 || s.Done.IsZero() {
		t.Fatalf("of good copies: %q, %+v, error %v", said, s, err)
	}
	blocks := filepath.Join(dir, "store", "jetstream", "*", "streams", "JOURNAL_1", "msgs", "*.blk")
	if !flip(t, blocks, all[6].Data) || !flip(t, blocks, all[40].Data) || !flip(t, blocks, all[41].Data) {
		t.Fatal("no block holds a message")
	}
	segments, err := filepath.Glob(filepath.Join(dir, "archive", "*.zst"))
	if err != nil || len(segments) < 4 {
		t.Fatalf("segments %q, error %v", segments, err)
	}
	if err := os.Remove(segments[1]); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(segments[3])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/3] ^= 1
	if err := os.WriteFile(segments[3], b, 0o600); err != nil {
		t.Fatal(err)
	}
	said, s, err = pass(t, t.Context(), dir, fast)
	if err != nil || len(said) != 4 || said[0] != "store 7 7" || said[1] != "store 41 42" {
		t.Fatalf("of damaged copies: %q, %+v, error %v", said, s, err)
	}
	if again, s, err := pass(t, t.Context(), dir, fast); err != nil || len(again) > 0 || len(s.Damage()) != 4 {
		t.Errorf("again: %q, %+v, error %v", again, s, err)
	}
	b[len(b)/3] ^= 1
	if err := os.WriteFile(segments[3], b, 0o600); err != nil {
		t.Fatal(err)
	}
	if again, s, err := pass(t, t.Context(), dir, fast); err != nil || len(again) > 0 || len(s.Damage()) != 3 {
		t.Errorf("after one was mended: %q, %+v, error %v", again, s, err)
	}
}

// A missing end, and missing blocks and segments, are damage.
func TestPassOverWhatIsGone(t *testing.T) {
	t.Parallel()
	for _, gone := range []int{0, 1, 2} {
		t.Run(fmt.Sprint("block ", gone), func(t *testing.T) {
			t.Parallel()
			dir, _ := world(t)
			blocks, err := filepath.Glob(filepath.Join(dir, "store", "jetstream", "*", "streams", "JOURNAL_1", "msgs", "*.blk"))
			if err != nil || len(blocks) != 3 {
				t.Fatalf("blocks %q, error %v", blocks, err)
			}
			if err := os.Remove(blocks[gone]); err != nil {
				t.Fatal(err)
			}
			said, s, err := pass(t, t.Context(), dir, fast)
			if err != nil || len(said) != 1 || s.Damage()[0].Where != copies.Store {
				t.Errorf("%q, %+v, error %v", said, s, err)
			}
		})
	}
}

// A store in an unknown format is not damaged, but one that cannot be listed is not checked either: the pass fails.
func TestPassOverAnUncheckedStore(t *testing.T) {
	t.Parallel()
	dir, _ := world(t)
	msgs := filepath.Join(embedded.StreamIn(dir, "JOURNAL_1").Dir, "msgs")
	if err := os.WriteFile(filepath.Join(msgs, "2.blk"), []byte("cmp\x01 and the rest"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, s, err := pass(t, t.Context(), dir, fast); err != nil || len(said) > 0 || s.Done.IsZero() {
		t.Errorf("a compressed block: %q, %+v, error %v", said, s, err)
	}
	if err := errors.Join(os.RemoveAll(msgs), os.WriteFile(msgs, nil, 0o600), copies.ForgetDamage(dir)); err != nil {
		t.Fatal(err)
	}
	if _, s, err := pass(t, t.Context(), dir, fast); err == nil || s.Stored || !s.Done.IsZero() {
		t.Errorf("blocks that cannot be listed: %+v, error %v", s, err)
	}
}

// An interrupted pass continues after what was read, and keeps its findings.
func TestPassIsInterrupted(t *testing.T) {
	t.Parallel()
	dir, all := world(t)
	if !flip(t, filepath.Join(dir, "store", "jetstream", "*", "streams", "JOURNAL_1", "msgs", "1.blk"), all[2].Data) {
		t.Fatal("the block does not hold the message")
	}
	ctx, stop := context.WithCancel(t.Context())
	err := copies.Scrub(ctx, dir, embedded.StreamIn(dir, "JOURNAL_1"), copies.ScrubOptions{Rate: fast, Until: messages, Found: func(copies.Damage) { stop() }})
	s := copies.LoadState(dir)
	if err == nil || s.Store.Block != 1 || s.Stored || !s.Done.IsZero() || len(s.Damage()) != 1 {
		t.Fatalf("%+v, error %v", s, err)
	}
	// The part before is not read again.
	if err := os.Remove(slices.Sorted(slices.Values(must(filepath.Glob(filepath.Join(dir, "store", "jetstream", "*", "streams", "JOURNAL_1", "msgs", "*.blk")))))[0]); err != nil {
		t.Fatal(err)
	}
	said, s, err := pass(t, t.Context(), dir, fast)
	if err != nil || len(said) > 0 || len(s.Damage()) != 1 || s.Done.IsZero() {
		t.Errorf("%q, %+v, error %v", said, s, err)
	}
	// It ends within one read, also when the owner is not idle any more.
	reads := 0
	busy := copies.ScrubOptions{Rate: fast, Until: messages, Idle: func() bool { reads++; return reads < 2 }}
	if err := copies.Scrub(t.Context(), dir, embedded.StreamIn(dir, "JOURNAL_1"), busy); !errors.Is(err, context.Canceled) || reads != 2 {
		t.Errorf("a pass of an owner at work: %d reads, error %v", reads, err)
	}
	ctx, stop = context.WithCancel(t.Context())
	stop()
	if _, _, err := pass(t, ctx, dir, 1); err == nil {
		t.Error("a pass that was ended came to its end")
	}
}

// A state that cannot be read, or that is of another stream, is ignored.
func TestStateIsACache(t *testing.T) {
	t.Parallel()
	dir, _ := world(t)
	for _, content := range []string{"", "{", `{"stream":"JOURNAL_7","stored":true,"archive":99999,"found":[{"where":"store","what":"x"}]}`} {
		if err := os.WriteFile(filepath.Join(dir, copies.ScrubName), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if said, s, err := pass(t, t.Context(), dir, fast); err != nil || len(said) > 0 || len(s.Damage()) > 0 || s.Stream != "JOURNAL_1" || s.Done.IsZero() {
			t.Errorf("after %q: %q, %+v, error %v", content, said, s, err)
		}
	}
}

// Rate bounds the speed of a pass.
func TestPace(t *testing.T) {
	t.Parallel()
	dir, _ := world(t)
	began := time.Now()
	const rate = 200 << 20
	if _, _, err := pass(t, t.Context(), dir, rate); err != nil {
		t.Fatal(err)
	}
	if took, least := time.Since(began), 2*messages*(400<<10)*time.Second/rate; took < least*8/10 {
		t.Errorf("a pass took %v, at least %v are right", took, least)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Damage keeps the time when it was found first, also in a store whose format has become unknown. ForgetDamage removes the state.
func TestDamageThatStays(t *testing.T) {
	t.Parallel()
	dir, all := world(t)
	stream := filepath.Join(dir, "store", "jetstream", "*", "streams", "JOURNAL_1")
	segments, err := filepath.Glob(filepath.Join(dir, "archive", "*.zst"))
	if err != nil || len(segments) < 4 || !flip(t, filepath.Join(stream, "msgs", "*.blk"), all[6].Data) {
		t.Fatalf("segments %q, error %v", segments, err)
	}
	if err := os.Remove(segments[1]); err != nil {
		t.Fatal(err)
	}
	_, s, err := pass(t, t.Context(), dir, fast)
	if err != nil || len(s.Before) != 2 || time.Since(s.Before[0].At) > time.Hour || time.Since(s.Done) > time.Hour {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, d := range s.Before {
		if got := d.String(); got != d.Where+": "+d.What || d.What == "" {
			t.Errorf("it says %q", got)
		}
	}
	first := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.Before[0].At, s.Before[1].At = first, first
	b, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, copies.ScrubName), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	said, s, err := pass(t, t.Context(), dir, fast)
	if err != nil || len(said) > 0 || len(s.Damage()) != 2 || !s.Damage()[0].At.Equal(first) || !s.Damage()[1].At.Equal(first) {
		t.Errorf("found again: %q, %+v, %v", said, s, err)
	}
	streams, err := filepath.Glob(stream)
	if err != nil || len(streams) != 1 {
		t.Fatal(streams, err)
	}
	if err := os.WriteFile(filepath.Join(streams[0], "meta.key"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	said, s, err = pass(t, t.Context(), dir, fast)
	if err != nil || len(said) > 0 || len(s.Damage()) != 1 || s.Damage()[0].Where != copies.Archive {
		t.Errorf("of a store whose format is not known: %q, %+v, %v", said, s, err)
	}
	// At the default rate nothing is found at once.
	brief, stop := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer stop()
	if err := copies.Scrub(brief, dir, embedded.StreamIn(dir, "JOURNAL_1"), copies.ScrubOptions{Until: messages}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("at its own pace it ended: %v", err)
	}
	if err := copies.ForgetDamage(dir); err != nil {
		t.Fatal(err)
	}
	if s := copies.LoadState(dir); !s.Done.IsZero() || s.Damage() != nil {
		t.Errorf("forgotten: %+v", s)
	}
}
