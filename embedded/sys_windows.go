package embedded

import "golang.org/x/sys/windows"

// DiskSize returns the size in bytes of the volume that holds dir, and the free bytes for this user.
func DiskSize(dir string) (size, free int64, err error) {
	p, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	var ours, total uint64
	if err := windows.GetDiskFreeSpaceEx(p, &ours, &total, nil); err != nil {
		return 0, 0, err
	}
	return int64(total), int64(ours), nil
}

// FileSizeLimited returns false: Windows limits no file's size by process.
func FileSizeLimited() bool { return false }
