package sock

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// tmp is the system's directory of temporary files.
var tmp = os.TempDir()

// ownedByUs returns true: Windows guards files by access lists, which they inherit from the profile directory.
func ownedByUs(fs.FileInfo) bool { return true }

// private returns true, as ownedByUs does.
func private(fs.FileInfo) bool { return true }

// refused reports whether an error means that nobody listens at a socket.
func refused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }
