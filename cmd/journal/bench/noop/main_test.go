package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The floor is only a floor of the program that it was made for.
func TestSameImports(t *testing.T) {
	t.Parallel()
	imports := func(pkg string) []string {
		out, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, pkg).CombinedOutput()
		if err != nil {
			t.Fatalf("go list %s: %v\n%s", pkg, err, out)
		}
		list := strings.Fields(string(out))
		slices.Sort(list)
		return list
	}
	if diff := cmp.Diff(imports("journal/cmd/journal"), imports("journal/cmd/journal/bench/noop")); diff != "" {
		t.Errorf("imports differ (-program +noop):\n%s", diff)
	}
}
