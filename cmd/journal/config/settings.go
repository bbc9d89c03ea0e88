package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/journal/agents"
	"journal/journal/disk"
	"journal/journal/hookrun"
	"journal/replay/recovery"
)

// Setting is one value that counts, and where it comes from.
type Setting struct {
	Name   string `json:"name"` // as in the file, as pressure.info, or what a variable sets
	Value  any    `json:"value"`
	Source string `json:"source"` // "default", FILE:LINE, or the variable of the environment
}

// Idle is how long an owner stays without being asked: JOURNAL_IDLE, else ten minutes.
func Idle(getenv func(string) string) time.Duration {
	if d, err := time.ParseDuration(getenv("JOURNAL_IDLE")); err == nil && d > 0 {
		return d
	}
	return 10 * time.Minute
}

// Source of a value that nobody set.
const unset = "default"

// Settings gives every setting in a fixed order, the models and languages of the file
// behind those that always are. After an error, that of Check, the defaults are returned beside it.
func Settings(getenv func(string) string) ([]Setting, error) {
	c, err := Load(getenv)
	path := Path(getenv)
	lines := map[string]int{}
	if b, readErr := disk.ReadFile(path, maxFile); readErr == nil && err == nil {
		lines = linesOf(b)
	}
	var all []Setting
	file := func(name string, value any) {
		source := unset
		if line, ok := lines[name]; ok {
			source = fmt.Sprintf("%s:%d", path, line)
		}
		all = append(all, Setting{name, value, source})
	}
	env := func(name string, value any, variables ...string) {
		source := unset
		for _, v := range slices.Backward(variables) {
			if given := getenv(v); given != "" && (filepath.IsAbs(given) || !strings.HasPrefix(v, "XDG_")) {
				source = v
			}
		}
		all = append(all, Setting{name, value, source})
	}
	env("dir", hookrun.Dir(getenv), "JOURNAL_DIR", "XDG_STATE_HOME")
	env("config", path, "JOURNAL_CONFIG", "XDG_CONFIG_HOME")
	env("owner", cmp.Or(getenv("JOURNAL_OWNER"), "auto"), "JOURNAL_OWNER")
	env("idle", Idle(getenv).String(), "JOURNAL_IDLE")
	if _, session := agents.Around(getenv); session != "" && getenv("JOURNAL_SESSION") == "" {
		all = append(all, Setting{"session", session, "the agent's own variable"})
	} else {
		env("session", getenv("JOURNAL_SESSION"), "JOURNAL_SESSION")
	}
	env("lang", recovery.Language(hookrun.Language(getenv)), "JOURNAL_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
	env("notes", filepath.SplitList(getenv("JOURNAL_NOTES")), "JOURNAL_NOTES")
	info, urgent := c.Pressure.Levels()
	file("pressure.info", info)
	file("pressure.urgent", urgent)
	file("guidance", !c.NoGuidance())
	file("start", !c.NoStart())
	file("stop", cmp.Or(c.Stop, "person"))
	if d := c.UI.Remember; d != nil {
		file("ui.remember", *d)
	}
	file("retention.days", c.Retention.Days)
	file("retention.megabytes", c.Retention.Megabytes)
	for _, name := range sorted(c.Retention.Projects) {
		file("retention.projects."+name, c.Retention.Projects[name])
	}
	for _, name := range sorted(c.Windows) {
		file("windows."+name, c.Windows[name])
	}
	for _, name := range sorted(c.Prices) {
		file("prices."+name, c.Prices[name])
	}
	for _, name := range sorted(c.Templates) {
		file("templates."+name, c.Templates[name])
	}
	return all, Check(getenv)
}

func sorted[V any](m map[string]V) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// linesOf gives the line on which the value of each member begins, by the names that lead
// to it: a valid object of objects.
func linesOf(b []byte) map[string]int {
	lines := map[string]int{}
	dec := json.NewDecoder(bytes.NewReader(b))
	var inside func(names []string)
	inside = func(names []string) {
		for dec.More() {
			name, err := dec.Token()
			if err != nil {
				return
			}
			member := append(slices.Clone(names), fmt.Sprint(name))
			lines[strings.Join(member, ".")] = 1 + bytes.Count(b[:dec.InputOffset()], []byte("\n"))
			value, err := dec.Token()
			if err != nil {
				return
			}
			if value == json.Delim('{') {
				inside(member)
			}
		}
		_, _ = dec.Token() // the end of the object
	}
	if start, err := dec.Token(); err == nil && start == json.Delim('{') {
		inside(nil)
	}
	return lines
}
