package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pkg is a package as go list names it.
type pkg struct {
	ImportPath                string
	Dir                       string
	GoFiles                   []string
	Imports                   []string
	TestImports, XTestImports []string
	Module                    struct{ Path, Dir string }
	users                     []string // packages of the same folder that import it, or whose tests do
}

// packagesOf lists the packages of patterns, each with the packages that use it. Packages that only help tests are left out:
// those below cmd/testkit, and those whose names end with "test".
func packagesOf(ctx context.Context, patterns []string) ([]pkg, error) {
	every, err := listed(ctx, []string{"./..."})
	if err != nil {
		return nil, err
	}
	asked, err := listed(ctx, patterns)
	if err != nil {
		return nil, err
	}
	var all []pkg
	for _, p := range asked {
		if strings.HasSuffix(p.ImportPath, "test") || strings.Contains(p.ImportPath, "/testkit/") {
			continue
		}
		for _, user := range every {
			uses := slices.Contains(slices.Concat(user.Imports, user.TestImports, user.XTestImports), p.ImportPath)
			if uses && folder(user) == folder(p) && user.ImportPath != p.ImportPath {
				p.users = append(p.users, user.ImportPath)
			}
		}
		all = append(all, p)
	}
	return all, nil
}

// folder returns the first folder of a package's path below the module's root.
func folder(p pkg) string {
	rel := strings.TrimPrefix(p.ImportPath, p.Module.Path+"/")
	first, _, _ := strings.Cut(rel, "/")
	return first
}

// listed returns the packages of patterns.
func listed(ctx context.Context, patterns []string) (all []pkg, err error) {
	fields := "-json=ImportPath,Dir,GoFiles,Imports,TestImports,XTestImports,Module"
	c := exec.CommandContext(ctx, "go", append([]string{"list", fields}, patterns...)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p pkg
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, p)
	}
}

// mutation is one change of one place.
type mutation struct {
	File string `json:"file"` // below the module's root, with slashes
	Func string `json:"func"`
	Line int    `json:"line"`
	Kind string `json:"kind"`
	Old  string `json:"old"` // the lines that it changes
	New  string `json:"new"`

	path   string
	source []byte // of the whole file, changed
}

// key identifies a mutation. It does not have the line, so that it stays the same if the line moves within its function.
func (m mutation) key() string {
	return strings.Join([]string{m.File, m.Func, words(m.Old), words(m.New)}, "\n")
}

// words folds white space.
func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// String returns the mutation as a diff.
func (m mutation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d %s\n", m.File, m.Line, m.Func)
	for line := range strings.Lines(m.Old + "\n") {
		b.WriteString("- " + line)
	}
	for line := range strings.Lines(m.New + "\n") {
		b.WriteString("+ " + line)
	}
	return b.String()
}

// file is a source file with its mutations.
type file struct {
	name, path string
	source     []byte
	set        *token.FileSet
	function   string         // the present function
	results    *ast.FieldList // of the present function
	failed     ast.Stmt       // the last statement of the last block under "err != nil"
	sites      [][]mutation   // the mutations of each place
}

// sites returns the mutations of every place of a package.
func (p pkg) sites() (all [][]mutation, err error) {
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, path, source, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if ast.IsGenerated(parsed) {
			continue
		}
		rel, err := filepath.Rel(p.Module.Dir, path)
		if err != nil {
			return nil, err
		}
		f := file{name: filepath.ToSlash(rel), path: path, source: source, set: set}
		for _, d := range parsed.Decls {
			f.function, f.results = "", nil
			if fn, ok := d.(*ast.FuncDecl); ok {
				f.function, f.results = nameOf(fn), fn.Type.Results
			}
			ast.Inspect(d, f.look)
		}
		all = append(all, f.sites...)
	}
	return all, nil
}

// nameOf returns the name of a function, after the type of its receiver.
func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	switch generic := receiver.(type) {
	case *ast.IndexExpr:
		receiver = generic.X
	case *ast.IndexListExpr:
		receiver = generic.X
	}
	if id, ok := receiver.(*ast.Ident); ok {
		return id.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}

// logs matches the functions that only write to a log: no test checks the words of a log.
var logs = regexp.MustCompile(`(?i)^([\w.]*\blog(ger)?(\(\))?\.(debug|info|warn|error|log)|slog\.\w+|[\w.]+\.trouble)$`)

// isLog reports whether a statement calls a function that logs matches.
func (f *file) isLog(s *ast.ExprStmt) bool {
	call, ok := s.X.(*ast.CallExpr)
	return ok && logs.MatchString(f.text(call.Fun))
}

// The offset of a position; the source of a node; a new place with its mutations; the mutation that removes a node.
func (f *file) at(p token.Pos) int          { return f.set.Position(p).Offset }
func (f *file) text(n ast.Node) string      { return string(f.source[f.at(n.Pos()):f.at(n.End())]) }
func (f *file) site(variants ...mutation)   { f.sites = append(f.sites, variants) }
func (f *file) without(n ast.Node) mutation { return f.change("statement", n.Pos(), n.End(), "") }

// change returns the mutation that replaces the source between two positions by a text. It keeps the number of lines, so that the
// code behind keeps its line numbers.
func (f *file) change(kind string, from, to token.Pos, by string) mutation {
	start, end := f.at(from), f.at(to)
	by += strings.Repeat("\n", max(0, bytes.Count(f.source[start:end], []byte("\n"))-strings.Count(by, "\n")))
	changed := bytes.Join([][]byte{f.source[:start], f.source[end:]}, []byte(by))
	lineStart := bytes.LastIndexByte(f.source[:start], '\n') + 1
	lineEnd := len(f.source)
	if n := bytes.IndexByte(f.source[end:], '\n'); n >= 0 {
		lineEnd = end + n
	}
	changedEnd := lineEnd + len(changed) - len(f.source)
	return mutation{
		File: f.name, Func: f.function, Line: f.set.Position(from).Line, Kind: kind,
		Old: string(f.source[lineStart:lineEnd]), New: strings.TrimRight(string(changed[lineStart:changedEnd]), "\n"),
		path: f.path, source: changed,
	}
}
