package hookrun

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"journal/journal/disk"
)

// users is the system's list of users, where it has one.
const users = "/etc/passwd"

// FindHome sets HOME where nobody has, as services and containers do not, to what the
// system's list of users says. Each program calls it first.
func FindHome() {
	if os.Getenv("HOME") != "" {
		return
	}
	list, err := disk.ReadFile(users, 1<<20)
	if err != nil {
		return
	}
	if home := homeIn(string(list), os.Getuid()); home != "" {
		_ = os.Setenv("HOME", home) // fails for no such name
	}
}

// homeIn gives the directory of a user in a list as passwd(5) describes it, empty for none.
func homeIn(list string, user int) string {
	for line := range strings.Lines(list) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), ":")
		if len(fields) == 7 && fields[2] == strconv.Itoa(user) && filepath.IsAbs(fields[5]) {
			return fields[5]
		}
	}
	return ""
}

// homeless is where a journal is of a user who has no home.
func homeless() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("journal-%d", os.Getuid()), "state")
}

// IsHomeless says whether a journal directory is one that nobody named, of a user who has
// no home: the system may empty it.
func IsHomeless(dir string) bool { return dir == homeless() }
