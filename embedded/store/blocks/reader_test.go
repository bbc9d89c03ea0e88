package blocks_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/embedded/store/blocks"
	"journal/journal/record"
)

// given returns what a Reader reads, at most a number of messages.
func given(r *blocks.Reader, after, until uint64, filters []string, most int) ([]message, error) {
	var all []message
	err := r.Read(context.Background(), after, until, filters, func(r record.Record) bool {
		all = append(all, message{r.Seq, r.Subject, r.ID, string(r.Data)})
		return len(all) < most
	})
	return all, err
}

func named(filter, subject string) bool {
	f, s := strings.Split(filter, "."), strings.Split(subject, ".")
	for i, token := range f {
		if token == ">" {
			return len(s) > i
		}
		if i >= len(s) || token != "*" && token != s[i] {
			return false
		}
	}
	return len(f) == len(s)
}

// A Reader returns the stored messages for any span and filters, also with an index that has to grow.
func TestReaderIsTheModel(t *testing.T) {
	t.Parallel()
	s, want := store(t, 3000, 6000) // more than two blocks
	// One has an index from the beginning, one makes it meanwhile.
	readers := []*blocks.Reader{blocks.NewReader(s, ""), blocks.NewReader(s, "")}
	last := uint64(len(want))
	if _, err := given(readers[0], 0, last, []string{"journal.>"}, 1); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		until := rapid.Uint64Range(0, last).Draw(t, "until")
		after := rapid.Uint64Range(until-min(until, 40), last+1).Draw(t, "after")
		if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
			after = 0
		}
		filters := rapid.SliceOfN(rapid.SampledFrom([]string{
			"journal.p.s1.turn.ended", "journal.p.s1.>", "journal.*.s2.turn.ended", "journal.>", "journal.p.*.turn.ended",
			"journal.q.>", "journal.p.s3.turn", "journal.p.s4.turn.ended.>",
		}), 0, 3).Draw(t, "filters")
		most := rapid.SampledFrom([]int{1, 7, len(want) + 1}).Draw(t, "most")
		var model []message
		for _, m := range want[min(after, last):max(min(after, last), until)] {
			if len(model) < most && (len(filters) == 0 || slices.ContainsFunc(filters, func(f string) bool { return named(f, m.Subject) })) {
				model = append(model, m)
			}
		}
		for i, reader := range readers {
			got, err := given(reader, after, until, filters, most)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(model, got); d != "" {
				t.Fatalf("reader %d, after %d until %d, %q (-stored +read):\n%.2000s", i, after, until, filters, d)
			}
		}
	})
}

// A record that is larger than one read is returned whole.
func TestReaderOfLargeRecords(t *testing.T) {
	t.Parallel()
	s, want := store(t, 6, 1_397_992) // the largest that a server takes: 1 MiB, and a head
	for _, filters := range [][]string{nil, {"journal.>"}} {
		got, err := given(blocks.NewReader(s, ""), 0, 6, filters, 99)
		if err != nil || !slices.Equal(want, got) {
			t.Errorf("filters %q: %d of %d messages, error %v", filters, len(got), len(want), err)
		}
	}
}

// Damaged and missing messages end a read with an error, and the messages before are right.
func TestReaderOfDamage(t *testing.T) {
	t.Parallel()
	good, want := store(t, 200, 400)
	block := file(t, good, "msgs/1.blk")
	for name, change := range map[string]func(b []byte) []byte{
		"a bit of a message": func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"cut":                func(b []byte) []byte { return b[:len(b)/2] },
		"zeros":              func(b []byte) []byte { clear(b[len(b)/2:]); return b },
		"a record missing":   func(b []byte) []byte { n := int(b[0]) | int(b[1])<<8; return slices.Delete(b, n, 2*n) },
		"nothing":            func([]byte) []byte { return nil },
		"compressed":         func(b []byte) []byte { copy(b, "cmp\x01"); return b },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := copyOf(t, good)
			put(t, s, "msgs/1.blk", change(slices.Clone(block)))
			for _, filters := range [][]string{nil, {"journal.>"}} {
				r := blocks.NewReader(s, "")
				for range 2 {
					got, err := given(r, 0, 200, filters, 999)
					if !errors.Is(err, blocks.ErrUnreadable) || strings.Contains(err.Error(), " is compressed") != (name == "compressed") {
						t.Errorf("filters %q: error %v", filters, err)
					}
					if len(got) >= len(want) || !slices.Equal(want[:len(got)], append([]message{}, got...)) {
						t.Errorf("filters %q: what came before the damage is not what was stored", filters)
					}
				}
			}
		})
	}
	if _, err := given(blocks.NewReader(good, ""), 0, 201, nil, 999); !errors.Is(err, blocks.ErrUnreadable) {
		t.Errorf("beyond the end: error %v", err)
	}
}

// Reading begins in the block with the first message: damage before it is not read.
func TestReaderBehindDamage(t *testing.T) {
	t.Parallel()
	s, want := store(t, 30, 900<<10)
	put(t, s, "msgs/1.blk", make([]byte, len(file(t, s, "msgs/1.blk"))))
	last := uint64(len(want))
	if got, err := given(blocks.NewReader(s, ""), last-1, last, nil, 9); err != nil || !slices.Equal(want[last-1:], got) {
		t.Errorf("%d messages, error %v", len(got), err)
	}
}

// Readers may share an index.
func TestReadersAtOnce(t *testing.T) {
	t.Parallel()
	s, want := store(t, 2000, 300)
	r := blocks.NewReader(s, "")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			until := uint64(250 * (i + 1))
			got, err := given(r, 0, until, []string{"journal.>"}, len(want))
			if err != nil || !slices.Equal(want[:until], got) {
				t.Errorf("until %d: %d messages, error %v", until, len(got), err)
			}
		})
	}
	all.Wait()
}
