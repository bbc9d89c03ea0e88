// Command words searches the code's comments and identifiers for words that readers stumble over.
//
//	words -list .ci/words [-n] [DIRECTORY]
//
// Each line of the list has a kind (comment, local or name), the number of places that may remain, and a regular expression,
// which ignores case. A line that begins with "except" names a folder that is not read. If there are more places than may
// remain, it prints all places of that line, and exits with 1. With -n it prints the number of places of each line instead.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rule is a line of the list, with the places that match it.
type rule struct {
	kind    string
	most    int // number of places that may remain
	pattern *regexp.Regexp
	places  []string
}

func main() {
	list := flag.String("list", ".ci/words", "the list of words")
	counts := flag.Bool("n", false, "print one count a line of the list")
	flag.Parse()
	root := "."
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	exceeded, err := check(*list, root, *counts)
	if err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(2)
	}
	if exceeded {
		os.Exit(1)
	}
}

// check searches below root, prints the result, and reports whether a line of the list has more places than may remain. If
// counts is set, it prints numbers instead of places.
func check(list, root string, counts bool) (bool, error) {
	rules, except, err := readList(list)
	if err != nil {
		return false, err
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if entry.IsDir() {
			if skipped(rel, entry.Name(), except) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		return checkFile(path, rel, rules)
	})
	if err != nil {
		return false, err
	}
	exceeded := false
	for _, r := range rules {
		over := len(r.places) > r.most
		exceeded = exceeded || over
		if counts {
			fmt.Printf("%-8s %5d of %5d  %s\n", r.kind, len(r.places), r.most, r.pattern)
			continue
		}
		if over {
			fmt.Printf("%s %q: %d places, %d may remain\n  %s\n", r.kind, r.pattern, len(r.places), r.most, strings.Join(r.places, "\n  "))
		}
	}
	return exceeded, nil
}

// skipped reports whether a folder is not read: hidden ones, test data, the tools, and the list's exceptions.
func skipped(rel, name string, except []string) bool {
	if rel == "." {
		return false
	}
	if strings.HasPrefix(name, ".") || name == "testdata" || rel == filepath.Join("cmd", "tools") {
		return true
	}
	for _, e := range except {
		if filepath.ToSlash(rel) == e {
			return true
		}
	}
	return false
}

// readList reads the list: its rules, and the folders that are not read.
func readList(file string) ([]*rule, []string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	var rules []*rule
	var except []string
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "\t#")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(line, "#"):
		case fields[0] == "except" && len(fields) == 2:
			except = append(except, fields[1])
		default:
			r, err := parseRule(fields)
			if err != nil {
				return nil, nil, fmt.Errorf("%s:%d: %w", file, n, err)
			}
			rules = append(rules, r)
		}
	}
	return rules, except, lines.Err()
}

// parseRule parses the fields of a line of the list.
func parseRule(fields []string) (*rule, error) {
	if len(fields) < 3 {
		return nil, errors.New("a line has a kind, a number and a pattern")
	}
	if !slices.Contains([]string{"comment", "local", "name"}, fields[0]) {
		return nil, fmt.Errorf("%q is not a kind; use comment, local or name", fields[0])
	}
	most, err := strconv.Atoi(fields[1])
	if err != nil {
		return nil, err
	}
	pattern, err := regexp.Compile("(?i)" + strings.Join(fields[2:], " "))
	if err != nil {
		return nil, err
	}
	return &rule{kind: fields[0], most: most, pattern: pattern}, nil
}

// checkFile adds the places in a file to the rules that they match. rel is the file's path below the root.
func checkFile(path, rel string, rules []*rule) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	find := func(kind, text string, pos token.Pos) {
		for _, r := range rules {
			if r.kind != kind {
				continue
			}
			for range r.pattern.FindAllString(text, -1) {
				r.places = append(r.places, fmt.Sprintf("%s:%d: %s", rel, set.Position(pos).Line, excerpt(text)))
			}
		}
	}
	for _, group := range file.Comments {
		find("comment", strings.Join(strings.Fields(group.Text()), " "), group.Pos())
	}
	ast.Inspect(file, func(n ast.Node) bool {
		for _, id := range defined(n) {
			find("local", id.Name, id.Pos())
		}
		if id, ok := n.(*ast.Ident); ok {
			find("name", id.Name, id.Pos())
		}
		return true
	})
	return nil
}

// defined returns the identifiers that a statement, a signature or a declaration of variables or constants introduces.
func defined(n ast.Node) []*ast.Ident {
	var ids []*ast.Ident
	add := func(exprs ...ast.Expr) {
		for _, e := range exprs {
			if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
				ids = append(ids, id)
			}
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			add(n.Lhs...)
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			add(n.Key, n.Value)
		}
	case *ast.FuncType:
		for _, list := range []*ast.FieldList{n.Params, n.Results} {
			if list == nil {
				continue
			}
			for _, f := range list.List {
				ids = append(ids, f.Names...)
			}
		}
	case *ast.ValueSpec:
		ids = append(ids, n.Names...)
	}
	return ids
}

// excerpt returns a text, or its first 100 characters and "…" if it is longer.
func excerpt(text string) string {
	if r := []rune(text); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return text
}
