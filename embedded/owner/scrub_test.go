package owner_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/copies"
	"journal/embedded/owner"
	"journal/embedded/owner/writer"
	"journal/journal/wire"
)

// An owner that nobody asks anything finds what is damaged at rest, of a store that was closed cleanly too, and says so.
func TestDamageAtRestIsFound(t *testing.T) {
	t.Parallel()
	h := homeIn(t, ownertest.Dir(t), owner.Config{Scrub: writer.Scrub{Quiet: time.Millisecond, Every: time.Millisecond}})
	said := func(n int) string { return "what was said as " + numbered(n) } // digits alone stand in ids too
	for n := range 3 {
		h.handle(prompt(t, about(time.Duration(n)*time.Minute), said(n)))
	}
	h.close()
	blocks, err := filepath.Glob(filepath.Join(h.dir, "store", "jetstream", "*", "streams", "*", "msgs", "*.blk"))
	if err != nil || len(blocks) != 1 {
		t.Fatalf("blocks %q, error %v", blocks, err)
	}
	b, err := os.ReadFile(blocks[0])
	at := bytes.Index(b, []byte(said(1)))
	if err != nil || at < 0 {
		t.Fatalf("the block does not hold the message; error %v", err)
	}
	b[at] ^= 1
	if err := os.WriteFile(blocks[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
	h.open()
	h.serve()
	testutil.Eventually(t, "a pass ends", func() bool {
		s := copies.LoadState(h.dir)
		return !s.Done.IsZero() && len(s.Damage()) == 1 && s.Damage()[0].Where == copies.Store && s.Damage()[0].First == 2
	})
	var s wire.StatusReply
	if err := wire.Decode(h.ask(wire.Status, nil), &s); err != nil || !strings.Contains(s.Problem, "damage at rest: store: #2") {
		t.Errorf("problem %q, error %v", s.Problem, err)
	}
}
