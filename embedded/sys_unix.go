//go:build unix

package embedded

import "golang.org/x/sys/unix"

// diskSize is the size in bytes of the file system that holds dir.
func diskSize(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Blocks) * int64(st.Bsize), nil
}
