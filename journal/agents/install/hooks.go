package install

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/tailscale/hujson"
)

// wiring holds the facts about an installation that decide what the settings must have.
type wiring struct {
	agent       *Agent
	bin         string   // path of journal
	hookProgram string   // path of journal-hook, "" if there is none
	events      []string // events that are to have our hook
	verbs       []string // Options.Verbs
	shared      bool     // the settings are of a project: people without the program get them too
}

// call is a command in the settings, for an event or the status line.
type call struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type,omitempty"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
}

// group is an element of an event's list.
type group struct {
	Hooks []call `json:"hooks"`
}

// entry is one of our hooks in the settings, with its path: hooks.EVENT[i].hooks[j], or hooks.EVENT[i] if Settings.Flat is set.
type entry struct {
	path []string
	hook *hujson.Value
}

// entries returns our entries of an event.
func (w wiring) entries(s *settings, event string) (found []entry) {
	for i, g := range elements(s.find("hooks", event)) {
		if w.agent.Settings.Flat && w.isOurs(&g) {
			found = append(found, entry{[]string{"hooks", event, strconv.Itoa(i)}, &g})
		}
		for j, h := range elements(find(&g, "hooks")) {
			if w.isOurs(&h) {
				found = append(found, entry{[]string{"hooks", event, strconv.Itoa(i), "hooks", strconv.Itoa(j)}, &h})
			}
		}
	}
	return found
}

// isOurs reports whether an entry calls journal for a hook of the agent.
func (w wiring) isOurs(hook *hujson.Value) bool {
	words, ok := callOf(hook)
	return ok && w.isHook(words)
}

// callOf returns the words of the call in an entry, which may have the arguments in a separate list, "args". ok is false if the entry has
// no command, or callIn cannot read it.
func callOf(hook *hujson.Value) (words []string, ok bool) {
	command, ok := text(find(hook, "command"))
	args := find(hook, "args")
	if !ok || args == nil {
		return callIn(command)
	}
	words = []string{command}
	for _, e := range elements(args) {
		word, _ := text(&e)
		words = append(words, word)
	}
	return words, true
}

// isHook reports whether the words of a command line call journal for a hook of the agent. Further arguments, such as the event, may
// follow.
func (w wiring) isHook(words []string) bool {
	rest, ok := w.arguments(words, "hook")
	return ok && len(rest) > 0 && rest[0] == w.agent.Name
}

// check returns an error for settings with two members of one key in a part that we edit: agents read the last one, but people see the
// first. If strict is set, it also returns an error for settings to which hooks cannot be added.
func (w wiring) check(s *settings, strict bool) error {
	edited := slices.Concat([]string{"hooks", "statusLine"}, w.agent.Settings.Off, w.agent.Settings.Allow[:min(1, len(w.agent.Settings.Allow))])
	if err := s.checkUnique(&s.root, func(key string) bool { return slices.Contains(edited, key) }); err != nil || !strict {
		return err
	}
	hooks := s.find("hooks")
	if hooks != nil && hooks.Value.Kind() != '{' {
		return s.refuse(hooks.StartOffset, `"hooks" is not an object`, `make it an object, {}, or take "hooks" out`)
	}
	for _, event := range w.events {
		if groups := s.find("hooks", event); groups != nil && groups.Value.Kind() != '[' {
			return s.refuse(groups.StartOffset, fmt.Sprintf("the hooks of %s are not an array", event), "make them an array, [], or take the event out")
		}
	}
	return nil
}

// checkUnique returns an error if v is an object that has a key twice for which isChecked is true, or any key twice in the member with
// such a key. Of a list it checks each element.
func (s *settings) checkUnique(v *hujson.Value, isChecked func(key string) bool) error {
	seen := map[string]bool{}
	for _, m := range members(v) {
		key := m.Name.Value.(hujson.Literal).String()
		if !isChecked(key) {
			continue
		}
		if seen[key] {
			return s.refuse(m.Name.StartOffset, fmt.Sprintf("%q stands there twice", key), "keep one of the two; the agent reads only the last")
		}
		seen[key] = true
		if err := s.checkUnique(&m.Value, func(string) bool { return true }); err != nil {
			return err
		}
	}
	for _, e := range elements(v) {
		if err := s.checkUnique(&e, isChecked); err != nil {
			return err
		}
	}
	return nil
}

// install changes the settings so that they have one entry of ours for each of w.events, and none for other events.
func (w wiring) install(s *settings) {
	for _, event := range w.events {
		found := w.entries(s, event)
		if len(found) == 0 {
			s.append([]string{"hooks", event}, w.item(event))
			continue
		}
		for _, duplicate := range slices.Backward(found[1:]) {
			w.removeEntry(s, duplicate)
		}
		w.correct(s, event, found[0])
	}
	w.prune(s, w.events)
	if v := w.agent.Settings.Version; v != 0 && s.find("version") == nil {
		s.add([]string{"version"}, v)
	}
}

// item returns a new element with our hook for an event's list.
func (w wiring) item(event string) any {
	c := call{w.agent.Settings.Name, "command", w.hookCommand(event), w.timeout(event)}
	if w.agent.Settings.Flat {
		c.Type = ""
		return c
	}
	return group{[]call{c}}
}

// correct sets the command of an entry, removes its list of arguments, and adds a name and a timeout if they are missing.
func (w wiring) correct(s *settings, event string, e entry) {
	if find(e.hook, "args") != nil {
		s.remove(append(slices.Clone(e.path), "args")...)
	}
	s.set(find(e.hook, "command"), w.hookCommand(event))
	if name := w.agent.Settings.Name; name != "" && find(e.hook, "name") == nil {
		s.add(append(slices.Clone(e.path), "name"), name)
	}
	path := append(slices.Clone(e.path), "timeout")
	if s.find(path...) == nil {
		s.add(path, w.timeout(event))
	}
}

// timeout returns the timeout of an event's entry.
func (w wiring) timeout(event string) int {
	return cmp.Or(w.agent.Settings.Timeouts[event], w.agent.Settings.Timeout)
}

// prune removes our entries from all events that are not in keep.
func (w wiring) prune(s *settings, keep []string) {
	for _, m := range slices.Clone(members(s.find("hooks"))) {
		event := m.Name.Value.(hujson.Literal).String()
		if slices.Contains(keep, event) {
			continue
		}
		for _, e := range slices.Backward(w.entries(s, event)) {
			w.removeEntry(s, e)
		}
	}
}

// removeEntry removes an entry, and its group if the group has no other entry.
func (w wiring) removeEntry(s *settings, e entry) {
	if len(e.path) > 3 && len(elements(s.find(e.path[:4]...))) == 1 {
		s.remove(e.path[:3]...)
		return
	}
	s.remove(e.path...)
}

// limited returns the events whose group with our entry has a matcher that does not match everything.
func (w wiring) limited(s *settings) (events []string) {
	for _, event := range w.events {
		for _, e := range w.entries(s, event) {
			// A missing matcher, "" and "*" match everything.
			if m := s.find(append(slices.Clone(e.path[:3]), "matcher")...); m != nil && !isText(m, "") && !isText(m, "*") {
				events = append(events, event)
			}
		}
	}
	return events
}
