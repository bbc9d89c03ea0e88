package install_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// statusSettings returns settings with a status line, with only the escapes that JSON requires.
func statusSettings(command string) string {
	b, _ := json.Marshal(command)
	return `{"statusLine":{"type":"command","command":` + string(b) + `,"padding":2}}`
}

func TestStatusLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, before, installed, uninstalled string // uninstalled "-": none
	}{
		{"another's", `~/bin/line.sh --short`, `/opt/journal/bin/journal statusline -- sh -c '~/bin/line.sh --short'`, `~/bin/line.sh --short`},
		{"quotes", `echo "it's" '$x'`, `/opt/journal/bin/journal statusline -- sh -c 'echo "it'\''s" '\''$x'\'''`, `echo "it's" '$x'`},
		{"empty", ``, `/opt/journal/bin/journal statusline -- sh -c ''`, ``},
		{"named alike", `journal statuslines`, `/opt/journal/bin/journal statusline -- sh -c 'journal statuslines'`, `journal statuslines`},
		{"ours alone", `/old/journal statusline`, `/opt/journal/bin/journal statusline`, `-`},
		{"ours with nothing behind the dashes", `journal statusline --  `, `/opt/journal/bin/journal statusline`, `-`},
		{"ours around another's", `'/my bin/journal' statusline -- sh -c 'a'\''b'`, `/opt/journal/bin/journal statusline -- sh -c 'a'\''b'`, `a'b`},
		{"ours by hand", `journal statusline -- line.sh | head -1`, `/opt/journal/bin/journal statusline -- line.sh | head -1`, `line.sh | head -1`},
		{"by hand, two words", `journal statusline -- sh -c 'a' 'b'`, `/opt/journal/bin/journal statusline -- sh -c 'a' 'b'`, `sh -c 'a' 'b'`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write(t, statusSettings(test.before))
			o := h.options()
			h.install(t, o)
			line := parsed(t, h.read(t)).StatusLine
			if line == nil || line.Command != test.installed || line.Padding != 2 || line.Type != "command" {
				t.Fatalf("installed %+v", line)
			}
			if p := h.install(t, o); p.Changed {
				t.Errorf("again:\n%s", p.Diff())
			}
			h.uninstall(t, o)
			line = parsed(t, h.read(t)).StatusLine
			if test.uninstalled == "-" {
				if line != nil {
					t.Errorf("uninstalled %+v", line)
				}
			} else if line == nil || line.Command != test.uninstalled || line.Padding != 2 {
				t.Errorf("uninstalled %+v", line)
			}
		})
	}
}

func TestStatusLineIsGivenBackOnRequest(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(t, statusSettings("mine"))
	o := h.options()
	h.install(t, o)
	o.NoStatusLine = true
	h.install(t, o)
	if c := parsed(t, h.read(t)); c.StatusLine.Command != "mine" || len(c.calls("Stop")) != 1 {
		t.Errorf("%s", h.read(t))
	}
}

// TestStatusLineRunsTheSameCommand: the wrapped command means to the shell what it meant before.
func TestStatusLineRunsTheSameCommand(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	h := newHome(t)
	// A journal that only runs what follows the dashes.
	bin := filepath.Join(h.dir, "it's a dir", "journal")
	if err := os.Mkdir(filepath.Dir(bin), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bin, []byte("#!/bin/sh\ntest \"$1 $2\" = 'statusline --' && shift 2 && exec \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := h.options()
	o.Bin = bin
	for _, command := range []string{
		`printf '%s|' a "b c" 'd"e' f\ g`,
		`cat; echo "$0 $# $((1+2)) $(echo sub)" 'it'"'"'s' \\ '\'`,
		"printf 'two\nlines' # a comment",
		`for i in 1 2; do echo $i; done | tail -1`,
		`echo ü 日本 '😀' "!" * > /dev/null; echo done`,
		`exit 3`,
	} {
		h.write(t, statusSettings(command))
		h.install(t, o)
		run := func(command string) string {
			cmd := exec.Command(sh, "-c", command)
			cmd.Stdin = strings.NewReader(`{"model":"x"}`)
			out, err := cmd.CombinedOutput()
			if err != nil {
				return string(out) + err.Error()
			}
			return string(out)
		}
		want, got := run(command), run(parsed(t, h.read(t)).StatusLine.Command)
		// $0 is the name of the shell in both.
		if got != strings.ReplaceAll(want, sh+" ", "sh ") {
			t.Errorf("%s\nprints %q, before %q", command, got, want)
		}
	}
}

func TestStatusLineRoundTrip(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	rapid.Check(t, func(t *rapid.T) {
		command := rapid.OneOf(rapid.String(), rapid.StringMatching(`(journal |statusline |-- |sh -c |['"\\ ]|x){0,12}`)).Draw(t, "command")
		before := statusSettings(command)
		h.write(t, before)
		p, err := planUninstall(h.options())
		if err != nil {
			t.Fatal(err)
		}
		if p.Changed {
			t.Skip("it is one of ours")
		}
		h.install(t, h.options())
		if parsed(t, h.read(t)).StatusLine.Command == command {
			t.Fatal("not wrapped")
		}
		h.uninstall(t, h.options())
		if h.read(t) != before {
			t.Fatalf("%q became %q", before, h.read(t))
		}
	})
}
