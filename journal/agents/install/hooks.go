package install

import (
	"encoding/json"
	"fmt"
	"slices"
)

// wiring is what the settings should say.
type wiring struct {
	agent  *Agent
	bin    string // the path of journal
	small  string // that of the program that agents call; empty without one
	events []string
	verbs  []string // that rules can allow
	// shared says that whoever has the project has these settings, with the program or not.
	shared bool
}

// entry is one of our hooks and where it stands: node is hooks.items[j] of
// group, which is event.items[i].
type entry struct {
	event, group, hooks, node *node
	i, j                      int
}

// entries finds our entries among the groups of an event.
func (w wiring) entries(s settings, event *node) []entry {
	var found []entry
	if event == nil || event.open != '[' {
		return nil
	}
	for i, g := range event.items {
		hooks := g.value.member("hooks")
		if hooks == nil || hooks.open != '[' {
			continue
		}
		for j, h := range hooks.items {
			if w.isOurs(s, h.value) {
				found = append(found, entry{event, g.value, hooks, h.value, i, j})
			}
		}
	}
	return found
}

// isOurs recognises an entry by its command, also in the form that has the
// arguments in a list of their own.
func (w wiring) isOurs(s settings, n *node) bool {
	command, ok := s.decode(n.member("command"))
	if !ok {
		return false
	}
	args := n.member("args")
	if args == nil {
		words, ok := shellWords(unguarded(command))
		return ok && w.isHook(words)
	}
	var words []string
	if json.Unmarshal(s.text(args), &words) != nil {
		return false
	}
	return w.isHook(append([]string{command}, words...))
}

// isHook reports whether words call the journal for a hook of the agent, with or
// without the name of the event or anything else after it.
func (w wiring) isHook(words []string) bool {
	rest, ok := w.arguments(words, "hook")
	return ok && len(rest) > 0 && rest[0] == w.agent.Name
}

// check refuses settings in which it is not clear what an edit would mean.
// strict also refuses types that leave no room for our hooks.
func (w wiring) check(s settings, strict bool) error {
	if err := s.once(s.root, append([]string{"hooks", "statusLine"}, w.agent.Settings.Off...)...); err != nil {
		return err
	}
	hooks := s.root.member("hooks")
	if hooks == nil {
		return nil
	}
	if hooks.open != '{' {
		if !strict {
			return nil
		}
		return s.refuse(hooks.start, `"hooks" is not an object`, `make it an object, {}, or take "hooks" out`)
	}
	for _, it := range hooks.items {
		if err := s.once(hooks, it.key); err != nil {
			return err
		}
		if strict && it.value.open != '[' && slices.Contains(w.events, it.key) {
			return s.refuse(it.value.start, fmt.Sprintf("the hooks of %s are not an array", it.key), "make them an array, [], or take the event out")
		}
	}
	return nil
}

// once refuses an object that has one of the keys twice: agents read the last
// one, people see the first.
func (s settings) once(n *node, keys ...string) error {
	seen := map[string]bool{}
	for _, it := range n.items {
		if !slices.Contains(keys, it.key) {
			continue
		}
		if seen[it.key] {
			return s.refuse(it.start, fmt.Sprintf("%q stands there twice", it.key), "keep one of the two; the agent reads only the last")
		}
		seen[it.key] = true
	}
	return nil
}

// install makes the hooks of the settings be those of w: one entry of ours for
// each of w.events, none elsewhere.
func (w wiring) install(s settings) settings {
	// Additions come first, so that no container is empty in between and the
	// marks that tell which ones were there before stay.
	for _, event := range w.events {
		s = w.setEvent(s, event)
	}
	return w.prune(s, func(event string) bool { return !slices.Contains(w.events, event) })
}

// setEvent brings our entry of an event in order: the first is kept and
// corrected, more are taken out, a missing one is added.
func (w wiring) setEvent(s settings, event string) settings {
	hooks := s.root.member("hooks")
	found := w.entries(s, hooks.member(event))
	if len(found) == 0 {
		return w.add(s, event)
	}
	for ; len(found) > 1; found = w.entries(s, s.root.member("hooks").member(event)) {
		s = w.removeEntry(s, found[len(found)-1])
	}
	return w.correct(s, event)
}

func (w wiring) add(s settings, event string) settings {
	group := object{{"hooks", array{object{
		{"type", "command"},
		{"command", w.hookCommand(event)},
		{"timeout", w.agent.Settings.Timeout},
	}}}}
	hooks := s.root.member("hooks")
	if hooks == nil {
		return s.insert([]*node{s.root}, field{"hooks", object{{event, array{group}}}})
	}
	groups := hooks.member(event)
	if groups == nil {
		return s.insert([]*node{s.root, hooks}, field{event, array{group}})
	}
	return s.insert([]*node{s.root, hooks, groups}, group)
}

// correct gives the only entry of an event our command and, if it has none,
// our timeout. What else the person has put there stays.
func (w wiring) correct(s settings, event string) settings {
	find := func() entry { return w.entries(s, s.root.member("hooks").member(event))[0] }
	e := find()
	if args := e.node.member("args"); args != nil {
		s = s.remove([]*node{s.root, s.root.member("hooks"), e.event, e.group, e.hooks, e.node}, e.node.indexOf(args))
		// Without its arguments the entry is no longer found as ours; its
		// command is corrected where it stands.
		e.node = s.root.member("hooks").member(event).items[e.i].value.member("hooks").items[e.j].value
	}
	if command := e.node.member("command"); !s.is(command, w.hookCommand(event)) {
		s = s.replace(command, quoteJSON(w.hookCommand(event)))
	}
	if e = find(); e.node.member("timeout") == nil {
		s = s.insert([]*node{s.root, s.root.member("hooks"), e.event, e.group, e.hooks, e.node}, field{"timeout", w.agent.Settings.Timeout})
	}
	return s
}

// is reports whether n is a string of that value.
func (s settings) is(n *node, value string) bool {
	got, ok := s.decode(n)
	return ok && got == value
}

// prune takes our entries out of every event for which drop is true.
func (w wiring) prune(s settings, drop func(event string) bool) settings {
	for again := true; again; {
		again = false
		hooks := s.root.member("hooks")
		if hooks == nil || hooks.open != '{' {
			return s
		}
		for _, it := range hooks.items {
			if found := w.entries(s, it.value); len(found) > 0 && drop(it.key) {
				s = w.removeEntry(s, found[len(found)-1])
				again = true
				break
			}
		}
	}
	return s
}

// removeEntry takes an entry out, and with it the group that holds nothing
// else.
func (w wiring) removeEntry(s settings, e entry) settings {
	chain := []*node{s.root, s.root.member("hooks"), e.event}
	if len(e.hooks.items) == 1 {
		return s.remove(chain, e.i)
	}
	return s.remove(append(chain, e.group, e.hooks), e.j)
}

// limited returns the events in which our entry is in a group that matches
// only some calls.
func (w wiring) limited(s settings) []string {
	var events []string
	for _, event := range w.events {
		for _, e := range w.entries(s, s.root.member("hooks").member(event)) {
			// Omitted, "" and "*" match everything.
			if m := e.group.member("matcher"); m != nil && !s.is(m, "") && !s.is(m, "*") {
				events = append(events, event)
			}
		}
	}
	return events
}
