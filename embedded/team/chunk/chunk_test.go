package chunk

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nkeys"
	"pgregory.net/rapid"

	"journal/journal/record"
)

// A chunk gives back what it was made of, with places for what was left out; damaged bytes are an error and
// nothing worse.
func TestChunk(t *testing.T) {
	t.Parallel()
	key, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := key.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Uint64Range(1, 1000).Draw(t, "first")
		h := Head{Team: "acme", Member: "alice", Device: "d", Copy: 1, First: first, Last: first + rapid.Uint64Range(0, 300).Draw(t, "stretch")}
		var given []record.Record
		for seq := h.First; seq <= h.Last; seq++ {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				given = append(given, record.Record{Seq: seq, Subject: record.Forgotten})
			case 1:
				given = append(given, record.Record{Seq: seq, Subject: "journal.a.b.c", ID: fmt.Sprint(seq), Data: []byte(rapid.String().Draw(t, "data"))})
			}
		}
		b, err := Encode(h, given, key)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Decode(b)
		if err != nil || c.Verify([]string{"none", public}) != nil {
			t.Fatal(err)
		}
		next, place := h.First, 0
		all, err := c.Records()
		for _, r := range all {
			want := record.Record{Seq: next, Subject: record.Withheld}
			if place < len(given) && given[place].Seq == next {
				want, place = given[place], place+1
			}
			if err != nil || r.Seq != want.Seq || r.Subject != want.Subject || r.ID != want.ID || string(r.Data) != string(want.Data) {
				t.Fatalf("%+v, want %+v, error %v", r, want, err)
			}
			next++
		}
		if next != h.Last+1 {
			t.Fatalf("it ends before #%d", next)
		}
		at := rapid.IntRange(0, len(b)-1).Draw(t, "at")
		b[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
		b = b[:rapid.IntRange(at, len(b)).Draw(t, "end")]
		if c, err := Decode(b); err == nil {
			if err := c.Verify([]string{public}); !errors.Is(err, ErrDamaged) {
				t.Fatalf("damage is believed: %v", err)
			}
			_, _ = c.Records() // it ends
		}
	})
}
