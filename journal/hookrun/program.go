package hookrun

import (
	"path/filepath"
	"strings"

	"journal/journal/disk"
)

// programName is the file of a journal directory that holds the path of the program
// that was installed.
const programName = "program"

// Program is the absolute path of the large program that was installed for a journal
// directory.
func Program(dir string) (path string, ok bool) {
	b, err := disk.ReadFile(filepath.Join(dir, programName), 1<<12)
	path = strings.TrimSuffix(string(b), "\n")
	return path, err == nil && filepath.IsAbs(path)
}

// RecordProgram notes the path for Program. The directory must exist.
func RecordProgram(dir, path string) error {
	if was, ok := Program(dir); ok && was == path {
		return nil
	}
	return disk.Replace(filepath.Join(dir, programName), []byte(path+"\n"), 0o600)
}
