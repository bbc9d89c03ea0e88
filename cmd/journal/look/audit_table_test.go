package look

import (
	"bytes"
	"strings"
	"testing"

	"journal/cmd/journal/cli"
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
}
