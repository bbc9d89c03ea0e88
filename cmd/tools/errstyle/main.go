// Command errstyle reports error handling that is not written in Go's usual way.
//
//	errstyle -root . -except .ci/errstyle [FOLDER...]
//
// It reports `if err == nil {…}` in place of an early return, an assignment in the header of an `if` or `switch` whose
// conditions are about something else, and cmp.Or of errors, which evaluates every argument. The file of exceptions lists
// packages that are not clean yet. A package that has become clean must be removed from it, so the list only shrinks. With
// folders, it reports on these, excepted or not. It exits with 1 if it reported anything.
package main

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	root := flag.String("root", ".", "the module's directory")
	except := flag.String("except", ".ci/errstyle", "the list of packages that are not clean yet")
	flag.Parse()
	reports, err := check(*root, *except, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "errstyle:", err)
		os.Exit(2)
	}
	for _, r := range reports {
		fmt.Println(r)
	}
	if len(reports) > 0 {
		os.Exit(1)
	}
}

// check returns the reports for folders; without folders, those for all packages that are not excepted.
func check(root, except string, folders []string) ([]string, error) {
	list, err := os.ReadFile(except)
	if err != nil {
		return nil, err
	}
	found, err := findAll(root)
	if err != nil {
		return nil, err
	}
	var reports []string
	for _, dir := range folders {
		reports = append(reports, found[path.Clean(dir)]...)
	}
	if len(folders) > 0 {
		return reports, nil
	}
	for line := range strings.Lines(string(list)) {
		dir := strings.TrimSpace(line)
		if dir == "" || dir[0] == '#' {
			continue
		}
		if len(found[dir]) == 0 {
			reports = append(reports, fmt.Sprintf("%s: %s is clean: remove it from the list", except, dir))
		}
		delete(found, dir)
	}
	for _, places := range found {
		reports = append(reports, places...)
	}
	slices.Sort(reports)
	return reports, nil
}

// findAll returns the reports for each package below root, by folder, without tests, test data and tools.
func findAll(root string) (map[string][]string, error) {
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, file)
		rel = filepath.ToSlash(rel)
		if entry.IsDir() {
			if rel == "cmd/tools" || entry.Name() == "testdata" || rel != "." && strings.HasPrefix(entry.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		inspect(tree, func(pos token.Pos, text string) {
			found[path.Dir(rel)] = append(found[path.Dir(rel)], fmt.Sprintf("%s:%d: %s", rel, set.Position(pos).Line, text))
		})
		return nil
	})
	return found, err
}
