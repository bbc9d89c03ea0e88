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

// TestWritten: the words may be more than files; none means that the command changes no file.
func TestWritten(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		"go test ./x 2>&1 >/dev/null":     nil,
		"Get-Content a 2>$null":           nil,
		"sed -n -e 5p a":                  nil,
		"perl -ne print a":                nil,
		"tee":                             nil,
		"echo a 2>> b":                    {"b"},
		"sed -Ei.bak 5d a":                {"-Ei.bak", "5d", "a"},
		"sudo sed --in-place=.bak 5d a":   {"--in-place=.bak", "5d", "a"},
		"X=1 perl -0pi -e s/a/b/ a":       {"-0pi", "-e", "s/a/b/", "a"},
		"awk -i inplace 1 a":              {"-i", "inplace", "1", "a"},
		"/usr/bin/tee -a b >c":            {"c", "-a", "b"},
		"git mv a b":                      {"a", "b"},
		`Set-Content -Path C:\p\a -Value`: {"-Path", `C:\p\a`, "-Value"},
	} {
		if got := shell.Written(shell.Commands(command)[0]); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
