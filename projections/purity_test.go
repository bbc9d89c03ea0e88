package projections_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// impure lists what a fold must not use: packages with everything below them, and single functions of otherwise
// harmless packages.
var impure = []string{
	"os", "io", "net", "log", "math/rand", "crypto/rand", "sync", "syscall", "unsafe", "context", "embed", "runtime", "plugin",
	"time.Now", "time.Since", "time.Until", "time.After", "time.AfterFunc", "time.Sleep", "time.Tick", "time.NewTimer",
	"time.NewTicker", "time.Local", "time.LoadLocation", "fmt.Print", "fmt.Printf", "fmt.Println", "fmt.Scan",
}

// impurities lists what a source file uses and no fold may.
func impurities(tb testing.TB, name, source string) []string {
	tb.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		tb.Fatal(err)
	}
	var found []string
	packages := map[string]string{} // name in the file → path
	for _, i := range file.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			tb.Fatal(err)
		}
		if name == "list.go" && p == "sync/atomic" {
			continue // decides who may write where states share memory; no state depends on it
		}
		for _, bad := range impure {
			if p == bad || strings.HasPrefix(p, bad+"/") {
				found = append(found, p)
			}
		}
		packages[path.Base(p)] = p
		if i.Name != nil {
			packages[i.Name.Name] = p
			if i.Name.Name == "." || i.Name.Name == "_" {
				found = append(found, i.Name.Name+" "+p)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && slices.Contains(impure, packages[x.Name]+"."+n.Sel.Name) {
				found = append(found, packages[x.Name]+"."+n.Sel.Name)
			}
		case *ast.GoStmt:
			found = append(found, "go")
		case *ast.SelectStmt:
			found = append(found, "select")
		}
		return true
	})
	return found
}

// TestPurity: no clock, no randomness, no environment, no output: a fold always gives the same state.
func TestPurity(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(append(names, below...), func(name string) bool { return name == filepath.Join("all", "all.go") })
	checked := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		checked++
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range impurities(t, name, string(source)) {
			t.Errorf("%s uses %s", name, what)
		}
	}
	if checked == 0 {
		t.Error("no file was checked")
	}
}

func TestPurityGuardSees(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]string{
		`import "time"; var x = time.Unix(0, 0)`:   nil,
		`import "time"; var x = time.Now()`:        {"time.Now"},
		`import clock "time"; var x = clock.Since`: {"time.Since"},
		`import "os"`:                                  {"os"},
		`import "log/slog"`:                            {"log/slog"},
		`import "math"`:                                nil,
		`import "math/rand/v2"`:                        {"math/rand/v2"},
		`import "fmt"; func f() { fmt.Println() }`:     {"fmt.Println"},
		`import "fmt"; func f() { _ = fmt.Sprint(1) }`: nil,
		`import . "time"; var x = Now()`:               {". time"},
		`func f() { go f() }`:                          {"go"},
	} {
		if got := impurities(t, "f.go", "package f;"+source); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", source, got, want)
		}
	}
}
