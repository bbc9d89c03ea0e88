//go:build unix

package ownership

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

func checkOwner(dir string, fi fs.FileInfo) error {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: %s belongs to user %d, not to %d; run: chown -R %d '%s' && chmod 700 '%s'",
			ErrUnsafeDir, dir, st.Uid, os.Geteuid(), os.Geteuid(), dir, dir)
	}
	if perm := fi.Mode().Perm(); perm&0o022 != 0 {
		return fmt.Errorf("%w: %s can be written by others (mode %04o); run: chmod 700 '%s'", ErrUnsafeDir, dir, perm, dir)
	}
	return nil
}
