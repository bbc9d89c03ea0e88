//go:build unix

package install_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestApplyKeepsTheOwner: settings that root installs into, as in a container with a person's home, stay the person's.
func TestApplyKeepsTheOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const person = 12345
	for name, before := range map[string]string{"existing": "{}", "new": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			if err := os.Chown(h.dir, person, person); err != nil {
				t.Fatal(err)
			}
			if before != "" {
				h.write(t, before)
				if err := os.Chown(h.path, person, person); err != nil {
					t.Fatal(err)
				}
			}
			h.install(t, h.options())
			if before != "" {
				h.uninstall(t, h.options())
			}
			for _, path := range []string{h.path, filepath.Dir(h.path)} {
				info, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				if is := info.Sys().(*syscall.Stat_t); (before == "" || path == h.path) && (is.Uid != person || is.Gid != person) {
					t.Errorf("%s belongs to %d:%d", path, is.Uid, is.Gid)
				}
			}
		})
	}
}
