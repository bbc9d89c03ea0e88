package notes

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"journal/journal/disk"
)

// MaxAppended bounds a file that Append writes to, in bytes.
const MaxAppended = 64 << 20

// Append writes markdown to the end of a file of notes, an empty line before it. A file that is not
// there is made.
func Append(path, markdown string) error {
	old, err := disk.ReadFile(path, MaxAppended)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch {
	case len(old) == 0:
	case !strings.HasSuffix(string(old), "\n"):
		markdown = "\n\n" + markdown
	case !strings.HasSuffix(string(old), "\n\n"):
		markdown = "\n" + markdown
	}
	f, err := disk.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(markdown)
	return errors.Join(err, f.Close())
}
