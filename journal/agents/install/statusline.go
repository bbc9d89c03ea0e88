package install

import (
	"fmt"
	"strings"
)

// around is the text between the bridge and the wrapped command. The person's own
// command goes through `sh -c` as one word, so that the bridge runs it as the agent
// would have.
const around = " -- sh -c '"

// bridge is the verb of the journal that goes before.
const bridge = "statusline"

// statusCommand returns the command of the status line, if it is one. what
// says why it is none.
func (s settings) statusCommand() (command *node, what string) {
	line := s.root.member("statusLine")
	switch {
	case line == nil:
		return nil, ""
	case line.open != '{':
		return nil, `"statusLine" is not an object`
	case line.member("type") != nil && !s.is(line.member("type"), "command"):
		return nil, `"statusLine" is not of type command`
	}
	if command = line.member("command"); command == nil || command.open != '"' {
		return nil, `"statusLine" has no command`
	}
	return command, ""
}

// installStatusLine puts the bridge before the status line (S1.3). note is
// not empty when there is something that it cannot be put before.
func (w wiring) installStatusLine(s settings) (_ settings, note string) {
	prefix := w.command(bridge)
	command, what := s.statusCommand()
	if what != "" {
		line, _ := s.position(s.root.member("statusLine").start)
		return s, fmt.Sprintf("line %d: %s; it is left as it is, so usage is not recorded from it", line, what)
	}
	if command == nil {
		return s.insert([]*node{s.root}, field{"statusLine", object{{"type", "command"}, {"command", prefix}}}), ""
	}
	quoted := strings.TrimSuffix(quoteJSON(prefix), `"`)
	us := units(s.text(command))
	if end, ok := w.bridged(us); ok {
		return s.replace(command, quoted+spell(us[end:])+`"`), ""
	}
	return s.replace(command, quoted+around+wrap(us)+`'"`), ""
}

// removeStatusLine takes the bridge away and gives the wrapped command back.
func (w wiring) removeStatusLine(s settings) settings {
	command, _ := s.statusCommand()
	if command == nil {
		return s
	}
	us := units(s.text(command))
	end, ok := w.bridged(us)
	if !ok {
		return s
	}
	if end == len(us) {
		return s.remove([]*node{s.root}, s.root.indexOf(s.root.member("statusLine")))
	}
	rest := us[end:]
	inner, ok := unwrap(rest)
	if !ok {
		// Somebody wrote the command out by hand, without sh -c.
		_, dashes, _ := shellWord(values(rest), 0)
		inner = strings.TrimLeft(spell(rest[dashes:]), " ")
	}
	return s.replace(command, `"`+inner+`"`)
}

// bridged reports whether a command is our bridge, and where what follows
// `journal statusline` begins: nothing, or " -- " and the wrapped command.
func (w wiring) bridged(us []unit) (end int, ok bool) {
	rs := values(us)
	program, at, ok := shellWord(rs, 0)
	if !ok {
		return 0, false
	}
	verb, at, ok := shellWord(rs, at)
	if _, ours := w.arguments([]string{program, verb}, bridge); !ok || !ours {
		return 0, false
	}
	if strings.TrimSpace(string(rs[at:])) == "" {
		return len(us), true
	}
	dashes, after, ok := shellWord(rs, at)
	if !ok || dashes != "--" {
		return 0, false
	}
	if strings.TrimSpace(string(rs[after:])) == "" {
		return len(us), true
	}
	return at, true
}

const (
	singleQuote = '\''
	backslash   = '\\'
)

// wrap spells us as the inside of a single-quoted shell word. A quote in it
// becomes four characters: it closes the word, a quote after a backslash
// stands for itself, and a third one opens the word again. The first keeps the
// spelling of the original, so that unwrap finds that too.
func wrap(us []unit) string {
	var b strings.Builder
	for _, u := range us {
		b.WriteString(u.raw)
		if u.val == singleQuote {
			b.WriteString(`\\''`)
		}
	}
	return b.String()
}

// unwrap gives back what wrap got, from everything after `journal
// statusline`. ok is false when that has another form.
func unwrap(rest []unit) (inner string, ok bool) {
	head := len(around)
	if len(rest) <= head || string(values(rest[:head])) != around || rest[len(rest)-1].val != singleQuote {
		return "", false
	}
	us := rest[head : len(rest)-1]
	var b strings.Builder
	for i := 0; i < len(us); i++ {
		b.WriteString(us[i].raw)
		if us[i].val != singleQuote {
			continue
		}
		if i+3 >= len(us) || us[i+1].val != backslash || us[i+2].val != singleQuote || us[i+3].val != singleQuote {
			return "", false
		}
		i += 3
	}
	return b.String(), true
}
