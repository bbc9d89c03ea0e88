package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// openers are the functions that open a path, whatever is there.
var openers = map[string][]string{
	"os":      {"Open", "OpenFile", "ReadFile", "WriteFile", "Create", "ReadDir", "OpenRoot", "OpenInRoot", "DirFS", "CopyFS"},
	"ioutil":  {"ReadFile", "WriteFile", "ReadDir"},
	"syscall": {"Open", "Openat", "CreateFile"},
	"unix":    {"Open", "Openat", "Openat2", "Creat"},
	"windows": {"Open", "CreateFile"},
}

// TestOneDoor holds the program to journal/disk, on every system: what else opens a path
// waits for ever where a pipe lies in its place. Free are files of the system, and what is
// made and must not exist (O_EXCL).
func TestOneDoor(t *testing.T) {
	t.Parallel()
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,IgnoredGoFiles", "journal/cmd/journal")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	files, calls := 0, 0
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir         string
			GoFiles, IgnoredGoFiles []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(p.ImportPath, "journal/") || p.ImportPath == "journal/journal/disk" {
			continue
		}
		for _, name := range append(p.GoFiles, p.IgnoredGoFiles...) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files++
			free := map[ast.Expr]bool{}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					free[n.Fun] = mayOpen(n)
				case *ast.SelectorExpr:
					x, ok := n.X.(*ast.Ident)
					if !ok || !slices.Contains(openers[x.Name], n.Sel.Name) {
						break
					}
					if calls++; !free[n] {
						t.Errorf("%s: %s.%s: open it with journal/disk", set.Position(n.Pos()), x.Name, n.Sel.Name)
					}
				}
				return true
			})
		}
	}
	if files < 300 || calls == 0 {
		t.Errorf("%d files and %d calls were looked at: where is the rest?", files, calls)
	}
}

// mayOpen says whether a call opens a file of the system, or one that must not exist.
func mayOpen(c *ast.CallExpr) (free bool) {
	for i, arg := range c.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				free = free || i == 0 && (strings.HasPrefix(n.Value, `"/proc/`) || strings.HasPrefix(n.Value, `"/etc/`))
			case *ast.SelectorExpr:
				free = free || n.Sel.Name == "O_EXCL"
			}
			return true
		})
	}
	return free
}
