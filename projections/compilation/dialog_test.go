package compilation

import "testing"

func TestChoice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"fix_spec": "fix_spec", "Fix spec (recommended)": "fix_spec", "FIX_CODE": "fix_code", "Ignore it": "ignore", "CLAUDE.md 수정": "fix_spec",
		"another answer": "", "fix": "", "": "",
	} {
		if got := choice(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
