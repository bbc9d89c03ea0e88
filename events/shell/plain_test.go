package shell_test

import (
	"slices"
	"testing"

	"journal/events/shell"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		"go test ./x 2>&1":                    {"go", "test", "./x"},
		"make lint > out.txt":                 {"make", "lint"},
		"make lint 2>/dev/null <in.txt":       {"make", "lint"},
		"CGO_ENABLED=0 GOOS=linux go build .": {"go", "build", "."},
		"make lint MODE=fast":                 {"make", "lint", "MODE=fast"},
		"echo 'a > b'":                        {"echo", "a > b"},
		"cat >> notes.md":                     {"cat"},
		"VERBOSE=1":                           nil,
	} {
		if got := shell.Plain(shell.Commands(command)[0]); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
