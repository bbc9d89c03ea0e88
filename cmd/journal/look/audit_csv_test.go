package look

import "testing"

// No cell is a formula, in full-width characters neither, and none steers the terminal.
func TestCell(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"": "", "fix it": "fix it", "a=b": "a=b", "파서를 고쳐": "파서를 고쳐",
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\t=1": "'\t=1", "\n=1": "'\n=1",
		"＝1+1": "'＝1+1", "＋1": "'＋1", "－1": "'－1", "＠a": "'＠a",
		"a\x1b[31m": "a·[31m", "\r=1": "·=1", "two\r\nlines": "two\nlines",
	} {
		if got := csvText(said); got != want {
			t.Errorf("csvText(%q) is %q, want %q", said, got, want)
		}
	}
}
