package hookrun

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"journal/journal/disk"
)

// users is the system's list of users, if it has one.
const users = "/etc/passwd"

// FindHome sets HOME from the system's list of users if it is not set, as in services and
// containers. Each program calls it first.
func FindHome() {
	if os.Getenv("HOME") != "" {
		return
	}
	list, err := disk.ReadFile(users, 1<<20)
	if err != nil {
		return
	}
	if home := homeIn(string(list), os.Getuid()); home != "" {
		_ = os.Setenv("HOME", home) // cannot fail for this name
	}
}

// homeIn returns the home of a user in a list in the format of passwd(5), empty for none.
func homeIn(list string, user int) string {
	for line := range strings.Lines(list) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), ":")
		if len(fields) == 7 && fields[2] == strconv.Itoa(user) && filepath.IsAbs(fields[5]) {
			return fields[5]
		}
	}
	return ""
}

// homeless returns the journal directory of a user without a home.
func homeless() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("journal-%d", os.Getuid()), "state")
}

// IsHomeless reports whether a journal directory is the default of a user without a home: the
// system may empty it.
func IsHomeless(dir string) bool { return dir == homeless() }
