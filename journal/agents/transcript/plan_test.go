package transcript_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"journal/journal/agents/transcript"
)

// marksOf reads a lane: h held by a hook's event, i held by an import in a part of the session, l by one in the session
// itself, m missing, e elsewhere, u unknown, t unknown but usually reported by hooks, p, r and s the intention, the
// restart and the summary of a compaction.
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
			m.Expected = true
		case 'l':
			m = transcript.Mark{State: transcript.Held, Imported: uint64(10 * (i + 1))}
		case 'p':
			m.Fact = transcript.FactIntention
		case 'r':
			m.Fact = transcript.FactRestart
		case 's':
			m.Fact = transcript.FactSummary
		}
		marks = append(marks, m)
	}
	return marks
}

// whole is a compaction that hooks reported completely.
func whole(seq uint64) []transcript.Compaction { return []transcript.Compaction{{0, seq, seq, seq}} }

// TestCut: a lane is cut at the edges of what the log has of it (ADR-0011).
func TestCut(t *testing.T) {
	t.Parallel()
	type span = transcript.Stretch
	for _, c := range []struct {
		lane string
		told []transcript.Compaction
		want transcript.Plan
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
		// A compaction between two held steps is the one that hooks reported there.
		{lane: "hprsh", told: whole(30), want: transcript.Plan{After: span{5, 5}}},
		{lane: "hprsh", told: whole(60), want: transcript.Plan{Holes: []span{{1, 4}}, After: span{5, 5}}},
		// Of two before the first held step, hooks reported the second.
		{lane: "mprsmprsh", told: whole(60), want: transcript.Plan{Before: span{0, 5}, After: span{9, 9}}},
		{lane: "hprsmprsm", told: whole(15), want: transcript.Plan{After: span{4, 9}}},
		// The same if hooks reported nothing else; reported ones stay where they are when more follow.
		{lane: "mprsm", told: whole(7), want: transcript.Plan{Before: span{0, 1}, After: span{4, 5}}},
		{lane: "mprsmprsm", told: whole(7), want: transcript.Plan{Before: span{0, 5}, After: span{8, 9}}},
		{lane: "iprslprsm", told: whole(7), want: transcript.Plan{After: span{5, 9}}},
		// A partly reported compaction lacks at most its summary: that continues the session if nothing of it follows,
		// and is added late otherwise.
		{lane: "hprm", told: []transcript.Compaction{{0, 11, 12}}, want: transcript.Plan{After: span{3, 4}}},
		{lane: "hprsm", told: []transcript.Compaction{{0, 11, 12}}, want: transcript.Plan{After: span{3, 5}}},
		{lane: "hprsh", told: []transcript.Compaction{{0, 11, 12}}, want: transcript.Plan{After: span{5, 5}, Late: []transcript.Late{{Step: 3, Compaction: 12}}}},
		{lane: "hprsuh", told: []transcript.Compaction{{0, 0, 12}}, want: transcript.Plan{After: span{6, 6}, Late: []transcript.Late{{Step: 3, Compaction: 12}}}},
		{lane: "hprsh", told: []transcript.Compaction{{0, 0, 0, 12}}, want: transcript.Plan{After: span{5, 5}}},
		// An intention is not yet a compaction, and a blocked one is none.
		{lane: "hprsh", told: []transcript.Compaction{{0, 11}}, want: transcript.Plan{Holes: []span{{2, 4}}, After: span{5, 5}}},
		{lane: "hprsh", told: []transcript.Compaction{{0, 11}, {0, 12, 13, 14}}, want: transcript.Plan{After: span{5, 5}}},
	} {
		got := transcript.Cut(marksOf(c.lane), c.told)
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.lane, diff)
		}
	}
}

// TestCutLaws: whatever is held, every missing step is imported once, no held step is, and a lane whose stretches were
// imported gives no more.
func TestCutLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lane := rapid.StringMatching(`e{0,3}([hilmuut]|prs){0,12}`).Draw(t, "lane")
		var compactions []transcript.Compaction
		for _, seq := range slices.Sorted(slices.Values(rapid.SliceOfN(rapid.Uint64Range(1, 250), 0, 3).Draw(t, "compactions"))) {
			var c transcript.Compaction
			for f := transcript.FactIntention; f <= transcript.FactSummary; f++ {
				c[f] = rapid.SampledFrom([]uint64{0, seq}).Draw(t, "fact")
			}
			if c != (transcript.Compaction{}) {
				compactions = append(compactions, c)
			}
		}
		marks := marksOf(lane)
		p := transcript.Cut(marks, compactions)
		taken := make([]int, len(marks))
		for _, s := range append([]transcript.Stretch{p.Before, p.After}, p.Holes...) {
			for i := s.From; i < s.To; i++ {
				taken[i]++
			}
		}
		for _, l := range p.Late {
			taken[l.Step]++
		}
		again := marksOf(lane)
		for i, n := range taken {
			switch lane[i] {
			case 'm':
				if n != 1 {
					t.Fatalf("%s: missing step %d is imported %d times: %+v", lane, i, n, p)
				}
			case 'h', 'i', 'l':
				if n != 0 {
					t.Fatalf("%s: step %d is imported again: %+v", lane, i, p)
				}
			}
			if n > 1 {
				t.Fatalf("%s: step %d is imported %d times: %+v", lane, i, n, p)
			}
			if n > 0 {
				again[i] = transcript.Mark{State: transcript.Held, Fact: marks[i].Fact}
				if i >= p.After.From {
					again[i].Imported = uint64(1000 + i)
				}
			}
		}
		q := transcript.Cut(again, compactions)
		if len(q.Late) > 0 {
			t.Fatalf("%s: a second import tells %+v, the first %+v", lane, q, p)
		}
		for _, s := range append([]transcript.Stretch{q.Before, q.After}, q.Holes...) {
			if s.From < s.To {
				t.Fatalf("%s: a second import adds %+v, the first %+v", lane, q, p)
			}
		}
	})
}
