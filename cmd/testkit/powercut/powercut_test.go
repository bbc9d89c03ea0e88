package powercut_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"journal/cmd/testkit/powercut"
	"journal/cmd/testkit/ptrace"
)

// left lays down what is left after a cut and gives the content of its files.
func left(t *testing.T, luck powercut.Luck, seed uint64, ops ...ptrace.Op) map[string]string {
	t.Helper()
	d, dir := powercut.New(), t.TempDir()
	for _, op := range ops {
		d.Do(op)
	}
	if err := d.Cut(dir, luck, rand.New(rand.NewPCG(seed, 0))); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all[path[len(dir)+1:]] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func create(ino, dir int, name string) ptrace.Op {
	return ptrace.Op{Kind: ptrace.Create, Ino: ino, Dir: dir, Name: name, Mode: 0o600}
}

func write(ino int, off int64, text string) ptrace.Op {
	return ptrace.Op{Kind: ptrace.Write, Ino: ino, Off: off, Data: []byte(text)}
}

func sync(ino int) ptrace.Op { return ptrace.Op{Kind: ptrace.Sync, Ino: ino} }

func TestWhatIsCertain(t *testing.T) {
	t.Parallel()
	renamed := ptrace.Op{Kind: ptrace.Rename, Ino: 1, Name: "a", Name2: "b"}
	for name, c := range map[string]struct {
		ops  []ptrace.Op
		want map[string]string
	}{
		"neither name nor bytes": {[]ptrace.Op{create(1, 0, "a"), write(1, 0, "x")}, nil},
		"bytes without a name":   {[]ptrace.Op{create(1, 0, "a"), write(1, 0, "x"), sync(1)}, nil},
		"a name without bytes":   {[]ptrace.Op{create(1, 0, "a"), write(1, 0, "x"), sync(0)}, map[string]string{"a": ""}},
		"both":                   {[]ptrace.Op{create(1, 0, "a"), write(1, 0, "x"), sync(1), sync(0), write(1, 1, "y")}, map[string]string{"a": "x"}},
		"a rename that is not":   {[]ptrace.Op{create(1, 0, "a"), sync(0), renamed}, map[string]string{"a": ""}},
		"a rename":               {[]ptrace.Op{create(1, 0, "a"), sync(0), renamed, sync(0)}, map[string]string{"b": ""}},
		"a sync that failed":     {[]ptrace.Op{create(1, 0, "a"), sync(0), write(1, 0, "x"), {Kind: ptrace.SyncFail, Ino: 1}, write(1, 1, "y"), sync(1)}, map[string]string{"a": "\x00y"}},
		"a directory's own name": {[]ptrace.Op{{Kind: ptrace.Create, Ino: 2, IsDir: true, Name: "d"}, create(1, 2, "a"), write(1, 0, "x"), sync(1), sync(2)}, nil},
	} {
		if got := left(t, powercut.None, 1, c.ops...); !maps.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Of what was not synced any part may be there, and all of it is after a kill; of what was synced nothing is
// ever missing.
func TestWhatMayBe(t *testing.T) {
	t.Parallel()
	ops := []ptrace.Op{create(1, 0, "a"), write(1, 0, "certain"), sync(1), sync(0), write(1, 7, string(make([]byte, 600))+"end"), create(2, 0, "b")}
	if got := left(t, powercut.All, 1, ops...); len(got["a"]) != 610 || len(got) != 2 {
		t.Errorf("after a kill: %q", got)
	}
	sizes, names := map[int]bool{}, map[int]bool{}
	for seed := range uint64(60) {
		got := left(t, powercut.Any, seed, ops...)
		if len(got["a"]) < 7 || got["a"][:7] != "certain" {
			t.Fatalf("seed %d: %q", seed, got["a"])
		}
		sizes[len(got["a"])], names[len(got)] = true, true
	}
	if len(sizes) < 3 || len(names) != 2 {
		t.Errorf("sizes %v, names %v", sizes, names)
	}
}
