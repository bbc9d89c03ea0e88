package main

import (
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the list of imports anew")

const list = "testdata/imports.txt"

// TestImports holds what this program links, directly or not, to a list. An agent
// waits for the start of this program at every call of a tool: each package costs
// pages to read, and variables to initialise. A line more is a decision.
func TestImports(t *testing.T) {
	t.Parallel()
	c := exec.Command("go", "list", "-deps", ".")
	c.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0") // others differ in how they ask the system
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(strings.Lines(string(out)))
	got = slices.DeleteFunc(got, func(path string) bool {
		// How the standard library is made is its own affair.
		return strings.HasPrefix(path, "vendor/") || slices.Contains(strings.Split(strings.TrimSpace(path), "/"), "internal")
	})
	if *update {
		if err := os.WriteFile(list, []byte(strings.Join(got, "")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Collect(strings.Lines(string(b)))
	for _, path := range got {
		if !slices.Contains(want, path) {
			t.Errorf("this program must not link %s", strings.TrimSpace(path))
		}
	}
	for _, path := range want {
		if !slices.Contains(got, path) {
			t.Errorf("%s is linked no more: take it from the list (-update)", strings.TrimSpace(path))
		}
	}
}
