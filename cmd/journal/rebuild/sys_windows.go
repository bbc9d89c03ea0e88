package rebuild

import "golang.org/x/sys/windows"

// syncDir does nothing: Windows cannot flush a directory.
func syncDir(string) error { return nil }

// freeSpace is what this user may still write to the volume of dir, in bytes.
func freeSpace(dir string) (uint64, error) {
	p, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	return free, windows.GetDiskFreeSpaceEx(p, &free, nil, nil)
}
