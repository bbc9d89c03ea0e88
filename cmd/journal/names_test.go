package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/journal/cli"
	"journal/events"
)

// TestNames holds testdata/names.txt against the code: the types of events and the keys of everything that is stored or
// printed as JSON, by package and struct, and the exit codes. A released name is never changed: each difference shows in
// the change of that file, which -update writes. The formats of agents are theirs, and not listed.
func TestNames(t *testing.T) {
	t.Parallel()
	lines := []string{fmt.Sprintf("exit codes: %d success, %d failure, %d usage, %d damage", cli.ExitOK, cli.ExitError, cli.ExitUsage, cli.ExitDamage)}
	for _, d := range events.Declared() {
		lines = append(lines, fmt.Sprintf("event %s, version %d", d.Name, d.Version))
	}
	for _, room := range []string{"cmd/journal", "embedded", "events", "journal", "projections", "replay"} {
		lines = append(lines, structKeys(t, room)...)
	}
	file, list := filepath.Join("testdata", "names.txt"), strings.Join(lines, "\n")+"\n"
	if *updateScripts {
		if err := os.WriteFile(file, []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(list, "\n")); diff != "" {
		t.Errorf("-%s, +the code:\n%s", file, diff)
	}
}

// structKeys lists the JSON keys of the structs below a directory of the module, sorted by path. A struct without a name has
// that of its function.
func structKeys(t *testing.T, room string) (lines []string) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(filepath.Join(root, room), func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || name == "journal/agents"):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		owner, folder := "", filepath.ToSlash(filepath.Dir(name))
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				owner = n.Name.Name
			case *ast.TypeSpec:
				owner = n.Name.Name
			case *ast.StructType:
				if keys := jsonKeys(n); len(keys) > 0 {
					lines = append(lines, fmt.Sprintf("%s %s: %s", folder, owner, strings.Join(keys, " ")))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

// jsonKeys returns the JSON keys of a struct.
func jsonKeys(s *ast.StructType) (keys []string) {
	for _, field := range s.Fields.List {
		if field.Tag == nil {
			continue
		}
		key, _, _ := strings.Cut(reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json"), ",")
		if key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}
