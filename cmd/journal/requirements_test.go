package main

import (
	"cmp"
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
	ids = append(ids, "J.8", "J.9", "J.11")
	there := testsBelow(t, root)
	for _, id := range ids {
		hasTests(t, there, id, rows[id])
	}
}

// TestClients: each cell of the table in docs/AGENTS.md of what is recorded has its tests in docs/CLIENTS.md
// §16, and they are there.
func TestClients(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	rows := func(path, heading string, n int) (rows [][]string) {
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		_, page, _ := strings.Cut(string(b), "\n## "+heading)
		page, _, _ = strings.Cut(page, "\n## ")
		for line := range strings.Lines(page) {
			if cells := strings.Split(strings.Trim(line, "|\n"), "|"); len(cells) == n && strings.HasPrefix(line, "|") && !strings.Contains(line, "---") {
				for i := range cells {
					cells[i] = strings.TrimSpace(cells[i])
				}
				rows = append(rows, cells)
			}
		}
		return rows[1:] // the first one names the columns
	}
	there, agent, cells := testsBelow(t, root), "", map[string]bool{}
	for _, row := range rows("docs/CLIENTS.md", "16. ", 3) {
		agent = cmp.Or(row[0], agent)
		cells[agent+" "+row[1]] = true
		hasTests(t, there, agent+" "+row[1], row[2])
	}
	agents := rows("docs/AGENTS.md", "What is recorded", 4)
	for _, row := range agents {
		for i, cell := range []string{"recorded", "given back", "not allowed"} {
			if row[i+1] == "" || !cells[row[0]+" "+cell] {
				t.Errorf("%s: %s is empty, or has no tests", row[0], cell)
			}
		}
	}
	if len(agents) != 7 {
		t.Errorf("%d agents, want 7", len(agents))
	}
}

// quoted is a name in a cell of a table.
var quoted = regexp.MustCompile("`([^`]+)`")

// hasTests says what is wrong with a cell that names the tests of a line.
func hasTests(t *testing.T, there map[string]bool, line, cell string) {
	t.Helper()
	tests := quoted.FindAllStringSubmatch(cell, -1)
	if len(tests) == 0 {
		t.Errorf("%s has no test", line)
	}
	for _, name := range tests {
		if !there[name[1]] {
			t.Errorf("%s names %s, which does not exist", line, name[1])
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
