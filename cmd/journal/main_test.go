package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
)

// program is the path of the binary under test: the real one, because it starts
// itself as the owner of the log. small is that of the one that agents call.
var program, small string

// racing says that the tests run under the race detector. So does the program
// then, and bounds on durations are wider.
var racing = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()

// children are what the re-executed test binary does instead of testing, by the
// environment variable that asks for it.
var children = map[string]func(value string){}

func TestMain(m *testing.M) {
	for variable, child := range children {
		if value := os.Getenv(variable); value != "" {
			child(value)
			os.Exit(exitOK)
		}
	}
	os.Exit(withProgram(m.Run))
}

// withProgram builds the two programs for the time of f.
func withProgram(f func() int) int {
	dir, err := os.MkdirTemp("", "journal-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program, small = filepath.Join(dir, "journal"), filepath.Join(dir, "journal-hook")
	args := []string{"build", "-o", dir}
	if racing {
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, ".", "../journal-hook")...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the program:", err)
		return 1
	}
	return f()
}
