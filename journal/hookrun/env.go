package hookrun

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"journal/journal/disk"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// Env is the environment of an agent's call.
type Env struct {
	Dir    string   // the journal's directory
	In     *os.File // stdin; nil for a call that was carried
	Out    io.Writer
	Getenv func(string) string
	Pace   wire.Pace // how much longer than usual the time limits are
	// Appender returns an appender, which may start an owner. It is called only if there is something to append.
	Appender func() *client.Appender
	// Home is the person's home directory; "" means that of this process.
	Home string
	// Tried is journal-hook's earlier attempt at this call; nil without one.
	Tried *Tried
	// ReplaceOwner replaces an owner of an older build. It is called after the start of a session was answered; nil means
	// never.
	ReplaceOwner func() error
}

// begin begins a call in a process that handles only this call. It makes sure that a fault of the Go runtime does not block the agent.
func begin(e Env) *call {
	dontBlockOnFaults()
	h := &call{Env: e, began: time.Now()}
	if e.Tried != nil {
		h.id, h.began = e.Tried.ID, e.Tried.Began
	}
	return h
}

// Dir returns the journal directory: $JOURNAL_DIR, else journal in $XDG_STATE_HOME if that is absolute, else the one in the home
// directory.
func Dir(getenv func(string) string) string {
	if d := getenv("JOURNAL_DIR"); d != "" {
		return absolute(d)
	}
	if d := getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "journal")
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return homelessDir() // status and doctor report such a directory
	}
	return filepath.Join(home, ".local", "state", "journal")
}

// StartsNoOwner reports whether no process may be started as an owner.
func StartsNoOwner(getenv func(string) string) bool { return getenv("JOURNAL_OWNER") == "never-spawn" }

// Open returns an appender for the call. The appender starts owners by start, unless start is nil or StartsNoOwner is true.
func (e Env) Open(start func(dir string) error) *client.Appender {
	o := client.Options{Pace: e.Pace}
	if e.Tried != nil {
		o.Tried = e.Tried.forAppender()
	}
	if !StartsNoOwner(e.Getenv) {
		o.Start = start
	}
	return client.Open(e.Dir, o)
}

// CutDirFlag removes leading --dir flags from the arguments of a command. It returns the rest, and the journal directory that
// the last of these flags names, or dir without a flag. A flag that is the only argument stays.
func CutDirFlag(args []string, dir string) (rest []string, _ string) {
	for len(args) > 1 {
		if args[0] == "--dir" {
			dir, args = absolute(args[1]), args[2:]
		} else if value, ok := strings.CutPrefix(args[0], "--dir="); ok {
			dir, args = absolute(value), args[1:]
		} else {
			break
		}
	}
	return args, dir
}

// absolute returns the absolute path of a directory: the owner runs in another working directory.
func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// Language returns the language of texts for the agent, from JOURNAL_LANG or else the locale: ko for ko_KR.UTF-8. It may be a
// language in which there are no texts.
func Language(getenv func(string) string) string {
	tag := cmp.Or(getenv("JOURNAL_LANG"), getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG"))
	if i := strings.IndexAny(tag, "_-.@"); i >= 0 {
		tag = tag[:i]
	}
	return strings.ToLower(tag)
}

// FindHome sets HOME from the system's list of users if it is no absolute path. Services and containers often have none. The program
// journal calls it first. Windows needs no HOME.
func FindHome() {
	if filepath.IsAbs(os.Getenv("HOME")) || runtime.GOOS == "windows" {
		return
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		_ = os.Setenv("HOME", u.HomeDir) // cannot fail for this name
	}
}

// homelessDir returns the journal directory of a user without a home.
func homelessDir() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("journal-%d", os.Getuid()), "state")
}

// IsHomeless reports whether a journal directory is the default for a user without a home. The system may empty that directory.
func IsHomeless(dir string) bool { return dir == homelessDir() }

// programName is the name of the file, in a journal directory, with the path of the program that ran `journal install`.
const programName = "program"

// RecordProgram records the absolute path of the program that runs `journal install` in a journal directory, where journal-hook
// looks for it. The directory must exist.
func RecordProgram(dir, path string) error {
	file, line := filepath.Join(dir, programName), path+"\n"
	if b, err := disk.ReadFile(file, 1<<12); err == nil && string(b) == line {
		return nil
	}
	return disk.ReplaceShared(file, []byte(line))
}
