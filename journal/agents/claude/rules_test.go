package claude_test

import (
	"slices"
	"testing"

	"journal/journal/agents/claude"
)

// TestRulesOfShells: on Windows the client runs commands in PowerShell, which calls a quoted path by &; a rule of one shell
// is not that of another.
func TestRulesOfShells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		system, version, command string
		want                     []string
	}{
		{"linux", "2.1.332", "journal", []string{"Skill(journal)", "Bash(journal show:*)"}},
		{"windows", "2.1.332", "journal", []string{"Skill(journal)", "Bash(journal show:*)", "PowerShell(journal show:*)"}},
		{"windows", "2.1.332", `'C:\my tools\journal.exe'`, []string{
			"Skill(journal)", `Bash('C:\my tools\journal.exe' show:*)`, `PowerShell(& 'C:\my tools\journal.exe' show:*)`,
		}},
		{"windows", "2.0.14", "journal", []string{"Bash(journal show:*)"}},
	} {
		got := claude.RulesOn(c.system, c.version, c.command, []string{"show"})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %q, want %q", c.system, c.version, got, c.want)
		}
		for _, rule := range got {
			if !claude.IsRule(rule, func(command string) bool { return command == c.command+" show" }) {
				t.Errorf("%s is not ours", rule)
			}
			for _, other := range got {
				if claude.SameRule(rule, other) != (rule == other && rule != "Skill(journal)") {
					t.Errorf("%s and %s", rule, other)
				}
			}
		}
	}
}
