package look

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"journal/cmd/journal/cli"
	"journal/embedded/catalogue"
	"journal/events/text"
	"journal/replay/audit"
)

// However many statuses there are, the table is 80 columns wide; those of nothing but
// zeros are left out.
func TestTableFits(t *testing.T) {
	t.Parallel()
	c := audit.Compaction{Ordinal: 12, Lane: "ac7e2f01", Trigger: "manual"}
	c.Totals = audit.Totals{Known: 12345, Promoted: 1, InSummary: 12330, Kept: 1, Restored: 1, Offered: 1, InFile: 1, Reviewed: 1, Unclear: 1, Lost: 1}
	table := func(some ...audit.Compaction) string {
		var out bytes.Buffer
		printCompactions((&cli.App{Terminal: cli.Terminal{Out: &out, Getenv: func(string) string { return "" }}}), some)
		return out.String()
	}
	got := table(c)
	for line := range strings.Lines(got) {
		if n := text.Columns(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, s := range audit.Statuses() {
		if title := strings.ToUpper(s.Words()); strings.Count(got, title) != 1 {
			t.Errorf("%s is not there once:\n%s", title, got)
		}
	}
	if n := strings.Count(got, "12 of ac7e2f01"); n != 2 {
		t.Errorf("the second block has to say what its row is:\n%s", got)
	}
	c.Totals = audit.Totals{Known: 1, Lost: 1}
	if got := table(c); strings.Contains(got, "PROMOTED") || !strings.Contains(got, "LOST") {
		t.Errorf("columns of zeros are left out, and no other:\n%s", got)
	}
	c.Totals = audit.Totals{}
	if got := table(c); !strings.Contains(got, "WORTH") || strings.Contains(got, "LOST") {
		t.Errorf("how many things were worth keeping is said of any compaction:\n%s", got)
	}
	var out bytes.Buffer
	a := &cli.App{Terminal: cli.Terminal{Out: &out, Getenv: func(string) string { return "" }}}
	printSessionTotals(a, &catalogue.Table{}, []audit.SessionTotals{{Session: "s1", Compactions: 1}})
	if got := out.String(); !strings.Contains(got, "COMP.  WORTH  LOST  PROJECT") {
		t.Errorf("what was worth keeping and lost is said of any session:\n%s", got)
	}
}

// Of many lost items the first 20 are listed, and how many more there are, with the command that lists them all.
func TestManyLostItems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n    int
		more string
	}{{20, ""}, {22, "… 2 more: journal audit --json --session s1\n"}} {
		lost := audit.Compaction{Ordinal: 1}
		for i := range c.n {
			lost.Items = append(lost.Items, audit.Item{ID: fmt.Sprintf("todo-%d", i+1), Text: "a task", Status: audit.Lost})
		}
		var out bytes.Buffer
		a := &cli.App{Terminal: cli.Terminal{Out: &out, Getenv: func(string) string { return "" }}}
		printAudit(a, "session s1", audit.Report{Compactions: []audit.Compaction{lost}}, auditFlags{target: cli.TargetFlags{Session: "s1"}})
		_, list, _ := strings.Cut(out.String(), "lost, most valuable first (journal restore --session s1 ITEM... restores):\n")
		if strings.Count(list, "a task") != 20 || !strings.HasSuffix(list, "a task\n"+c.more) {
			t.Errorf("of %d lost items it prints\n%s", c.n, out.String())
		}
	}
}
