package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"journal/cmd/journal/cli"
)

// program is the path of the program under test, which starts itself as the owner
// of the log. It is this test binary under a name of its own, so that nothing is
// linked twice. small is the path of the one that agents call, built beside it.
var program, small string

// racing says that the tests run under the race detector. So does the program
// then.
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
			os.Exit(cli.ExitOK)
		}
	}
	if !asksForTests(os.Args) {
		a := cli.NewApp()
		a.Pace = pace
		os.Exit(a.Main(os.Args[1:]))
	}
	os.Exit(withProgram(m.Run))
}

// asksForTests says whether a command line is that of a test binary.
func asksForTests(line []string) bool {
	return strings.HasSuffix(strings.TrimSuffix(line[0], ".exe"), ".test") ||
		slices.ContainsFunc(line[1:], func(arg string) bool { return strings.HasPrefix(arg, "-test.") })
}

// withProgram lets the two programs be there for the time of f.
func withProgram(f func() int) int {
	dir, err := os.MkdirTemp("", "journal-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program, small = filepath.Join(dir, "journal"), filepath.Join(dir, "journal-hook")
	if runtime.GOOS == "windows" {
		program, small = program+".exe", small+".exe"
	}
	if err := duplicate(program); err != nil {
		fmt.Fprintln(os.Stderr, "the program:", err)
		return 1
	}
	flags := fmt.Sprintf("-s -w -X main.slowdown=%d", slowdown)
	if err := buildSmall(dir+string(filepath.Separator), "-ldflags", flags); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return f()
}

// buildSmall builds the programs that take hooks into a directory: the one that carries them
// and the one that it becomes, which on Windows is the only one.
func buildSmall(dir string, args ...string) error {
	args = append([]string{"build", "-buildvcs=false"}, args...)
	if racing {
		args = append(args, "-race")
	}
	if runtime.GOOS == "windows" {
		args = append(args, "-o", dir+"journal-hook.exe")
	} else {
		args = append(args, "-o", dir, "../journal-hook")
	}
	out, err := exec.Command("go", append(args, "../journal-hook-alone")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build journal-hook: %w: %s", err, out)
	}
	return nil
}

// duplicate lets the running binary be at path too.
func duplicate(path string) error {
	self, err := os.Executable()
	if err != nil || os.Link(self, path) == nil {
		return err
	}
	from, err := os.Open(self)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	if _, err = io.Copy(to, from); err != nil {
		to.Close()
		return err
	}
	return to.Close()
}

const (
	// ownPace lets budgets of the program last as long as they say; without it they
	// last slowdown times longer, because no busy machine may fail a test of
	// something else.
	ownPace  = "JOURNAL_TEST_OWN_PACE"
	slowdown = 40
	// budgetsVariable names the directory where each process writes the budgets that
	// it spends, a file for each.
	budgetsVariable = "JOURNAL_TEST_BUDGETS"
)

// pace is that of the program under test.
func pace(budget time.Duration) time.Duration {
	if dir := os.Getenv(budgetsVariable); dir != "" {
		f, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(os.Getpid())), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(f, budget)
		f.Close()
	}
	if os.Getenv(ownPace) != "" {
		return budget
	}
	return slowdown * budget
}
