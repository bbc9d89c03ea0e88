package rebuild

import (
	"fmt"
	"os"
)

// accessAdvice returns the command that lets this user access the files of a directory.
func accessAdvice(_ error, dir string) string {
	return fmt.Sprintf(`icacls "%s" /grant "%s:(OI)(CI)F" /T, as an administrator`, dir, os.Getenv("USERNAME"))
}
