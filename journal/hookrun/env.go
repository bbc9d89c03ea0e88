package hookrun

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"journal/journal/disk"
	"journal/journal/wire/client"
)

// Env is the environment of an agent's call: the journal's directory and the outside
// world.
type Env struct {
	Dir    string // of the journal
	In     *os.File
	Out    io.Writer
	Getenv func(string) string
	// Pace returns how long a time budget lasts; nil: the budget itself. Tests make budgets longer, to pass on a
	// busy machine.
	Pace func(budget time.Duration) time.Duration
	// Appender makes the appender of the call, which may start an owner. It is called only if there is something to append.
	Appender func() *client.Appender
	// Home is the person's home; empty: that of the process.
	Home string
	// Tried is journal-hook's earlier attempt at this call; nil without one.
	Tried *Tried
	// ReplaceOwner replaces an owner of an older build. It is called after the hook of a session's start was answered. If it
	// is nil, owners are not replaced here.
	ReplaceOwner func() error
}

// begin is the first step of every call. It makes sure that a fault of the Go runtime does not block the agent.
func begin(e Env) *process {
	dontBlockOnFaults()
	h := &process{Env: e, began: time.Now()}
	if e.Tried != nil {
		h.id, h.began = e.Tried.ID, e.Tried.Began
	}
	return h
}

// Dir returns the journal directory: $JOURNAL_DIR, else journal in the XDG state directory.
func Dir(getenv func(string) string) string {
	if d := getenv("JOURNAL_DIR"); d != "" {
		return absolute(d)
	}
	if d := getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "journal")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return homeless() // status and doctor report it
	}
	return filepath.Join(home, ".local", "state", "journal")
}

// StartsNoOwner reports whether no process may be started as an owner.
func StartsNoOwner(getenv func(string) string) bool { return getenv("JOURNAL_OWNER") == "never-spawn" }

// Open makes the appender of a call. start starts an owner, if that is allowed.
func (e Env) Open(start func(dir string) error) *client.Appender {
	o := client.Options{Pace: e.Pace}
	if e.Tried != nil {
		o.Tried = e.Tried.report()
	}
	if !StartsNoOwner(e.Getenv) {
		o.Start = start
	}
	return client.Open(e.Dir, o)
}

func (e Env) pace(budget time.Duration) time.Duration {
	if e.Pace == nil {
		return budget
	}
	return e.Pace(budget)
}

// CutDirFlag removes leading --dir flags from a command line. It returns the rest and the journal directory that they name, or
// dir if there is none.
func CutDirFlag(line []string, dir string) (rest []string, _ string) {
	for len(line) > 1 {
		if line[0] == "--dir" {
			dir, line = absolute(line[1]), line[2:]
		} else if given, ok := strings.CutPrefix(line[0], "--dir="); ok {
			dir, line = absolute(given), line[1:]
		} else {
			break
		}
	}
	return line, dir
}

// absolute makes a directory absolute: the owner runs in another working directory.
func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// Language returns the language of texts for the agent: JOURNAL_LANG, else that of the locale, ko for ko_KR.UTF-8. It
// may have no texts.
func Language(getenv func(string) string) string {
	tag := cmp.Or(getenv("JOURNAL_LANG"), getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG"))
	if i := strings.IndexAny(tag, "_-.@"); i >= 0 {
		tag = tag[:i]
	}
	return strings.ToLower(tag)
}

// users is the system's list of users, if it has one.
const users = "/etc/passwd"

// FindHome sets HOME from the system's list of users if it is not set, as in services and
// containers. Each program calls it first.
func FindHome() {
	if os.Getenv("HOME") != "" {
		return
	}
	list, err := disk.ReadFile(users, 1<<20)
	if err != nil {
		return
	}
	if home := homeIn(string(list), os.Getuid()); home != "" {
		_ = os.Setenv("HOME", home) // cannot fail for this name
	}
}

// homeIn returns the home of a user in a list in the format of passwd(5), empty for none.
func homeIn(list string, user int) string {
	for line := range strings.Lines(list) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), ":")
		if len(fields) == 7 && fields[2] == strconv.Itoa(user) && filepath.IsAbs(fields[5]) {
			return fields[5]
		}
	}
	return ""
}

// homeless returns the journal directory of a user without a home.
func homeless() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("journal-%d", os.Getuid()), "state")
}

// IsHomeless reports whether a journal directory is the default of a user without a home: the
// system may empty it.
func IsHomeless(dir string) bool { return dir == homeless() }

// programName is the file of a journal directory that holds the path of the program
// that was installed.
const programName = "program"

// RecordProgram notes the absolute path of the program that was installed for a journal directory, where journal-hook looks
// for it. The directory must exist.
func RecordProgram(dir, path string) error {
	file, line := filepath.Join(dir, programName), path+"\n"
	if b, err := disk.ReadFile(file, 1<<12); err == nil && string(b) == line {
		return nil
	}
	return disk.ReplaceShared(file, []byte(line))
}
