package cli

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"journal/journal/agents/install"
	"journal/journal/disk"
)

// commandFile is the name of the file in a journal directory that holds the command by which agents' rules and skills call this
// program.
const commandFile = "command"

// RecordCommand stores a command for Command, without quotes. The directory must exist.
func RecordCommand(dir, command string) error {
	path := filepath.Join(dir, commandFile)
	if recorded, err := disk.ReadFile(path, 1<<12); err == nil && string(recorded) == command+"\n" {
		return nil
	}
	return disk.ReplaceShared(path, []byte(command+"\n"))
}

// Command returns the shell words by which an agent runs this program. Texts for agents contain them. JOURNAL_COMMAND comes
// first, for settings that were written by hand. Then comes the command that journal install wrote into the agent's rules,
// because clients compare a command with a rule word by word. If that command is the path of a program that does not exist any
// more, Command returns the path of the running program.
func (a *App) Command() string {
	if c := a.Getenv("JOURNAL_COMMAND"); c != "" {
		return c
	}
	if b, err := disk.ReadFile(filepath.Join(a.Dir, commandFile), 1<<12); err == nil {
		if bin := strings.TrimSuffix(string(b), "\n"); bin != "" && (!filepath.IsAbs(bin) || IsExecutable(bin)) {
			return install.Quote(bin)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		return "journal"
	}
	return install.Quote(exe)
}

// CommandForPeople returns the shell words by which a person runs this program: "journal" if PATH leads to it, else Command. In
// an agent it always returns Command.
func (a *App) CommandForPeople() string {
	exe, _ := os.Executable() // an empty path is no file
	if found, err := exec.LookPath("journal"); err == nil && a.agentSession() == "" && sameFile(found, exe) {
		return "journal"
	}
	return a.Command()
}

// Advice replaces "journal" at the beginning of a command line by the command that works here.
func (a *App) Advice(line string) string {
	if rest, ok := strings.CutPrefix(line, "journal "); ok {
		return a.CommandForPeople() + " " + rest
	}
	return line
}

// invokedPath returns the path by which this program was called, without resolving links: a package manager's link outlives
// the version that it leads to. If that path does not lead to the running file, it returns the path of that file.
func invokedPath() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath(cmp.Or(os.Args[0], exe))
	if err != nil {
		return exe, nil
	}
	path, err := filepath.Abs(found)
	if err != nil || !sameFile(path, exe) {
		return exe, nil
	}
	return path, nil
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// IsExecutable reports whether a path leads to a regular file that may be executed.
func IsExecutable(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && (runtime.GOOS == "windows" || fi.Mode().Perm()&0o111 != 0)
}
