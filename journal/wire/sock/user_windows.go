package sock

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

var tmp = os.TempDir()

// Windows guards files by access lists, inherited from the profile directory. Mode bits mean nothing there.
func ownedByUs(fs.FileInfo) bool { return true }

func private(fs.FileInfo) bool { return true }

func refused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }
