package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"journal/events"
	"journal/journal/disk"
)

// ensureFormat checks the format of a directory as CheckFormat does. It writes this program's format into a directory that has none or an
// older one, so that older programs no longer open it.
func ensureFormat(dir string) error {
	n, err := readFormat(dir)
	if err != nil || n == events.Format {
		return err
	}
	return WriteFormat(dir)
}

// CheckFormat checks the format of a directory without changing anything. The error is events.ErrUnreleased or events.ErrNewer for
// a directory that this program does not read.
func CheckFormat(dir string) error {
	_, err := readFormat(dir)
	return err
}

// readFormat returns the format of a directory, 0 if it has none yet.
func readFormat(dir string) (int, error) {
	b, err := disk.ReadFile(formatPath(dir), 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s does not hold a format number: %q", formatPath(dir), b)
	}
	return n, events.CheckFormat("journal directory "+dir+" has format", n)
}

// WriteFormat writes the format of this program into a directory. The caller holds its lock, and knows that this program can read its
// files.
func WriteFormat(dir string) error {
	return disk.ReplaceDurable(formatPath(dir), fmt.Appendf(nil, "%d\n", events.Format))
}
