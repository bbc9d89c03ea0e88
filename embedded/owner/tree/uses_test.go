package tree

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/journal/git"
	"journal/projections"
)

// repository creates a checkout with tracked files.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		write(t, root, name, text)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		if out, err := git.Command(t.Context(), root, args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args[0], err, out)
		}
	}
	return root
}

func usesFound(t *testing.T, root string, s symbol) events.UsesObserved {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	found, _ := (&Observer{search: 20 * searchWait}).usesOf(context.Background(), root, s)
	return found
}

// Files that use names of the item in work come first.
func TestPlacesOfTheItemInWork(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var files []projections.TrailFile
	write(t, root, "phase_test.go", "package a\n\nfunc TestPhase() {\n\tsubmitWithPath()\n}\n")
	files = append(files, projections.TrailFile{Path: "phase_test.go"})
	var asked strings.Builder
	for i := range 2 * maxPlaced {
		name := fmt.Sprintf("done%d.go", i)
		write(t, root, name, fmt.Sprintf("package a\n\nfunc doneHere%d() {}\n", i))
		files = append(files, projections.TrailFile{Path: name})
		fmt.Fprintf(&asked, "doneHere%d ", i)
	}
	trail := trailOf(root, files...)
	trail.Words[1], trail.Item = asked.String(), "Item 3: extract submitWithPath"
	if got := look(t, trail); len(got.Files) == 0 || got.Files[0].Path != "phase_test.go" {
		t.Errorf("%+v", got)
	}
	// The names of an open task come before those that only the request has.
	trail.Item, trail.Todos = "", projections.TodosState{{Text: "Wire doneHere0", Status: "pending"}}
	if got := look(t, trail); len(got.Files) == 0 || got.Files[0].Path != "done0.go" {
		t.Errorf("%+v", got)
	}
}

// A symbol whose definition was changed is searched for, but not one in a test, nor one of which only the body was changed.
func TestChangedSymbol(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "list.go", source)
	write(t, root, "list_test.go", "package list\n\nfunc TestSum() {\n\tSum()\n}\n")
	signature, _ := events.PassageOf("func Round() {\n", "func Round(n int) int {\n")
	body, _ := events.PassageOf("\tfor {\n", "\tfor _, one := range all {\n")
	test, _ := events.PassageOf("func x\n", "func TestSum() {\n")
	for want, at := range map[string][]events.Passage{"Round": {body, signature}, "": {signature, body}} {
		trail := trailOf(root, projections.TrailFile{Path: "list.go", Written: true, Passages: at}, projections.TrailFile{Path: "list_test.go", Written: true, Passages: []events.Passage{test}})
		files, err := openTree(root)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := placesIn(trail, files.lines); got.name != want {
			t.Errorf("%q, want %q", got.name, want)
		}
		files.close()
	}
}

// Uses are whole words in tracked text files, at most a few in one file, with path and line alone.
func TestUses(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("Round(1)\n", 20)
	root := repository(t, map[string]string{
		"list.go": source, "a/main.go": "package a\n\nvar x = Round(1) // secret\nvar y = Rounded(1)\n", "many.go": many, "data.bin": "Round\x00", "with:colon.go": "Round()\n",
	})
	write(t, root, "untracked.go", "Round(1)\n")
	got := usesFound(t, root, symbol{"Round", "list.go", events.Range{From: 11, To: 13}})
	want := events.UsesObserved{Name: "Round", More: 17, Lines: []events.UseLine{
		{Path: "a/main.go", Line: 3}, {Path: "many.go", Line: 1}, {Path: "many.go", Line: 2}, {Path: "many.go", Line: 3}, {Path: "with:colon.go", Line: 1},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for dir, name := range map[string]string{root: "Nowhere", t.TempDir(): "Round"} {
		if diff := cmp.Diff(events.UsesObserved{}, usesFound(t, dir, symbol{name: name})); diff != "" {
			t.Error(diff)
		}
	}
}

// The event stays short, however many uses there are, and a name in the form of an option is searched for too.
func TestUsesAreBounded(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("f%d.go", i)] = strings.Repeat("Round(1) "+strings.Repeat("x", 200)+"\n", 20)
	}
	got := usesFound(t, repository(t, files), symbol{name: "Round"})
	if len(got.Lines) != maxUseLines || got.More == 0 {
		t.Errorf("%+v", got)
	}
	if got := usesFound(t, t.TempDir(), symbol{name: "--open-files-in-pager=touch"}); len(got.Lines) > 0 {
		t.Errorf("%+v", got)
	}
}
