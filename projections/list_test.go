package projections_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"journal/projections"
)

// mustHold compares a list with its model, a slice.
func mustHold(tb rapid.TB, l projections.List[int], want []int) {
	tb.Helper()
	if l.Len() != len(want) || !slices.Equal(slices.Collect(l.All()), want) {
		tb.Fatalf("holds %v (%d), want %v", slices.Collect(l.All()), l.Len(), want)
	}
	back := slices.Clone(want)
	slices.Reverse(back)
	if got := slices.Collect(l.Backward()); !slices.Equal(got, back) {
		tb.Fatalf("backward %v, want %v", got, back)
	}
	for i, v := range want {
		if l.Get(i) != v {
			tb.Fatalf("at %d is %d of %v", i, l.Get(i), want)
		}
	}
	for _, n := range []int{1, 65, len(want) + 1} {
		if newest, total := l.Newest(n); total != len(want) || !slices.Equal(newest.([]int), want[max(0, len(want)-n):]) {
			tb.Fatalf("the newest %d are %v of %d in %v", n, newest, total, want)
		}
	}
	last, ok := l.Last()
	if ok != (len(want) > 0) || ok && last != want[len(want)-1] || !ok && last != 0 {
		tb.Fatalf("last is %d, %t of %v", last, ok, want)
	}
}

// TestListModel: a list and every branch of it behave like slices that are copied before appending.
func TestListModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		lists := []projections.List[int]{{}}
		models := [][]int{nil}
		next := 0
		pick := func() int { return evenly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9).Draw(rt, "list") % len(lists) }
		rt.Repeat(map[string]func(*rapid.T){
			"append": func(rt *rapid.T) {
				i := pick()
				for range evenly(1, 2, 62, 63, 64, 65, 130).Draw(rt, "many") {
					next++
					lists[i], models[i] = lists[i].Append(next), append(slices.Clip(models[i]), next)
				}
			},
			"branch": func(rt *rapid.T) {
				i := pick()
				if len(lists) < 10 {
					lists, models = append(lists, lists[i]), append(models, models[i])
				}
			},
			"set": func(rt *rapid.T) {
				if i := pick(); len(models[i]) > 0 {
					at := rapid.IntRange(0, len(models[i])-1).Draw(rt, "at")
					next++
					lists[i], models[i] = lists[i].Set(at, next), slices.Clone(models[i])
					models[i][at] = next
				}
			},
			"": func(rt *rapid.T) {
				for i := range lists {
					mustHold(rt, lists[i], models[i])
				}
			},
		})
	})
}

func TestListJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.SliceOfN(rapid.Int(), 0, 200).Draw(rt, "elements")
		var l projections.List[int]
		for _, v := range want {
			l = l.Append(v)
		}
		got, err := json.Marshal(l)
		if err != nil {
			rt.Fatal(err)
		}
		plain, err := json.Marshal(want)
		if err != nil {
			rt.Fatal(err)
		}
		if string(got) != string(plain) {
			rt.Fatalf("%s, want %s", got, plain)
		}
	})
	if b, err := json.Marshal(projections.List[int]{}); err != nil || string(b) != "[]" {
		t.Errorf("the empty list is %s (%v), want []", b, err)
	}
}

// TestListStops: a reader of a list may stop anywhere.
func TestListStops(t *testing.T) {
	t.Parallel()
	var l projections.List[int]
	for i := range 200 {
		l = l.Append(i)
	}
	for stop := range 200 {
		n := 0
		for v := range l.All() {
			if n++; v == stop {
				break
			}
		}
		back := 0
		for v := range l.Backward() {
			if back++; v == stop {
				break
			}
		}
		if n != stop+1 || back != 200-stop {
			t.Fatalf("stopping at %d: saw %d forward and %d backward", stop, n, back)
		}
	}
}

func TestListEqual(t *testing.T) {
	t.Parallel()
	listOf := func(all ...int) (l projections.List[int]) {
		for _, v := range all {
			l = l.Append(v)
		}
		return l
	}
	for _, tc := range []struct {
		a, b []int
		want bool
	}{
		{nil, nil, true}, {[]int{1}, []int{1}, true}, {[]int{1}, []int{2}, false}, {[]int{1}, []int{1, 1}, false}, {nil, []int{0}, false},
	} {
		if got := listOf(tc.a...).Equal(listOf(tc.b...)); got != tc.want {
			t.Errorf("%v equals %v: %t", tc.a, tc.b, got)
		}
	}
}

// TestListsAppendAtOnce: clones of a fold append to shared states concurrently, each in its own goroutine: neither sees
// the other's elements.
func TestListsAppendAtOnce(t *testing.T) {
	t.Parallel()
	var shared projections.List[int]
	for i := range 130 {
		shared = shared.Append(i)
		var all sync.WaitGroup
		for branch := range 4 {
			all.Go(func() {
				want := slices.Collect(shared.All())
				l := shared
				for n := range 70 {
					v := 1000*(branch+1) + n
					l, want = l.Append(v), append(want, v)
				}
				if !slices.Equal(slices.Collect(l.All()), want) {
					t.Errorf("branch %d of %d elements holds %v", branch, i+1, slices.Collect(l.All()))
				}
			})
		}
		all.Wait()
	}
}
