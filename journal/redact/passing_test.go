package redact_test

import (
	"testing"

	"journal/journal/redact"
)

// Pass as a verb of tests promises no password: the command behind it stays. A password with the name pass is removed.
func TestTestsThatPass(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"- Integration tests pass: `mise run test:integration`", "All checks pass: `golangci-lint run --timeout=5m`",
		"Unit tests still pass: `npm run test:unit && make lint2`", "Tests pass: `TestShadow_CommitBeforeStop`",
	} {
		if got := redact.Text(in); got != in {
			t.Errorf("%q became %q", in, got)
		}
	}
	for _, in := range []string{"- pass: `correct horse battery`", "wifi pass: `Xk9-horse-battery`", "admin pass: `hunter2`"} {
		if redact.Count(redact.Text(in)) != 1 {
			t.Errorf("%q stays", in)
		}
	}
}

// A name with a mark in it has no sense.
func TestNameWithMark(t *testing.T) {
	t.Parallel()
	in := []byte(`{"use [redacted:service-token] now":"A1b2C3d4"}`)
	if got, err := redact.JSON(in); err != nil || string(got) != string(in) {
		t.Errorf("%s became %s, %v", in, got, err)
	}
}
