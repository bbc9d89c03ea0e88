package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docs/GUARANTEES.md promises nothing without a test, and every test that it names is there.
func TestGuarantees(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "GUARANTEES.md"))
	if err != nil {
		t.Fatal(err)
	}
	there, rows := testsBelow(t, root), 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.HasPrefix(line, "|---") || strings.TrimSpace(cells[1]) == "promised" {
			continue
		}
		rows++
		hasTests(t, there, cells[1], cells[2])
		if strings.TrimSpace(cells[3]) == "" {
			t.Errorf("%s was never measured", cells[1])
		}
	}
	if rows < 8 {
		t.Errorf("%d rows", rows)
	}
}
