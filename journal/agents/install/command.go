package install

import (
	"os"
	"path/filepath"
	"strings"
)

// smallName is the name of the program that agents call, which is a fifth of the other
// one and starts in half the time.
const smallName = "journal-hook"

// smallBeside gives the small program that lies beside bin, empty when there is none.
// It is looked for beside a path only: what a bare name means is for another PATH than
// ours to say.
func smallBeside(bin string) string {
	if !filepath.IsAbs(bin) {
		return ""
	}
	path := filepath.Join(filepath.Dir(bin), smallName+filepath.Ext(bin))
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	return path
}

// command is what the settings shall say for a verb of the journal, without what
// follows it: the small program where there is one. Every command line of ours in
// settings is made here.
func (w wiring) command(verb string) string {
	switch {
	case w.small == "":
		return Quote(w.bin) + " " + verb
	case verb == "hook": // what the small program does when it is not told
		return Quote(w.small)
	}
	return Quote(w.small) + " " + verb
}

// program is the path that stands in the settings.
func (w wiring) program() string {
	if w.small != "" {
		return w.small
	}
	return w.bin
}

// arguments gives what follows the verb in the words of a command line, when that is
// one of the journal for that verb, by whichever path and program.
func (w wiring) arguments(words []string, verb string) (rest []string, ok bool) {
	if len(words) == 0 {
		return nil, false
	}
	name := strings.TrimSuffix(words[0][strings.LastIndexAny(words[0], `/\`)+1:], ".exe")
	switch {
	case name == smallName && verb == "hook":
		return words[1:], true
	case name != smallName && name != "journal" && words[0] != w.bin, len(words) < 2 || words[1] != verb:
		return nil, false
	}
	return words[2:], true
}
