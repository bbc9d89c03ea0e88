//go:build unix

package rebuild

import "golang.org/x/sys/unix"

// freeSpace is what this user may still write to the file system of dir, in
// bytes.
func freeSpace(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return uint64(st.Bavail) * uint64(st.Bsize), nil
}
