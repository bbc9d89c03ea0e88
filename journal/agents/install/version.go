package install

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Version is a release number: major, minor and patch. The zero value is older than
// every release.
type Version [3]int

var versionPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\sv])(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z])?`) })

// ParseVersion finds the first release number in what a client prints, such
// as "2.1.329 (Claude Code)". A pre-release counts as the release before it:
// whether it has what the release has is not known.
func ParseVersion(s string) (Version, bool) {
	m := versionPattern().FindStringSubmatch(s)
	if m == nil {
		return Version{}, false
	}
	var v Version
	for i := range v {
		var err error
		if v[i], err = strconv.Atoi(m[i+1]); err != nil {
			return Version{}, false
		}
	}
	if m[4] != "" {
		v[2]--
	}
	return v, true
}

// Less reports whether v was released before w.
func (v Version) Less(w Version) bool { return slices.Compare(v[:], w[:]) < 0 }

// String returns the number as it is usually written.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// AskVersion runs `PROGRAM --version` and gives what it prints. It waits up to 30 s: a
// client that was not started for long reads hundreds of megabytes first, and one that is
// taken for unknown gets fewer events.
func AskVersion(program string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, program, "--version")
		// A wrapper script may leave a child that keeps stdout open.
		cmd.WaitDelay = 500 * time.Millisecond
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("run %s --version: %w", program, err)
		}
		return strings.TrimSpace(string(out)), nil
	}
}
