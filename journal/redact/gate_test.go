package redact

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestGateFindsEveryKeyword compares the gate with a search for each keyword at each place.
func TestGateFindsEveryKeyword(t *testing.T) {
	t.Parallel()
	g := theGate()
	var all []string
	for _, r := range allRules {
		all = append(all, r.Keywords...)
	}
	piece := rapid.OneOf(
		rapid.SampledFrom(all),
		rapid.Map(rapid.SampledFrom(all), strings.ToUpper),
		rapid.Map(rapid.SampledFrom(all), func(s string) string { return s[:len(s)-1] }),
		rapid.StringN(0, 9, -1),
	)
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "text"), "")
		type hit struct {
			at   int
			word string
			rule string
		}
		var got, want []hit
		for at := g.next(s, 0); at >= 0; at = g.next(s, at+1) {
			for k := g.keywordAt(s, at, nil); k != nil; k = g.keywordAt(s, at, k) {
				got = append(got, hit{at - k.rare, k.text, k.rule.Name})
			}
		}
		for at := range len(s) {
			for _, r := range allRules {
				for _, k := range r.Keywords {
					end := at + len(k)
					if end <= len(s) && (s[at:end] == k || r.Fold && foldASCII(s[at:end]) == k) {
						want = append(want, hit{at, k, r.Name})
					}
				}
			}
		}
		order := func(a, b hit) int {
			if a.at != b.at {
				return a.at - b.at
			}
			return strings.Compare(a.word+"\x00"+a.rule, b.word+"\x00"+b.rule)
		}
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if !slices.Equal(got, want) {
			t.Fatalf("in %q\n got %v\nwant %v", s, got, want)
		}
	})
}

func foldASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// BenchmarkInit measures building the gate, which the first text of a process waits for.
func BenchmarkInit(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newGate(ruleList())
	}
}
