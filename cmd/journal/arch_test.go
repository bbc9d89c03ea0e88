package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestArrows holds testdata/arrows.txt against the code: each package of the module with what it
// imports of ours, and what only its tests import in parentheses. A new arrow is a decision: it
// shows in the change of that file, which -update writes. The product imports nothing of what is for tests, and only the verbs
// of a team import the room of the team.
func TestArrows(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for _, p := range packages(t) {
		fmt.Fprintf(&list, "%s: %s\n", p.name, strings.Join(p.imports, " "))
		forTests := strings.HasPrefix(p.name, testkit)
		if !forTests && slices.ContainsFunc(p.imports, func(i string) bool { return strings.HasPrefix(i, testkit) }) {
			t.Errorf("%s imports packages that are for tests", p.name)
		}
		if !forTests && !inRoom(p.name) && p.name != "cmd/journal/team" && slices.ContainsFunc(p.imports, inRoom) {
			t.Errorf("%s imports the room of the team", p.name)
		}
	}
	file := filepath.Join("testdata", "arrows.txt")
	if *updateScripts {
		if err := os.WriteFile(file, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(list.String(), "\n")); diff != "" {
		t.Errorf("-%s, +the code:\n%s", file, diff)
	}
}

// inRoom reports whether a package is of the room of the team.
func inRoom(name string) bool {
	return name == "embedded/team" || strings.HasPrefix(name, "embedded/team/")
}

// testkit holds what only tests import.
const testkit = "cmd/testkit/"

// server stands for the packages of the NATS server.
const server = "nats-server"

// codePackage is a package of ours as it is.
type codePackage struct {
	name    string
	imports []string // sorted; in parentheses what only tests import
}

// packages lists the packages of the module, on every system that it is built for.
func packages(t *testing.T) []codePackage {
	t.Helper()
	all := map[string]map[string]bool{} // whether an import is of the package itself, by name
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "journal/...")
		list.Env = append(os.Environ(), "GOOS="+system)
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for dec := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				ImportPath                         string
				Imports, TestImports, XTestImports []string
			}
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimPrefix(p.ImportPath, "journal/")
			if all[name] == nil {
				all[name] = map[string]bool{}
			}
			for i, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
				of, ours := strings.CutPrefix(path, "journal/")
				if strings.HasPrefix(path, "github.com/nats-io/nats-server/") {
					of, ours = server, true
				}
				if ours && of != name {
					all[name][of] = all[name][of] || i < len(p.Imports)
				}
			}
		}
	}
	var listed []codePackage
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := codePackage{name: name, imports: []string{}}
		for of, itself := range all[name] {
			if !itself {
				of = "(" + of + ")"
			}
			p.imports = append(p.imports, of)
		}
		slices.Sort(p.imports)
		listed = append(listed, p)
	}
	return listed
}
