package embedded_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/ownertest"
	"journal/embedded"
	"journal/embedded/store/blocks"
	"journal/embedded/store/ownership"
)

// tree returns the content of every file below a directory.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// stale returns a directory whose owner was killed, so that its index does not count.
func stale(t testing.TB) string {
	t.Helper()
	dir := cleanDir(t)
	if err := os.Remove(filepath.Join(dir, "clean")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The server never opens a damaged store, of which it would remove more (ADR-0012): nothing in it changes, and the error is a SuspectError.
func TestDamagedStoreIsNotOpened(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, dir string) embedded.Options{
		"a flipped bit": func(t *testing.T, dir string) embedded.Options {
			flipByte(t, find(t, dir, "1.blk"))
			return embedded.Options{}
		},
		"no description": func(t *testing.T, dir string) embedded.Options {
			_ = os.Remove(find(t, dir, "meta.inf"))
			return embedded.Options{}
		},
		"a torn record that was acknowledged": func(t *testing.T, dir string) embedded.Options {
			path := find(t, dir, "1.blk")
			fi, err := os.Stat(path)
			if err == nil {
				err = os.Truncate(path, fi.Size()-5)
			}
			if err != nil {
				t.Fatal(err)
			}
			return embedded.Options{Head: 3}
		},
		"a lost end": func(*testing.T, string) embedded.Options { return embedded.Options{Head: 4} },
		"no store at all": func(_ *testing.T, dir string) embedded.Options {
			_ = os.RemoveAll(filepath.Join(dir, "store"))
			return embedded.Options{Head: 3}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := stale(t)
			o := damage(t, dir)
			before := tree(t, dir)
			_, err := embedded.Own(t.Context(), ownertest.Lock(t, dir), o)
			var suspect *embedded.SuspectError
			if !errors.As(err, &suspect) {
				t.Fatalf("error %v", err)
			}
			after := tree(t, dir)
			for path := range before {
				if filepath.Base(path) == "owner.lock" {
					delete(before, path)
				}
			}
			for path := range after {
				if filepath.Base(path) == "owner.lock" {
					delete(after, path)
				}
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the directory changed:\n%s", diff)
			}
			// No failure is recorded that would delay a rebuild.
			if _, _, recent := ownership.Failed(dir); recent {
				t.Error("a failure was recorded")
			}
		})
	}
}

// A whole store that was not closed cleanly is opened if it reaches the head or goes beyond. The bytes of an interrupted write after the head
// were not acknowledged (docs/ENGINE.md §2); the server removes them.
func TestStaleStoreIsOpened(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		end  func(b []byte) []byte // what becomes of the newest block
		head uint64
		want uint64 // messages
	}{
		"whole":                   {func(b []byte) []byte { return b }, 3, 3},
		"beyond its head":         {func(b []byte) []byte { return b }, 1, 3},
		"a torn write":            {func(b []byte) []byte { return b[:len(b)-5] }, 2, 2},
		"zeros of a cut of power": {func(b []byte) []byte { return append(b, make([]byte, 4096)...) }, 3, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := stale(t)
			path := find(t, dir, "1.blk")
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, string(tc.end(b)))
			// A kill leaves an index that knows nothing of the newest records.
			if err := os.Remove(find(t, dir, "index.db")); err != nil {
				t.Fatal(err)
			}
			s := owner(t, dir, embedded.Options{Head: tc.head})
			if s.StoreState().Clean {
				t.Error("it counts as clean")
			}
			if err := s.Healthy(); err != nil {
				t.Error(err)
			}
			_, st, err := stream(s.Conn())
			if err != nil {
				t.Fatal(err)
			}
			info, err := st.Info(t.Context())
			if err != nil || info.State.Msgs != tc.want || info.State.LastSeq != tc.want || info.State.FirstSeq != 1 {
				t.Errorf("%+v, error %v", info, err)
			}
		})
	}
}

// A store in an unknown format is not checked, and is copied once before it is opened (ADR-0012 rule 6).
func TestUnknownFormatIsCopied(t *testing.T) {
	t.Parallel()
	dir := stale(t)
	write(t, filepath.Join(filepath.Dir(find(t, dir, "meta.inf")), "meta.key"), "a key of somebody's")
	before := tree(t, filepath.Join(dir, "store"))
	l := ownertest.Lock(t, dir)
	if s, err := embedded.Own(t.Context(), l, embedded.Options{}); err == nil {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	kept := tree(t, filepath.Join(dir, "store.copy"))
	if len(kept) != len(before) {
		t.Errorf("%d of %d files are in the copy", len(kept), len(before))
	}
	for path, content := range before {
		rel, err := filepath.Rel(filepath.Join(dir, "store"), path)
		if err != nil {
			t.Fatal(err)
		}
		if kept[filepath.Join(dir, "store.copy", rel)] != content {
			t.Errorf("%s is not in the copy as it was", rel)
		}
	}
}

// An owner can open a scratch store after it was closed.
func TestScratch(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	s, err := embedded.Scratch(t.Context(), filepath.Join(dir, "store"), nil)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, s, 50)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	o := owner(t, dir, embedded.Options{Head: 50})
	_, st, err := stream(o.Conn())
	if err != nil {
		t.Fatal(err)
	}
	info, err := st.Info(t.Context())
	if err != nil || info.State.Msgs != 50 || info.State.LastSeq != 50 {
		t.Errorf("%+v, error %v", info, err)
	}
}

func TestWritable(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	if err := embedded.Writable(dir); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".probe-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if embedded.Writable(filepath.Join(dir, "none")) == nil {
		t.Error("a directory that is not there takes writes")
	}
}

// The error names the first damage and counts the others.
func TestSuspectErrorCounts(t *testing.T) {
	t.Parallel()
	streams := []blocks.Summary{{Damage: []blocks.Damage{{File: "1.blk", What: "missing"}, {File: "2.blk", What: "missing"}}}}
	for text, e := range map[string]embedded.SuspectError{
		"the store is damaged: 1.blk: missing, and 1 more": {Streams: streams},
		"the store is damaged: it ends early, and 2 more":  {Streams: streams, Reason: "it ends early"},
		"the store is damaged: it ends early":              {Reason: "it ends early"},
	} {
		if e.Error() != text {
			t.Errorf("%q, not %q", e.Error(), text)
		}
	}
}
