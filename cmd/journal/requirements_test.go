package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/REQUIREMENTS.md has a row for every requirement, and every test that it
// names is there.
func TestRequirements(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "REQUIREMENTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) == 6 {
			rows[strings.TrimSpace(cells[1])] = cells[3]
		}
	}
	var ids []string
	for group, n := range map[string]int{"S0": 10, "S1": 15, "S2": 11, "S3": 9, "S4": 7, "J": 6} {
		for i := range n {
			ids = append(ids, fmt.Sprintf("%s.%d", group, i+1))
		}
	}
	there := testsBelow(t, root)
	named := regexp.MustCompile("`([^`]+)`")
	for _, id := range ids {
		tests := named.FindAllStringSubmatch(rows[id], -1)
		if len(tests) == 0 {
			t.Errorf("%s has no test in docs/REQUIREMENTS.md", id)
		}
		for _, name := range tests {
			if !there[name[1]] {
				t.Errorf("%s names %s, which does not exist", id, name[1])
			}
		}
	}
}

// testsBelow are the names of the Go tests and of the scripts and examples.
func testsBelow(t *testing.T, root string) map[string]bool {
	t.Helper()
	there := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(path, ".txtar"):
			there[filepath.Base(path)] = true
		case strings.HasSuffix(path, "_test.go"):
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range declared.FindAllStringSubmatch(string(b), -1) {
				there[m[1]] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}
