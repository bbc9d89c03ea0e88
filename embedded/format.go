package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// format is the number of the directory layout and stored encodings that this
// program writes. It rises when an older program would misread what is stored.
const format = 1

// checkFormat writes the format into a directory that has none, and returns
// ErrNewerStore for one that a later program wrote.
func checkFormat(dir string) error {
	b, err := os.ReadFile(formatPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return writeDurable(formatPath(dir), fmt.Appendf(nil, "%d\n", format))
	}
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	switch {
	case err != nil || n < 1:
		return fmt.Errorf("%s does not hold a format number: %q", formatPath(dir), b)
	case n > format:
		return fmt.Errorf("%w: %s has %d, this program knows %d; upgrade journal", ErrNewerStore, dir, n, format)
	}
	return nil
}
