package main

import (
	"strings"
	"testing"
)

// A mistyped system does not make a release without programs.
func TestUnknownSystem(t *testing.T) {
	t.Parallel()
	r := &release{version: "v1.0.0", site: "https://journal.example", npm: "journal", out: t.TempDir()}
	if err := r.run("linux/amd46"); err == nil || !strings.Contains(err.Error(), "linux/amd46") {
		t.Errorf("error %v, want one about the system", err)
	}
}
