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

// commandName is the file of a journal directory that says how the agent's settings,
// rules and skill spell this program.
const commandName = "command"

// RecordCommand notes the spelling for command. The directory is there.
func RecordCommand(dir, command string) error {
	path := filepath.Join(dir, commandName)
	if was, err := disk.ReadFile(path, 1<<12); err == nil && string(was) == command+"\n" {
		return nil
	}
	return disk.Replace(path, []byte(command+"\n"), 0o600)
}

// Command is how an agent runs this program, as words of a shell: JOURNAL_COMMAND, for
// settings that were written by hand; else what journal install wrote into rules and skill,
// because a client compares words; without it, or when that is not there any more, the path
// of the program that runs. Texts for agents name it.
func (a *App) Command() string {
	if c := a.Getenv("JOURNAL_COMMAND"); c != "" {
		return c
	}
	if b, err := disk.ReadFile(filepath.Join(a.Dir, commandName), 1<<12); err == nil {
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

// Spelled is command for those who read on a terminal: the bare name where their PATH
// finds this program by it. An agent gets what its rules name.
func (a *App) Spelled() string {
	if _, agent := a.inAgent(); !agent && findsThis("journal") {
		return "journal"
	}
	return a.Command()
}

// Advice puts the program that can be run here in the place of its name in a command line
// that begins with it.
func (a *App) Advice(line string) string {
	if rest, ok := strings.CutPrefix(line, "journal "); ok {
		return a.Spelled() + " " + rest
	}
	return line
}

// Invoked is the path by which this program was called, links in it kept: a package
// manager's link outlives the version that it leads to. It is that of the running file
// where the call does not tell.
func Invoked() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	path, err := exec.LookPath(cmp.Or(os.Args[0], exe))
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil || !sameFile(path, exe) {
		return exe, nil
	}
	return path, nil
}

// findsThis says whether PATH leads from a name to the program that runs.
func findsThis(name string) bool {
	exe, err := os.Executable()
	if err != nil {
		return false
	}
	path, err := exec.LookPath(name)
	return err == nil && sameFile(path, exe)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// IsExecutable says whether a path leads to a program.
func IsExecutable(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && (runtime.GOOS == "windows" || fi.Mode().Perm()&0o111 != 0)
}
