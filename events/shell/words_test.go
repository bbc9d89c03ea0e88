package shell_test

import (
	"slices"
	"testing"

	"journal/events/shell"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		`claude -p {prompt}`:       {"claude", "-p", "{prompt}"},
		"  a\tb\n c ":              {"a", "b", "c"},
		`a 'b c' "d e"f`:           {"a", "b c", "d ef"},
		`a '' ""`:                  {"a", "", ""},
		`a\ b \"c "d\"e\f\\" 'g\'`: {"a b", `"c`, `d"e\f\`, `g\`},
		`$HOME; ls *`:              {"$HOME;", "ls", "*"},
		`"한국어" '日本'`:               {"한국어", "日本"},
	} {
		if got, err := shell.Words(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
	for _, bad := range []string{"", "  ", `a "b`, `a 'b`, `a \`} {
		if got, err := shell.Words(bad); err == nil {
			t.Errorf("%q: %q", bad, got)
		}
	}
}
