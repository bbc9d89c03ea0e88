package blocks_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"journal/embedded/store/blocks"
	"journal/journal/record"
)

// beside is another copy of messages, without those of some sequences.
func beside(all []message, without ...uint64) blocks.Fallback {
	return func(_ context.Context, after, until uint64, each func(record.Record) bool) error {
		for _, m := range all {
			if m.Seq <= after || slices.Contains(without, m.Seq) {
				continue
			}
			if m.Seq > until || !each(record.Record{Seq: m.Seq, Subject: m.Subject, ID: m.ID, Data: []byte(m.Data)}) {
				break
			}
		}
		return nil
	}
}

// Whatever is damaged, a reader with another copy returns the stored messages, and those that neither copy has as lost.
func TestReaderPastDamage(t *testing.T) {
	t.Parallel()
	good, want := store(t, 900, 300)
	block := file(t, good, "msgs/1.blk")
	filters := [][]string{nil, everything, {"journal.p.s1.>"}}
	last := uint64(len(want))
	damages := map[string]func(b []byte, at int){
		"a bit":    func(b []byte, at int) { b[at] ^= 4 },
		"zeros":    func(b []byte, at int) { clear(b[at:min(len(b), at+700)]) },
		"a length": func(b []byte, at int) { binary.LittleEndian.PutUint32(b[at:], 31) },
	}
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "mended")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if err := os.CopyFS(dir, os.DirFS(good.Dir)); err != nil {
			t.Fatal(err)
		}
		b := slices.Clone(block)
		for range rapid.IntRange(1, 3).Draw(t, "damages") {
			// Before the newest records: what nothing good follows is the server's to tell.
			damages[rapid.SampledFrom([]string{"a bit", "zeros", "a length"}).Draw(t, "damage")](b, rapid.IntRange(0, len(b)*3/4).Draw(t, "at"))
		}
		if err := os.WriteFile(filepath.Join(dir, "msgs", "1.blk"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		s := blocks.Stream{Name: good.Name, Dir: dir}
		some := rapid.SampledFrom(filters).Draw(t, "filters")
		after := rapid.SampledFrom([]uint64{0, 100, 500}).Draw(t, "after")
		var all []message
		for _, m := range want[after:] {
			if len(some) == 0 || named(some[0], m.Subject) {
				all = append(all, m)
			}
		}
		whole := blocks.NewReader(s, "").WithFallback(beside(want))
		got, err := given(whole, after, last, some, len(want))
		if err != nil || !slices.Equal(all, got) {
			t.Fatalf("%d messages of %d, error %v", len(got), len(all), err)
		}
		none := blocks.NewReader(s, "").WithFallback(beside(nil))
		got, err = given(none, after, last, some, len(want))
		if err != nil {
			t.Fatal(err)
		}
		lost := map[uint64]bool{}
		kept := slices.DeleteFunc(got, func(m message) bool {
			lost[m.Seq] = lost[m.Seq] || m.Subject == ""
			return m.Subject == ""
		})
		all = slices.DeleteFunc(all, func(m message) bool { return lost[m.Seq] })
		if !slices.Equal(all, kept) {
			t.Fatalf("without another copy: %d messages and %d lost", len(kept), len(lost))
		}
	})
}

// A reader cannot know what is lost at the end of the files.
func TestReaderAtTheEndOfDamage(t *testing.T) {
	t.Parallel()
	s, want := store(t, 600, 300)
	block := file(t, s, "msgs/1.blk")
	put(t, s, "msgs/1.blk", block[:len(block)/2])
	want[549] = message{Seq: 550}
	r := blocks.NewReader(s, "").WithFallback(beside(want[:580], 550))
	got, err := given(r, 0, 600, everything, len(want))
	if !errors.Is(err, blocks.ErrUnreadable) || !slices.Equal(want[:580], got) {
		t.Errorf("%d messages, error %v", len(got), err)
	}
}
