package blocks_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/embedded/store/blocks"
)

// An index finds the same messages for any filters, wherever it was saved, and saved again after it grew.
func TestIndexIsTheModel(t *testing.T) {
	t.Parallel()
	s, all := store(t, 1200, 10)
	subjects := map[string]bool{}
	for _, m := range all {
		subjects[m.Subject] = true
	}
	filters := []string{"journal.>", "journal.*.*.>", "journal.*.>", ">", "*.*.*.*", "*.*.*.*.*", "journal.absent.>", "journal.*.*.absent", "journal"}
	for subject := range subjects {
		filters = append(filters, subject, subject+".more")
		// Each token may be any, and each tail.
		tokens := strings.Split(subject, ".")
		for i := range tokens {
			wild := slices.Clone(tokens)
			wild[i] = "*"
			filters = append(filters, strings.Join(wild, "."), strings.Join(append(tokens[:i:i], ">"), "."))
		}
	}
	last := uint64(len(all))
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		at := uint64(0)
		for range rapid.IntRange(0, 3).Draw(t, "savings") {
			at = rapid.Uint64Range(at, last).Draw(t, "saved at")
			if at < 300 {
				at = 300 // less is read without an index
			}
			r := blocks.NewReader(s, path)
			if _, err := given(r, 0, at, everything, 1); err != nil {
				t.Fatal(err)
			}
			if err := r.Save(1); err != nil {
				t.Fatal(err)
			}
		}
		r := blocks.NewReader(s, path)
		for range 3 {
			after := rapid.Uint64Range(0, last-300).Draw(t, "after")
			until := rapid.Uint64Range(after+260, last).Draw(t, "until")
			some := rapid.SliceOfN(rapid.SampledFrom(filters), 1, 4).Draw(t, "filters")
			var want []message
			for _, m := range all[after:until] {
				for _, f := range some {
					if named(f, m.Subject) {
						want = append(want, m)
						break
					}
				}
			}
			got, err := given(r, after, until, some, len(all)+1)
			if err != nil || !slices.Equal(want, got) {
				t.Fatalf("%q: %d messages, want %d; error %v", some, len(got), len(want), err)
			}
		}
	})
}
