package agents

import "testing"

// TestResolveWindows: a path of an imported Windows session stays as it is.
func TestResolveWindows(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		`C:\Users\ana\app\note.md`: `C:\Users\ana\app\note.md`,
		"C:/Users/ana/app/note.md": "C:/Users/ana/app/note.md",
		`\\server\app\note.md`:     `\\server\app\note.md`,
		"":                         "/p",
		"c":                        "/p/c",
	} {
		if got := Resolve("/p", path); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}
