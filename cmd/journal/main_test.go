package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"journal/cmd/journal/cli"
	"journal/cmd/testkit/testutil"
)

// program is the path of the program under test, which starts itself as the owner
// of the log. small is the path of the one that agents call, built beside it.
var program, small string

// racing says that the tests run under the race detector. So does the program
// then.
var racing = testutil.Racing()

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
	os.Exit(withProgram(m.Run))
}

// insideEnv says that a test runs again in namespaces of its own, where it may mount, and where the programs are.
const insideEnv = "JOURNAL_TEST_INSIDE"

// withProgram lets the two programs be there for the time of f.
func withProgram(f func() int) int {
	if dir := os.Getenv(insideEnv); dir != "" {
		nameProgram(dir)
		return f()
	}
	dir, err := os.MkdirTemp("", "journal-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	nameProgram(dir)
	flags := fmt.Sprintf("-s -w -X main.slowdown=%d", slowdown)
	err = errors.Join(linkProgram(dir), buildSmall(dir+string(filepath.Separator), "-ldflags", flags))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return f()
}

// nameProgram says where the programs are.
func nameProgram(dir string) {
	program, small = filepath.Join(dir, "journal"), filepath.Join(dir, "journal-hook")
	if runtime.GOOS == "windows" {
		program, small = program+".exe", small+".exe"
	}
}

// linkProgram links the program under test: the real one, but that its budgets last as the tests want. The test binary
// could do the same, but thousands of its processes would load and initialise what only tests import.
func linkProgram(dir string) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	var overlay struct{ Replace map[string]string }
	for flag := range strings.FieldsSeq(os.Getenv("GOFLAGS")) { // cmd/tools/mutate has changed a file
		if path, ok := strings.CutPrefix(flag, "-overlay="); ok {
			b, err := os.ReadFile(path)
			if err = errors.Join(err, json.Unmarshal(b, &overlay)); err != nil {
				return err
			}
		}
	}
	if overlay.Replace == nil {
		overlay.Replace = map[string]string{}
	}
	is, mine := filepath.Join(here, "main.go"), filepath.Join(dir, "main.go")
	source, err := os.ReadFile(cmp.Or(overlay.Replace[is], is))
	if err != nil {
		return err
	}
	changed := bytes.Replace(source, []byte("os.Exit(cli.Main(release))"), []byte("a := cli.NewApp(); a.Pace = pace; os.Exit(a.Main(os.Args[1:]))"), 1)
	if bytes.Equal(changed, source) {
		return errors.New("main.go calls cli.Main no more")
	}
	overlay.Replace[is], overlay.Replace[filepath.Join(here, "pace.go")] = mine, filepath.Join(here, "pace_test.go")
	orders, err := json.Marshal(overlay)
	if err == nil {
		err = errors.Join(os.WriteFile(mine, changed, 0o600), os.WriteFile(mine+".json", orders, 0o600))
	}
	if err != nil {
		return err
	}
	args := []string{"build", "-buildvcs=false", "-overlay", mine + ".json", "-ldflags", "-s -w", "-o", program}
	if racing {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, ".")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build the program: %w: %s", err, out)
	}
	return nil
}

// buildSmall builds the program that carries hooks into a directory. There is none for Windows.
func buildSmall(dir string, args ...string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	args = append([]string{"build", "-buildvcs=false"}, args...)
	if racing {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, "-o", dir, "../journal-hook")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build journal-hook: %w: %s", err, out)
	}
	return nil
}
