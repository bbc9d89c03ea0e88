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
// program writes. It rises when an older program would misread what is stored, also
// when messages are compressed with another dictionary. In 1 none was compressed.
const format = 2

// checkFormat writes the format into a directory that has none or that of an older
// program, which from then on leaves the directory alone; and returns ErrNewerStore
// for one that a later program wrote.
func checkFormat(dir string) error {
	b, err := os.ReadFile(formatPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return writeFormat(dir)
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
	if n < format {
		return writeFormat(dir)
	}
	return nil
}

func writeFormat(dir string) error {
	return writeDurable(formatPath(dir), fmt.Appendf(nil, "%d\n", format))
}
