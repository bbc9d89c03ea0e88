package install

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"journal/events/shell"
	"journal/journal/disk"
)

// Installed returns the paths of journal and journal-hook that the settings call for hooks and the status line, as the settings spell
// them, each once. The list is empty if nothing is installed.
func Installed(o Options) (programs []string, err error) {
	t, err := o.resolve()
	if err != nil {
		return nil, err
	}
	if t.agent.Settings == nil {
		return t.filePrograms()
	}
	s, err := t.current()
	if err != nil {
		return nil, err
	}
	for _, m := range members(s.find("hooks")) {
		for _, e := range t.entries(s, m.Name.Value.(hujson.Literal).String()) {
			words, _ := callOf(e.hook) // ours, so it has words
			programs = append(programs, words[0])
		}
	}
	command, _ := s.statusCommand()
	line, _ := text(command)
	if _, ok := t.statusCall(line); ok {
		programs = append(programs, shell.Split(line)[0].Words[0])
	}
	slices.Sort(programs)
	return slices.Compact(programs), nil
}

// current returns the current settings, and sets t.path to their path.
func (t *target) current() (*settings, error) {
	t.path = t.file(t.agent.Settings.File)
	p, err := t.read()
	if err != nil {
		return nil, err
	}
	return t.parse(p.Before)
}

// Plugin returns the name of the journal plugin that is enabled in the settings, "" if none is. Such a plugin also calls journal.
func Plugin(o Options) (name string, err error) {
	t, err := o.resolve()
	if err != nil || t.agent.Settings == nil {
		return "", err
	}
	s, err := t.current()
	if err != nil {
		return "", err
	}
	return t.plugin(s), nil
}

// plugin returns the name of the journal plugin that is enabled in s, "" if none is.
func (w wiring) plugin(s *settings) string {
	if w.agent.Settings.Plugins == "" {
		return ""
	}
	for _, m := range members(s.find(w.agent.Settings.Plugins)) {
		if name := m.Name.Value.(hujson.Literal).String(); strings.HasPrefix(name, "journal@") && isTrue(&m.Value) {
			return name
		}
	}
	return ""
}

// filePrograms is Installed for an agent without settings: the programs that our files call.
func (t target) filePrograms() (programs []string, err error) {
	for _, f := range t.agent.Files {
		if !f.calls() {
			continue
		}
		b, err := disk.ReadFile(t.file(f.Path), maxSettings)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return programs, err
		}
		if program := f.program(b); program != "" {
			programs = append(programs, program)
		}
	}
	return programs, nil
}

// userSettingsNotes returns a note if the person's own settings call journal too: the client may then call it twice.
func (o Options) userSettingsNotes() []string {
	o.Scope = User
	programs, err := Installed(o)
	if err != nil || len(programs) == 0 {
		return nil // errors of other settings do not matter here
	}
	return []string{fmt.Sprintf("your own settings call %s too; one of the two is enough", programs[0])}
}
