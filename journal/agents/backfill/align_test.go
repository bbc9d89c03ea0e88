package backfill

import (
	"testing"

	"pgregory.net/rapid"
)

// TestAlign: as many steps as possible are matched without crossings, each only with an equal event.
func TestAlign(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.Uint64Range(1, 3), 0, 8)
		var steps []step
		var open []int
		for i, w := range words.Draw(t, "steps") {
			steps, open = append(steps, step{signature: w}), append(open, i)
		}
		var said []hookEvent
		for i, w := range words.Draw(t, "said") {
			said = append(said, hookEvent{w, uint64(i + 1)})
		}
		pairs := align(open, said, steps, rapid.Bool().Draw(t, "from the end"))
		at := map[int]uint64{}
		for _, p := range pairs {
			if steps[p.step].signature != said[p.seq-1].signature {
				t.Fatalf("step %d is not what was said at %d", p.step, p.seq)
			}
			at[p.step] = p.seq
		}
		last := uint64(0)
		for i := range steps {
			if seq, ok := at[i]; ok {
				if seq <= last {
					t.Fatalf("pairs cross: %v", pairs)
				}
				last = seq
			}
		}
		if want := most(steps, said); len(at) != want || len(pairs) != want {
			t.Fatalf("%d pairs of %d", len(pairs), want)
		}
	})
}

// most returns the length of the longest common subsequence, by trying.
func most(steps []step, said []hookEvent) int {
	if len(steps) == 0 || len(said) == 0 {
		return 0
	}
	if steps[0].signature == said[0].signature {
		return 1 + most(steps[1:], said[1:])
	}
	return max(most(steps[1:], said), most(steps, said[1:]))
}
