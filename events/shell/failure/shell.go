package failure

import (
	"path"
	"slices"
	"strings"

	"journal/events/shell"
)

// Hides reports whether a command's exit code can be 0 although a part of it failed: a pipe without pipefail, several
// commands in sequence without set -e, || and &.
func Hides(command string) bool {
	pipefail := strings.Contains(command, "pipefail")
	stopsAtFailure := strings.Contains(command, "set -e") || strings.Contains(command, "-eo ")
	parts := shell.Split(command)
	for i, part := range parts {
		switch part.Op {
		case "|":
			if !pipefail {
				return true
			}
		case "||", "&":
			return true
		case ";":
			if !stopsAtFailure && i+1 < len(parts) {
				return true
			}
		}
	}
	return false
}

// wordSet is a set of words, each between spaces: a constant costs nothing when the program starts, for every tool call.
type wordSet string

// has reports whether a word is in the set.
func (s wordSet) has(w string) bool {
	return w != "" && !strings.Contains(w, " ") && strings.Contains(string(s), " "+w+" ")
}

const (
	// readers are programs that print existing content, such as files or their input: a mark in their output proves no
	// failure of the command.
	readers wordSet = " cat head tail less more grep egrep fgrep rg ag ack sed awk cut sort uniq wc tr tee" +
		" ls find fd tree echo printf jq yq column nl diff comm xxd od strings file stat du cd pwd test true sleep" +
		" which type read basename dirname date export set for while if then else do done fi mkdir touch" +
		" bat curl wget gh glab journalctl ps pgrep " +
		// of PowerShell
		" get-content gc get-childitem gci dir get-item get-location get-process select-string sls select-object where-object" +
		" sort-object measure-object format-table format-list out-string out-null out-host write-output write-host" +
		" test-path resolve-path set-location start-sleep "
	// wrappers are programs that run the program named behind them.
	wrappers wordSet = " sudo time nice nohup env command timeout xargs "
	// gitReaders are the git commands that print the repository's content.
	gitReaders wordSet = " log show diff grep blame status branch ls-files cat-file rev-parse reflog shortlog describe config remote "
)

// onlyReads reports whether every simple command in a command only prints existing content.
func onlyReads(command string) bool {
	return !slices.ContainsFunc(programCalls(command), func(words []string) bool { return !reads(words) })
}

// Calls reports whether a command calls one of the programs, and otherwise only prints existing content and writes no file:
// `cd x && bin/journal audit | head` calls journal.
func Calls(command string, programs ...string) bool {
	found := false
	for _, words := range programCalls(command) {
		if slices.Contains(programs, strings.TrimSuffix(base(words[0]), ".exe")) {
			found = true
		} else if !reads(words) || len(shell.Written(words)) > 0 {
			return false
		}
	}
	return found
}

// programCalls returns the words of each simple command from its program on. A command without a program is left out.
func programCalls(command string) (all [][]string) {
	for _, words := range shell.Commands(command) {
		if i := programIndex(words); i >= 0 {
			all = append(all, words[i:])
		}
	}
	return all
}

// programIndex returns the index of the program in the words of a simple command, -1 for none. It skips assignments, keywords before
// a command, and wrappers with their options and numbers, as in "timeout 5".
func programIndex(words []string) int {
	wrapped := false
	for i, w := range words {
		option := strings.HasPrefix(w, "-") || w != "" && '0' <= w[0] && w[0] <= '9'
		switch {
		case wrappers.has(w):
			wrapped = true
		case strings.Contains(w, "="), w == "do", w == "then", w == "!", wrapped && option:
		default:
			return i
		}
	}
	return -1
}

// reads reports whether a simple command only prints existing content.
func reads(words []string) bool {
	program := strings.ToLower(base(words[0]))
	if program != "git" {
		return readers.has(program)
	}
	words = words[1:]
	for len(words) > 1 && strings.HasPrefix(words[0], "-") { // git -C dir, git --no-pager
		if words[0] == "-C" || words[0] == "-c" {
			words = words[1:]
		}
		words = words[1:]
	}
	return len(words) > 0 && gitReaders.has(words[0])
}

// base returns the name of a program, without its directory.
func base(program string) string { return path.Base(strings.ReplaceAll(program, `\`, "/")) }
