package transcript_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/journal/transcript"
)

// marksOf reads a lane: h held by a hook's event, i held by an import, m missing,
// e elsewhere, u unknown, t unknown that hooks tell as a rule, c a compaction.
func marksOf(s string) (marks []transcript.Mark) {
	for i, c := range s {
		m := transcript.Mark{}
		switch c {
		case 'h':
			m = transcript.Mark{State: transcript.Held, Seq: uint64(10 * (i + 1))}
		case 'i':
			m.State = transcript.Held
		case 'm':
			m.State = transcript.Missing
		case 'e':
			m.State = transcript.Elsewhere
		case 't':
			m.Told = true
		case 'c':
			m.Compaction = true
		}
		marks = append(marks, m)
	}
	return marks
}

// A lane is cut at the edges of what the log holds of it (ADR-0011).
func TestCut(t *testing.T) {
	t.Parallel()
	type span = transcript.Stretch
	for _, c := range []struct {
		lane        string
		compactions []uint64
		want        transcript.Plan
	}{
		{lane: "", want: transcript.Plan{}},
		{lane: "mumt", want: transcript.Plan{After: span{0, 4}}},
		{lane: "hhuh", want: transcript.Plan{After: span{4, 4}}},
		{lane: "umthh", want: transcript.Plan{Before: span{0, 3}, After: span{5, 5}}},
		{lane: "hhumt", want: transcript.Plan{After: span{2, 5}}},
		{lane: "hhu", want: transcript.Plan{After: span{3, 3}}},
		{lane: "hht", want: transcript.Plan{After: span{2, 3}}},
		{lane: "hmmtuhmh", want: transcript.Plan{Holes: []span{{1, 5}, {6, 7}}, After: span{8, 8}}},
		{lane: "eeumm", want: transcript.Plan{Fork: 2, After: span{2, 5}}},
		{lane: "eemh", want: transcript.Plan{Fork: 2, Before: span{2, 3}, After: span{4, 4}}},
		{lane: "iiuum", want: transcript.Plan{After: span{2, 5}}},
		// A compaction between two steps that are held is the one that hooks told there.
		{lane: "hccch", compactions: []uint64{30}, want: transcript.Plan{After: span{5, 5}}},
		{lane: "hccch", compactions: []uint64{60}, want: transcript.Plan{Holes: []span{{1, 4}}, After: span{5, 5}}},
		// Of two before the first that is held, hooks told the second.
		{lane: "mcmch", compactions: []uint64{40}, want: transcript.Plan{Before: span{0, 3}, After: span{5, 5}}},
		{lane: "hcmcm", compactions: []uint64{15}, want: transcript.Plan{After: span{2, 5}}},
	} {
		got := transcript.Cut(marksOf(c.lane), c.compactions)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.lane, diff)
		}
	}
}

// Whatever is held: every missing step is imported once, nothing that is held is,
// and a lane whose stretches were imported gives no more.
func TestCutLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lane := rapid.StringMatching(`e{0,3}[himuutc]{0,20}`).Draw(t, "lane")
		compactions := rapid.SliceOfN(rapid.Uint64Range(1, 250), 0, 3).Draw(t, "compactions")
		slices.Sort(compactions)
		marks := marksOf(lane)
		p := transcript.Cut(marks, compactions)
		taken := make([]int, len(marks))
		for _, s := range append([]transcript.Stretch{p.Before, p.After}, p.Holes...) {
			for i := s.From; i < s.To; i++ {
				taken[i]++
			}
		}
		again := marksOf(lane)
		for i, n := range taken {
			switch lane[i] {
			case 'm':
				if n != 1 {
					t.Fatalf("%s: missing step %d is imported %d times: %+v", lane, i, n, p)
				}
			case 'h', 'i':
				if n != 0 {
					t.Fatalf("%s: step %d is imported again: %+v", lane, i, p)
				}
			}
			if n > 0 {
				again[i] = transcript.Mark{State: transcript.Held}
			}
		}
		q := transcript.Cut(again, compactions)
		for _, s := range append([]transcript.Stretch{q.Before, q.After}, q.Holes...) {
			if s.From < s.To {
				t.Fatalf("%s: a second import adds %+v, the first %+v", lane, q, p)
			}
		}
	})
}
