package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	source := "package p\n\n// Door is what is heard.\nfunc f(told int) {\n\tof := told\n\t_ = of\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	for list, want := range map[string]bool{
		"comment 0 \\b\\w+ is what\\b":             true,
		"comment 1 \\b\\w+ is what\\b":             false,
		"local 1 ^(of|told)$":                      true,
		"local 2 ^(of|told)$":                      false,
		"name 1 told":                              true,
		"# only a note\nname 2 told\t# a reason":   false,
		"name 0 Door":                              false, // It stands in a comment.
		"comment 0 is what\nexcept internal/other": true,
	} {
		file := filepath.Join(dir, "list")
		if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
		exceeded, err := check(file, dir, true)
		if err != nil || exceeded != want {
			t.Errorf("%s: exceeded %t, %v; want %t", list, exceeded, err, want)
		}
	}
}

func TestBadList(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list")
	for _, line := range []string{"comment", "word 1 x", "name many x", "name 1 ("} {
		if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := check(file, t.TempDir(), false); err == nil {
			t.Errorf("%q: no error", line)
		}
	}
}
