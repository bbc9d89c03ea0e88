package rebuild

import "golang.org/x/sys/windows"

// freeSpace is what this user may still write to the volume of dir, in bytes.
func freeSpace(dir string) (uint64, error) {
	p, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	return free, windows.GetDiskFreeSpaceEx(p, &free, nil, nil)
}

// ours says whether what an error names belongs to who asks: here nobody gives themselves access.
func ours(error) bool { return false }
