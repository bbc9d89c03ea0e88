package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// pastDisplay are the functions that write past a display, and why none of it is a foreign
// text for people.
var pastDisplay = map[string]string{
	"NewApp":             "makes the displays",
	"App.HookEnv":        "hands out what an agent reads from hooks",
	"agent/mcp.go":       "speaks MCP",
	"resumable.run":      "the agent has the terminal",
	"Terminal.JSONLines": "JSON has the original",
	"care/export.go":     "JSON has the original",
	"Terminal.Document":  "word for word, not on a terminal",
	"Terminal.Paint":     "flattens the line itself",
	"Terminal.Progress":  "a line of our own words and numbers",
	"Terminal.Mark":      "flattens the line itself",
}

// Every printer goes through a display: nobody else knows the process's own output, and
// who writes past a display is named here.
func TestDisplay(t *testing.T) {
	t.Parallel()
	set := token.NewFileSet()
	names, err := filepath.Glob("*/*.go")
	deeper, deep := filepath.Glob("*/*/*.go")
	if err := errors.Join(err, deep); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, name := range append(names, deeper...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			who := filepath.ToSlash(name)
			if fn, ok := d.(*ast.FuncDecl); ok {
				who = fn.Name.Name
				if fn.Recv != nil {
					if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
						who = star.X.(*ast.Ident).Name + "." + who
					}
				}
			}
			ast.Inspect(d, func(n ast.Node) bool {
				what := passes(n)
				if what == "" {
					return true
				}
				used[who] = true
				if pastDisplay[who] == "" {
					t.Errorf("%s: %s uses %s: print to a.Out or a.Err, or name it here", set.Position(n.Pos()), who, what)
				}
				return true
			})
		}
	}
	for who := range pastDisplay {
		if !used[who] {
			t.Errorf("%s does not write past a display any more", who)
		}
	}
}

// passes says what of a node writes past a display, nothing for most.
func passes(n ast.Node) string {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok {
			switch said := x.Name + "." + n.Sel.Name; said {
			case "os.Stdout", "os.Stderr", "fmt.Print", "fmt.Printf", "fmt.Println", "cli.Verbatim":
				return said
			}
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "Verbatim" || f.Name == "print" || f.Name == "println") {
			return f.Name
		}
	case *ast.BasicLit:
		if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && strings.Contains(s, "\x1b") && !strings.Contains(s, "\x1b[K") {
			return "a sequence of terminals"
		}
	}
	return ""
}
