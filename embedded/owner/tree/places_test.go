package tree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/projections"
)

const source = `package list

// Sum adds.
func Sum(all []int) (n int) {
	for _, one := range all {
		n += one
	}
	return n
}

func Round(n int) int {
	return n
}

func Unasked() {}
`

func trailOf(root string, files ...projections.TrailFile) projections.TrailState {
	for i := range files {
		files[i].Path = filepath.Join(root, files[i].Path)
	}
	return projections.TrailState{Root: root, Files: files}
}

func look(t *testing.T, trail projections.TrailState) events.PlacesObserved {
	t.Helper()
	files, err := openTree(trail.Root)
	if err != nil {
		t.Fatal(err)
	}
	defer files.close()
	seen, _ := placesIn(trail, files.lines)
	return seen
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	name = filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A change is found by its text, wherever it is now, and a mentioned name at its definition.
func TestPlaces(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "list.go", source)
	changed, _ := events.PassageOf("\tfor {\n", "\tfor _, one := range all {\n\t\tn += one\n")
	gone := events.Passage{Lines: []string{"nothing of this"}, Count: 1}
	trail := trailOf(root, projections.TrailFile{Path: "list.go", Written: true, Passages: []events.Passage{changed, gone}})
	trail.Summary = []string{"Round", "Elsewhere"}
	want := events.PlacesObserved{Files: []events.FilePlaces{{
		Path: "list.go", Changed: []events.Range{{From: 5, To: 6, In: "Sum"}},
		Names: []events.Place{{Name: "Sum", Line: 4}, {Name: "Round", Line: 11}},
	}}}
	if diff := cmp.Diff(want, look(t, trail)); diff != "" {
		t.Error(diff)
	}
}

// A mentioned name without a definition is recorded where the newest change has it. A function that begins within a change was changed too.
func TestPlacesWithinChanges(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "lanes.go", "package a\n\nfunc Lanes() {\n\tlastIdx := 1\n\tfirstIdx := lastIdx // laneIdx\n\tprint(\"someIdx\", Other)\n}\n\nfunc Other() {\n\taddLane(laneIdx, true)\n}\n")
	changed := events.Passage{Lines: []string{"firstIdx := lastIdx // laneIdx", "print(\"someIdx\", Other)", "}"}, Count: 6}
	trail := trailOf(root, projections.TrailFile{Path: "lanes.go", Written: true, Passages: []events.Passage{{Lines: []string{"lastIdx := 1"}, Count: 1}, changed}})
	trail.Summary = []string{"firstIdx", "someIdx", "laneIdx", "addLane", "true"}
	want := events.PlacesObserved{Files: []events.FilePlaces{{
		Path: "lanes.go", Changed: []events.Range{{From: 4, To: 10, In: "Lanes", Names: []events.Place{{Name: "firstIdx", Line: 5}, {Name: "laneIdx", Line: 10}}}},
		Names: []events.Place{{Name: "Lanes", Line: 3}, {Name: "Other", Line: 9}},
	}}}
	if diff := cmp.Diff(want, look(t, trail)); diff != "" {
		t.Error(diff)
	}
}

// A topic of the work is recorded at its first use in a file that does not define it.
func TestPlacesOfUses(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "list.go", "package a\n\nfunc readAll() {}\n\nfunc other() { readAll() }\n")
	write(t, root, "main.go", "package a\n\n// readAll reads.\nvar s = \"readAll\"\n\nfunc main() {\n\treadAllOf()\n\treadAll()\n\treadAll()\n\treadNone()\n}\n")
	write(t, root, "page.ts", "import { readAll } from './list'\n\nreadAll()\n")
	trail := trailOf(root, projections.TrailFile{Path: "page.ts"}, projections.TrailFile{Path: "main.go"}, projections.TrailFile{Path: "list.go"})
	trail.Words[1], trail.Summary = "let readAll() and readNone() say why", []string{"readAll"}
	want := events.PlacesObserved{Files: []events.FilePlaces{
		{Path: "list.go", Names: []events.Place{{Name: "readAll", Line: 3}}}, {Path: "main.go", Names: []events.Place{{Name: "readAll", Line: 8}}},
		{Path: "page.ts", Names: []events.Place{{Name: "readAll", Line: 3}}},
	}}
	if diff := cmp.Diff(want, look(t, trail)); diff != "" {
		t.Error(diff)
	}
}

