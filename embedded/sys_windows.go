package embedded

import "golang.org/x/sys/windows"

// diskSize is the size in bytes of the volume that holds dir.
func diskSize(dir string) (int64, error) {
	p, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var total uint64
	if err := windows.GetDiskFreeSpaceEx(p, nil, &total, nil); err != nil {
		return 0, err
	}
	return int64(total), nil
}
