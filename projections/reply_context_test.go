package projections

import (
	"fmt"
	"strings"
	"testing"

	"journal/events/text"
)

// Rows of a table can have the same label. A prompt that names it means all of them.
func TestRowsWithOneLabel(t *testing.T) {
	t.Parallel()
	const table = "| Severity | Where |\n|---|---|\n| high | a.go |\n| low | b.go |\n| high | c.go |"
	if _, got := replyContext("fix the high ones", table); got != "| high | a.go |\n| high | c.go |" {
		t.Errorf("choice %q", got)
	}
}

// The rule below the head of a table is no row, however it is spelled.
func TestRuleOfATable(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"|---|---|", "| --- | --- |", "|:---|:---:|", "| :-- | --: |"} {
		table := "| Store | Cost |\n" + rule + "\n| Redis | high |\n| Memory | low |"
		if _, got := replyContext("the second one", table); got != "| Memory | low |" {
			t.Errorf("%s: choice %q", rule, got)
		}
	}
}

// A prompt that names all rows of a long table gets some whole words of the first rows, instead of no words of each row.
func TestChoiceFromALongTable(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	for i := range 600 {
		fmt.Fprintf(&table, "|%04d|\n", i)
	}
	_, got := replyContext("do all of them", table.String())
	if !strings.HasPrefix(got, "|0001|\n|0002|\n") || strings.Contains(got, "…") || text.Units(got) > maxChoice+maxNamed {
		t.Errorf("choice of %d units: %q", text.Units(got), got)
	}
}
