package spool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/journal/spool"
)

func TestListOrder(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	boot := newName(t, "x")[:8]
	if boot == "00000000" {
		t.Skip("no boot id here")
	}
	// Within a boot the modification times say the opposite of the stamps.
	want := []struct {
		name string
		age  time.Duration
	}{
		{"ffffffff-0000000000000001-c.ev", 70 * time.Hour}, // the boot with the oldest file
		{"ffffffff-0000000000000002-a.ev", 90 * time.Hour},
		{"eeeeeeee-0000000000000001-a.ev", 80 * time.Hour},
		{"eeeeeeee-0000000000000001-b.ev", 81 * time.Hour}, // same stamp: by id
		{"eeeeeeee-00000000000000ff-a.ev", 82 * time.Hour},
		{"00000000-0000000000000000-a.ev", 1 * time.Hour},
		{"00000000-0000000000000000-b.ev", 2 * time.Hour},
		{"00000000-0000000000000007-a.ev", 3 * time.Hour},
		{boot + "-0000000000000001-z.ev", 100 * time.Hour},
		{boot + "-0fffffffffffffff-a.ev", 101 * time.Hour},
		{"foreign.ev", 200 * time.Hour},
		{"strange.ev", 100 * time.Hour},
	}
	wantNames := []string{}
	for i := range want {
		w := want[(i*5+3)%len(want)] // some other order
		writeFile(t, filepath.Join(path, w.name), content(spool.JSON, "{}"))
		age(t, filepath.Join(path, w.name), w.age)
		wantNames = append(wantNames, want[i].name)
	}
	if diff := cmp.Diff(wantNames, names(list(t, d))); diff != "" {
		t.Error(diff)
	}
}

func TestListOfTemporaryFiles(t *testing.T) {
	t.Parallel()
	const name = "00000000-0000000000000005-t.ev"
	whole := content(spool.JSON, `{"n":1}`)
	for _, tc := range []struct {
		name, file, content string
		age                 time.Duration
		listed              bool
	}{
		{"complete, writer gone", ".tmp-" + name, whole, 11 * time.Second, true},
		{"complete, clock set back", ".tmp-" + name, whole, -time.Minute, true},
		{"complete, writer at work", ".tmp-" + name, whole, 0, false},
		{"torn", ".tmp-" + name, whole[:len(whole)-1], 11 * time.Second, false},
		{"newer", ".tmp-" + name, "journal-spool 2 \n", 11 * time.Second, false},
		{"name not ours", ".tmp-foreign.ev", whole, 11 * time.Second, false},
		{"other dot file", "._" + name, whole, 11 * time.Second, false},
	} {
		d, path := newDir(t)
		if _, err := d.Put("after", spool.JSON, nil); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(path, tc.file), tc.content)
		age(t, filepath.Join(path, tc.file), tc.age)
		want := []string{"after"}
		if tc.listed {
			want = []string{"t", "after"}
		}
		entries := list(t, d)
		if diff := cmp.Diff(want, ids(entries)); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
			continue
		}
		if !tc.listed {
			continue
		}
		if _, body, err := d.Read(entries[0]); string(body) != `{"n":1}` || err != nil {
			t.Errorf("%s: read %q, error %v", tc.name, body, err)
		}
		if err := d.Remove(entries[0]); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"after"}, ids(list(t, d))); diff != "" {
			t.Errorf("%s, removed: %s", tc.name, diff)
		}
	}
}

// Whatever is put by whomever is listed, and what one writer put earlier is
// earlier.
func TestListKeepsEachWritersOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		path, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		d := spool.Open(path)
		counts := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 4).Draw(rt, "puts of each writer")
		var wg sync.WaitGroup
		for w, n := range counts {
			wg.Go(func() {
				for i := range n {
					// Ids fall, so that their order cannot be what List follows.
					if _, err := d.Put(fmt.Sprintf("%d-%d", w, 99-i), spool.JSON, nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		next := make([]int, len(counts))
		for _, e := range list(t, d) {
			var w, i int
			if _, err := fmt.Sscanf(e.ID, "%d-%d", &w, &i); err != nil {
				rt.Fatal(err)
			}
			if i != 99-next[w] {
				rt.Fatalf("writer %d: %d listed where %d was next", w, 99-i, next[w])
			}
			next[w]++
		}
		if diff := cmp.Diff(counts, next); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// The definition of order that hooks are promised: whose process ended before
// another's began comes first.
func TestListKeepsTheOrderOfProcesses(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	want := []string{}
	for i := range 12 {
		id := strconv.Itoa(99 - i)
		runChild(t, "put", path, id)
		want = append(want, id)
	}
	if diff := cmp.Diff(want, ids(list(t, d))); diff != "" {
		t.Error(diff)
	}
}

func init() {
	children["put"] = func(dir, id string) error {
		_, err := spool.Open(dir).Put(id, spool.JSON, nil)
		return err
	}
}

// A list taken while a writer works may end early but has no holes: a reading
// of the directory alone would have some.
func TestListHasNoHoles(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	// Many files, so that reading the directory takes many system calls.
	for range 1500 {
		writeFile(t, filepath.Join(path, newName(t, "old")), "")
	}
	const last = 2000
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		defer done.Store(true)
		tmp := filepath.Join(path, ".tmp-x")
		for i := range last {
			if err := os.WriteFile(tmp, nil, 0o600); err != nil {
				t.Error(err)
				return
			}
			if err := os.Rename(tmp, filepath.Join(path, newName(t, fmt.Sprint("new-", i)))); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for finished := false; !finished; {
		finished = done.Load() // before the list: the last one has everything
		next := 0
		for _, e := range list(t, d) {
			if e.ID == "old" {
				continue
			}
			if want := fmt.Sprint("new-", next); e.ID != want {
				t.Fatalf("%s listed where %s was next", e.ID, want)
			}
			next++
		}
		if finished && next != last {
			t.Errorf("%d of %d listed", next, last)
		}
	}
	wg.Wait()
}
