package main

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// damage changes one byte of a text in the first file that holds it, of those
// below the journal directory whose names match.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: damage GLOB TEXT")
	}
	paths, err := filepath.Glob(filepath.Join(ts.Getenv("JOURNAL_DIR"), args[0]))
	ts.Check(err)
	for _, path := range paths {
		b, err := os.ReadFile(path)
		ts.Check(err)
		if at := bytes.Index(b, []byte(args[1])); at >= 0 {
			b[at] ^= 1
			ts.Check(os.WriteFile(path, b, 0o600))
			return
		}
	}
	ts.Fatalf("none of %q holds %q", paths, args[1])
}
