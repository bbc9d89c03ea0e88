//go:build unix

package embedded

import "golang.org/x/sys/unix"

// DiskSize returns the size in bytes of the file system that holds dir, and the free bytes for this user.
func DiskSize(dir string) (size, free int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, err
	}
	return int64(st.Blocks) * int64(st.Bsize), int64(st.Bavail) * int64(st.Bsize), nil
}

// FileSizeLimited reports whether this process may not write files of any size. An owner has the limits of the hook that started it;
// the next owner may have none.
func FileSizeLimited() bool {
	var limit unix.Rlimit
	return unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) == nil && uint64(limit.Cur) != uint64(unix.RLIM_INFINITY)
}