// Names in the agent's newest words and steps come before those that it changed. Once it has edited a file in a turn, other files that
// neither the turn nor those words touched are left out, and so are the uses of a symbol changed before.
func TestPlacesOfTheTurn(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"old.go", "hooks.go", "list.go"} {
		stem, _, _ := strings.Cut(name, ".")
		write(t, root, name, fmt.Sprintf("package a\n\nfunc %sFirst() {\n\tx := 1\n}\n\nfunc %sNext() {}\n", stem, stem))
	}
	changed := func(stem string) []events.Passage {
		p, _ := events.PassageOf("", "func "+stem+"First() {\n\tx := 1\n}\n")
		return []events.Passage{p}
	}
	trail := trailOf(root, projections.TrailFile{Path: "old.go", Written: true, UsedSeq: 3, WrittenSeq: 3, Passages: changed("old")},
		projections.TrailFile{Path: "hooks.go", UsedSeq: 4}, projections.TrailFile{Path: "list.go", UsedSeq: 7, WrittenSeq: 7, Written: true, Passages: changed("list")})
	trail.Words[2], trail.Item = "The places are:\n\n1. `hooksNext()`, next\n2. `listNext`", "Check the list"
	files := func() (all []string) {
		for _, f := range look(t, trail).Files {
			all = append(all, fmt.Sprint(f.Path, f.Names))
		}
		return all
	}
	if diff := cmp.Diff([]string{"list.go[{listFirst 3} {listNext 7}]", "hooks.go[{hooksNext 7}]", "old.go[{oldFirst 3}]"}, files()); diff != "" {
		t.Error(diff)
	}
	trail.Request = 5
	if diff := cmp.Diff([]string{"list.go[{listFirst 3} {listNext 7}]", "hooks.go[{hooksNext 7}]"}, files()); diff != "" {
		t.Error(diff)
	}
	for request, want := range map[uint64]string{5: "listFirst", 8: ""} {
		trail.Request = request
		opened, err := openTree(root)
		if err != nil {
			t.Fatal(err)
		}
		if _, s := placesIn(trail, opened.lines); s.name != want {
			t.Errorf("changed since #%d: %q, want %q", request, s.name, want)
		}
		opened.close()
	}
}

// Text that occurs twice is not recorded, nor anything in files outside of the project, links to the outside, and other things than text
// files.
func TestPlacesLeftOut(t *testing.T) {
	t.Parallel()
	outside, root := t.TempDir(), t.TempDir()
	write(t, outside, "list.go", source)
	write(t, root, "twice.go", "package a\n\nfunc A() {\n\tx()\n}\n\nfunc B() {\n\tx()\n}\n")
	write(t, root, "bytes.go", "func Round() {\n\xff")
	write(t, root, "long.go", source+strings.Repeat("\n", fileBytes))
	if err := os.Symlink(filepath.Join(outside, "list.go"), filepath.Join(root, "link.go")); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir(filepath.Join(root, "dir.go"), 0o755); err != nil {
		t.Fatal(err)
	}
	trail := trailOf(root, projections.TrailFile{Path: "link.go"}, projections.TrailFile{Path: "dir.go"}, projections.TrailFile{Path: "bytes.go"},
		projections.TrailFile{Path: "long.go"}, projections.TrailFile{Path: "gone.go"},
		projections.TrailFile{Path: "twice.go", Written: true, Passages: []events.Passage{{Lines: []string{"x()"}, Count: 1}}})
	trail.Files = append(trail.Files, projections.TrailFile{Path: filepath.Join(outside, "list.go")})
	trail.Summary = []string{"Round", "Sum"}
	if got := look(t, trail); len(got.Files) > 0 {
		t.Errorf("%+v", got)
	}
}

// The event stays short, however much was changed.
func TestPlacesAreBounded(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var b strings.Builder
	var trail projections.TrailState
	for i := range 30 {
		fmt.Fprintf(&b, "func Name%d() {}\n", i)
		trail.Summary = append(trail.Summary, fmt.Sprint("Name", i))
	}
	var files []projections.TrailFile
	for i := range 40 {
		name := fmt.Sprintf("f%d.go", i)
		write(t, root, name, b.String())
		files = append(files, projections.TrailFile{Path: name})
	}
	trail.Root, trail.Files = root, trailOf(root, files...).Files
	got, n := look(t, trail), 0
	for _, f := range got.Files {
		if n += len(f.Names); len(f.Names) > maxNames {
			t.Errorf("%d names of %s", len(f.Names), f.Path)
		}
	}
	if len(got.Files) > maxPlaced || n > maxAllNames || got.Files[0].Path != "f39.go" {
		t.Errorf("%d names in %d files, the first of %s", n, len(got.Files), got.Files[0].Path)
	}
}
