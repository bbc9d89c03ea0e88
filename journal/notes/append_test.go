package notes

import (
	"os"
	"path/filepath"
	"testing"
)

// Appended markdown follows one empty line, however the file ended.
func TestAppend(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		"":         "## b\n",
		"## a":     "## a\n\n## b\n",
		"## a\n":   "## a\n\n## b\n",
		"## a\n\n": "## a\n\n## b\n",
		"## 한글\n":  "## 한글\n\n## b\n",
	} {
		path := filepath.Join(t.TempDir(), "progress.md")
		if before != "" {
			if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := Append(path, "## b\n"); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("after %q: %q, want %q (%v)", before, got, want, err)
		}
	}
	if err := Append(t.TempDir(), "## b\n"); err == nil {
		t.Error("a folder took notes")
	}
}
