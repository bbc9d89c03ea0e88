package ownership

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// Only a failure of the same program or a newer one counts. While it is recent, only that program replaces or renews it (ADR-0004 rule 7).
func TestFailureOfAnotherProgram(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		left                     string // by the other program; "own" is by this one
		says                     string
		believed, stays, renewed bool
	}{
		"this program":                 {"own", "no room, says journal v1", true, false, true},
		"no program is named":          {"no disk", "no disk", true, false, true},
		"an older format":              {"said by a program of format 2, build 7, version v0\nno", "no, says journal v0 of 1970-01-01 00:00:07, which knows format 2", false, false, false},
		"an older build":               {"said by a program of format 3, build -1, version v0\nno", "which knows format 3", false, false, false},
		"a newer build":                {"said by a program of format 3, build 9, version v2\nno", "no, says journal v2", true, true, false},
		"a newer format, built before": {"said by a program of format 4, build -1, version v2\nno", "which knows format 4", true, true, false},
		"no room for the reason":       {"", "the disk was full", true, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if RecordFailure(dir, "v1", errors.New("no room")); c.left != "own" {
				if err := os.WriteFile(failedPath(dir), []byte(c.left), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if reason, at, recent := Failed(dir); recent != c.believed || at.IsZero() || !strings.Contains(reason, c.says) {
				t.Errorf("%q, believed %t", reason, recent)
			}
			age := func(by time.Duration) time.Time {
				then := time.Now().Add(-by).Truncate(time.Second)
				if err := os.Chtimes(failedPath(dir), then, then); err != nil {
					t.Fatal(err)
				}
				return then
			}
			then := age(10 * time.Second)
			RenewFailure(dir)
			if _, at, _ := Failed(dir); at.Equal(then) == c.renewed {
				t.Errorf("renewed from %v to %v", then, at)
			}
			again := func() bool {
				RecordFailure(dir, "v1", errors.New("again"))
				reason, _, recent := Failed(dir)
				return recent && strings.HasPrefix(reason, "again, says journal v1")
			}
			age(10 * time.Second)
			if again() == c.stays {
				t.Errorf("a young failure was replaced: %t", !c.stays)
			}
			age(time.Minute)
			if !again() {
				t.Error("an old failure was not replaced")
			}
		})
	}
}
