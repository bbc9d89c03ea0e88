package install_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSmallProgram: the settings name the small program while it is beside journal: an upgrade that adds or removes it
// is another installation, and each removes the other's entries.
func TestSmallProgram(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const before = `{"statusLine":{"type":"command","command":"mine"}}`
	h.write(t, before)
	o := h.options()
	bin := filepath.Join(h.dir, "my bin")
	o.Bin = filepath.Join(bin, "journal")
	small := filepath.Join(bin, "journal-hook")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for round, is := range []bool{false, true, false, true} {
		hook, line := "f='"+o.Bin+"';[ -x \"$f\" ]&&exec \"$f\" hook claude;:", "'"+o.Bin+"' statusline -- sh -c 'mine'"
		if is {
			hook, line = "f='"+small+"';[ -x \"$f\" ]&&exec \"$f\" claude;:", "'"+small+"' statusline -- sh -c 'mine'"
			if err := os.WriteFile(small, nil, 0o700); err != nil {
				t.Fatal(err)
			}
		} else if err := os.RemoveAll(small); err != nil {
			t.Fatal(err)
		}
		if p := h.install(t, o); !p.Changed {
			t.Errorf("round %d: nothing to change", round)
		}
		got := parsed(t, h.read(t))
		if calls := got.calls("Stop"); len(calls) != 1 || calls[0].Command != hook || got.StatusLine.Command != line {
			t.Errorf("round %d: %+v and %+v", round, calls, got.StatusLine)
		}
		if p := h.install(t, o); p.Changed {
			t.Errorf("round %d, again:\n%s", round, p.Diff())
		}
	}
	o.Bin = "/opt/journal/bin/journal" // uninstalled by another copy
	h.uninstall(t, o)
	if got := h.read(t); got != before {
		t.Errorf("left behind: %s", got)
	}
}
