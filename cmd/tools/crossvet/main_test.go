package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A mistake in a file of one system is reported for that system alone, whether the compiler or go vet finds it.
func TestMistakesOfOneSystem(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":           "module example\n\ngo 1.26\n",
		"a/a.go":           "package a\n\nimport \"strings\"\n\nvar Upper = strings.ToUpper(\"a\")\n",
		"a/a_windows.go":   "package a\n\nvar Wrong int = Upper\n",
		"b/b.go":           "package b\n",
		"b/b_test.go":      "package b\n",
		"b/darwin_test.go": "//go:build darwin\n\npackage b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) { t.Errorf(\"%d\", \"b\") }\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for system, want := range map[string]string{"windows": "cannot use Upper", "darwin": "Errorf format %d"} {
		reports, err := check(dir, system, []string{"./..."})
		got := strings.Join(reports, "\n")
		if err != nil || len(reports) != 1 || !strings.Contains(got, want) {
			t.Errorf("%s: reports %q, %v, want %q", system, got, err, want)
		}
	}
}
