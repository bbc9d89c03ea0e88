package failure_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"journal/events/shell/failure"
)

// TestOutput: of progress the newest state stays, and everything else stays as it is.
func TestOutput(t *testing.T) {
	t.Parallel()
	var rebase, pip, cargo, npm strings.Builder
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(&rebase, "Rebasing (%d/40)\n", i)
		fmt.Fprintf(&pip, "   %s%s %.1f/40.0 MB %d.1 MB/s eta 0:00:%02d\n", strings.Repeat("━", i), strings.Repeat(" ", 40-i), float64(i), 1+i%7, 40-i)
		fmt.Fprintf(&cargo, "    Building [%s>%s] %d/40: crate%c\r", strings.Repeat("=", i), strings.Repeat(" ", 40-i), i, 'a'+i%26)
		fmt.Fprintf(&npm, "%c reify: timing\r", []rune("⠋⠙⠹⠸")[i%4])
	}
	for _, c := range []struct{ name, in, want string }{
		{"git", "hint: x\n" + rebase.String() + "CONFLICT (content): a.go\n", "hint: x\nRebasing (40/40)\nCONFLICT (content): a.go\n"},
		{"git with returns", "remote: Counting objects:  20% (1/5)\rremote: Counting objects: 100% (5/5), done.\nFast-forward", "remote: Counting objects: 100% (5/5), done.\nFast-forward"},
		{"pip", "Collecting x\n" + pip.String() + "Installed", "Collecting x\n   " + strings.Repeat("━", 40) + " 40.0/40.0 MB 6.1 MB/s eta 0:00:00\nInstalled"},
		{"cargo", cargo.String() + "   Compiling x\n", "    Building [" + strings.Repeat("=", 40) + ">] 40/40: crateo\n   Compiling x\n"},
		{"npm", npm.String() + "added 3 packages\n", "⠋ reify: timing\nadded 3 packages\n"},
		{"two steps", "[1/2] a\n[2/2] a\n", "[1/2] a\n[2/2] a\n"},
		{"tests", "[1/4] a: ok\n[2/4] b: ok\n[3/4] c: FAILED\n[4/4] d: ok\n", "[1/4] a: ok\n[2/4] b: ok\n[3/4] c: FAILED\n[4/4] d: ok\n"},
		{"data", "18\n22\n35\n40\n", "18\n22\n35\n40\n"},
		{"full disks", "tmpfs 0% /run/1\ntmpfs 0% /run/2\ntmpfs 0% /run/3\n", "tmpfs 0% /run/1\ntmpfs 0% /run/2\ntmpfs 0% /run/3\n"},
		{"paths", "a/1/x.go:3: wrong\na/2/x.go:3: wrong\na/3/x.go:3: wrong\n", "a/1/x.go:3: wrong\na/2/x.go:3: wrong\na/3/x.go:3: wrong\n"},
		{"old line ends", "one\rtwo\rthree", "one\ntwo\nthree"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := failure.CleanOutput(c.in)
			if got != c.want {
				t.Errorf("got\n%q\nwant\n%q", got, c.want)
			}
			if again := failure.CleanOutput(got); again != got {
				t.Errorf("twice:\n%q", again)
			}
		})
	}
}

// Lines of progress whose count does not rise are all kept. The time for them grows with their number, not with its square.
func TestManyEqualLinesOfProgress(t *testing.T) {
	t.Parallel()
	equal := strings.Repeat("1/2\n", 20_000)
	began := time.Now()
	if got := failure.CleanOutput(equal); got != equal {
		t.Errorf("%d bytes of %d are kept", len(got), len(equal))
	}
	if d := time.Since(began); d > 5*time.Second {
		t.Error(d)
	}
}

// Plain removes an escape or a control character, and keeps the whole characters behind it.
func TestPlainBeforeOtherScripts(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"a\x1b가":              "a가",
		"a\x08가나 b":           "a가나 b",
		"\x1b]0;title\x1b가":   "가",
		"\x1b]0;title\x1b\\👩": "👩",
		"\x1b]0;title\x07é":   "é",
		"\x1b[1m가\x1b[0m":     "가",
	} {
		if got := failure.Plain(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
