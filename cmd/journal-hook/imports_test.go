package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImports holds what this program links to what has no weight: an agent waits for its
// start at every call of a tool.
func TestImports(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"linux", "darwin"} {
		c := exec.Command("go", "list", "-deps", ".")
		c.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		ours := []string{"journal/cmd/journal-hook", "journal/journal/wire/frame"}
		// What the package syscall links itself.
		theirs := []string{"cmp", "errors", "iter", "math/bits", "runtime", "slices", "sync", "sync/atomic", "syscall", "unsafe"}
		for path := range strings.FieldsSeq(string(out)) {
			// How the standard library is made is its own affair.
			inner := strings.HasPrefix(path, "internal/") || strings.HasPrefix(path, "runtime/")
			if !inner && !slices.Contains(slices.Concat(ours, theirs), path) {
				t.Errorf("on %s this program must not link %s", system, path)
			}
		}
	}
}
