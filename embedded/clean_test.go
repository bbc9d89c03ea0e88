package embedded_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/ownertest"
	"journal/embedded"
)

// cleanDir returns a directory with some records, closed cleanly.
func cleanDir(t testing.TB) string {
	t.Helper()
	dir := ownertest.Dir(t)
	l := ownertest.Lock(t, dir)
	s := ownerWith(t, l, embedded.Options{})
	fill(t, s, 3)
	s.SetHead("journal", 3, "abc")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// find returns the path of the only file with this name in the store.
func find(t testing.TB, dir, name string) (found string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "store"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == name {
			found = path
		}
		return err
	})
	if err != nil || found == "" {
		t.Fatalf("no %s in the store: %v", name, err)
	}
	return found
}

func flipByte(t testing.TB, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	write(t, path, string(b))
}

func TestCleanStopIsRecognised(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	l := ownertest.Lock(t, dir)
	s := ownerWith(t, l, embedded.Options{})
	if o := s.StoreState(); o.Clean {
		t.Errorf("a new directory opens as %+v", o)
	}
	fill(t, s, 3)
	if clean, _ := embedded.WasClean(dir); clean {
		t.Error("clean while the owner runs")
	}
	s.SetHead("journal", 3, "abc")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if clean, why := embedded.WasClean(dir); !clean || why != "" {
		t.Errorf("after Close: %v, %q", clean, why)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}

	// The next owner reads the head, and writes it again unless SetHead replaces it.
	for range 2 {
		s = ownerWith(t, l, embedded.Options{})
		want := embedded.StoreState{Clean: true, Seq: 3, Head: "abc"}
		if d := cmp.Diff(want, s.StoreState()); d != "" {
			t.Error(d)
		}
		if clean, _ := embedded.WasClean(dir); clean {
			t.Error("clean while the second owner runs")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A message that the server stores after SetHead is no damage for the next owner.
func TestStoredAfterTheHead(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	l := ownertest.Lock(t, dir)
	s := ownerWith(t, l, embedded.Options{})
	fill(t, s, 3)
	s.SetHead("journal", 2, "abc")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = ownerWith(t, l, embedded.Options{})
	if d := cmp.Diff(embedded.StoreState{Clean: true, Seq: 3}, s.StoreState()); d != "" {
		t.Error(d)
	}
}

func TestChangedIndexIsNotClean(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		says   string
	}{
		"index flipped":   {func(t *testing.T, dir string) { flipByte(t, find(t, dir, "index.db")) }, "index.db has changed"},
		"meta flipped":    {func(t *testing.T, dir string) { flipByte(t, find(t, dir, "meta.inf")) }, "meta.inf has changed"},
		"sum flipped":     {func(t *testing.T, dir string) { flipByte(t, find(t, dir, "meta.sum")) }, "meta.sum has changed"},
		"index removed":   {func(t *testing.T, dir string) { os.Remove(find(t, dir, "index.db")) }, "index.db is missing"},
		"index added":     {func(t *testing.T, dir string) { write(t, filepath.Join(dir, "store", "index.db"), "") }, "new"},
		"store removed":   {func(t *testing.T, dir string) { os.RemoveAll(filepath.Join(dir, "store")) }, "store"},
		"marker removed":  {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "clean")) }, "no clean marker"},
		"marker torn":     {func(t *testing.T, dir string) { os.Truncate(filepath.Join(dir, "clean"), 20) }, "clean marker"},
		"marker from far": {func(t *testing.T, dir string) { write(t, filepath.Join(dir, "clean"), `{"v":2}`) }, "version 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := cleanDir(t)
			if clean, why := embedded.WasClean(dir); !clean {
				t.Fatal(why)
			}
			c.damage(t, dir)
			clean, why := embedded.WasClean(dir)
			if clean {
				t.Fatal("counts as clean")
			}
			wantText(t, why, c.says)
		})
	}
}

// Only a marker with the digest of the index makes a store clean.
func FuzzMarker(f *testing.F) {
	f.Add([]byte(`{"v":1,"files":{}}`))
	f.Add([]byte(`{"v":1,"files":{"index.db":""}}`))
	f.Add([]byte(`{"v":1,"files":{"../clean":"00"}}`))
	f.Add([]byte(`null`))
	f.Add([]byte(``))
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "store"), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "store", "index.db"), "an index that no input was made for")
		write(t, filepath.Join(dir, "clean"), string(content))
		if clean, why := embedded.WasClean(dir); clean || why == "" {
			t.Fatalf("%v, %q", clean, why)
		}
	})
}
