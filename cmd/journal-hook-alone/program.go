package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"journal/embedded/store/ownership"
	"journal/journal/hookrun"
)

var errNoProgram = errors.New("journal is neither beside this program nor where journal install was run: run it again")

// program is the path of the large program: beside this one, else where `journal
// install` was run from. It is never looked up by PATH, in which a project may have
// put a directory of its own.
func program(dir string) (string, error) {
	name := "journal"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := ownership.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), name); isFile(beside) {
			return beside, nil
		}
	}
	if installed, ok := hookrun.Program(dir); ok && isFile(installed) {
		return installed, nil
	}
	return "", errNoProgram
}

func isFile(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular()
}

// call is the command line of the large program for a command line of this one.
func call(path, dir string, line []string) []string {
	argv := []string{path, "--dir", dir}
	if len(line) == 0 || line[0] != "statusline" {
		argv = append(argv, "hook")
	}
	return append(argv, line...)
}
