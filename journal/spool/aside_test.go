package spool_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/journal/spool"
)

func TestSetAsideKeepsTheFileAndSaysWhy(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	// The same name three times, the last as a temporary file.
	want := map[string]string{}
	for i, name := range []string{someName, someName, ".tmp-" + someName} {
		body := string(rune('a' + i))
		writeFile(t, filepath.Join(path, name), body)
		if err := d.SetAside(spool.Entry{Name: name}, "reason "+body); err != nil {
			t.Fatal(err)
		}
		aside := someName + []string{"", ".2", ".3"}[i]
		want[aside] = body
		want[aside+".reason"] = "reason " + body + "\n"
	}
	got := map[string]string{}
	for _, name := range lsNames(t, filepath.Join(path, "aside")) {
		text, err := os.ReadFile(filepath.Join(path, "aside", name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n, aside, err := d.Count(); n != 0 || aside != 3 || err != nil {
		t.Errorf("count %d, %d, error %v", n, aside, err)
	}
}

func TestSetAsideThatFailsLeavesTheFile(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	writeFile(t, filepath.Join(path, someName), "x")
	writeFile(t, filepath.Join(path, "aside"), "in the way")
	if err := d.SetAside(spool.Entry{Name: someName}, "test"); err == nil {
		t.Error("no error")
	}
	if diff := cmp.Diff([]string{someName}, names(list(t, d))); diff != "" {
		t.Error(diff)
	}
}

func TestSetAsideOfWhatIsGoneLeavesNoReason(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	if err := d.SetAside(spool.Entry{Name: someName}, "test"); err == nil {
		t.Error("no error")
	}
	if left := lsNames(t, filepath.Join(path, "aside")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}
