package spool_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"journal/journal/spool"
)

// children are what the test binary does when it is run as a process of its own,
// by the value of childVar.
var children = map[string]func(dir, arg string) error{}

const (
	childVar = "SPOOL_TEST_CHILD"
	dirVar   = "SPOOL_TEST_DIR"
	argVar   = "SPOOL_TEST_ARG"
)

func TestMain(m *testing.M) {
	run, ok := children[os.Getenv(childVar)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := run(os.Getenv(dirVar), os.Getenv(argVar)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child returns the command that runs one of children.
func child(t testing.TB, name, dir, arg string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	// The race detector would else hold every child for a second at its end.
	cmd.Env = append(os.Environ(), childVar+"="+name, dirVar+"="+dir, argVar+"="+arg, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// runChild runs one of children to its end.
func runChild(t testing.TB, name, dir, arg string) {
	t.Helper()
	if out, err := child(t, name, dir, arg).CombinedOutput(); err != nil {
		t.Fatalf("child %s: %v\n%s", name, err, out)
	}
}

// content writes a spool file's content by the documentation, not by the code.
func content(encoding, body string) string {
	return fmt.Sprintf("journal-spool 1 %s %d %x\n%s", encoding, len(body), sha256.Sum256([]byte(body)), body)
}

// newDir returns a spool directory that exists, and its path.
func newDir(t testing.TB) (*spool.Dir, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spool")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return spool.Open(path), path
}

func newName(t testing.TB, id string) string {
	t.Helper()
	name, err := spool.Name(id)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// age sets a file's modification time to so long before now.
func age(t testing.TB, path string, d time.Duration) {
	t.Helper()
	at := time.Now().Add(-d)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func list(t testing.TB, d *spool.Dir) []spool.Entry {
	t.Helper()
	entries, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func names(entries []spool.Entry) []string {
	all := []string{}
	for _, e := range entries {
		all = append(all, e.Name)
	}
	return all
}

func ids(entries []spool.Entry) []string {
	all := []string{}
	for _, e := range entries {
		all = append(all, e.ID)
	}
	return all
}

// lsNames returns all names in a directory.
func lsNames(t testing.TB, path string) []string {
	t.Helper()
	files, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, f := range files {
		all = append(all, f.Name())
	}
	return all
}
