package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// shownItems is how many items of a list a person is shown, the newest; --json has all.
const shownItems = 12

// lineColumns bounds a line of a state where no terminal does.
const lineColumns = 200

// stateText shows states to people: it reads their JSON, and none of it is left. The zero
// value knows of no session's title.
type stateText struct {
	columns int    // that a line has, 0 any number
	root    string // paths below it are shown from there
	session func(project, id string) string
	own     string // session, which goes without saying behind an item
}

// stateText makes one for states of a session.
func (a *app) stateText(ctx context.Context, log replay.Source, t projections.Target) stateText {
	show := stateText{own: t.Session, columns: cmp.Or(a.width(), lineColumns), session: func(project, id string) string {
		return a.named(ctx, log, journal.Session{Project: cmp.Or(project, t.Project), ID: id})
	}}
	f := projections.NewFold(t, projections.Config{}, projections.SessionInfo)
	if err := replay.Forward(ctx, log, f, 0); err == nil { // else paths are shown whole
		show.root = projections.SessionInfo.In(f).Root
	}
	return show
}

// printLines prints lines as long as there is room for.
func (a *app) printLines(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(a.out, a.cut(line))
	}
}

// state shows one state: an object as a line per member, a list as a line per item. Members
// keep the order of the state.
func (s stateText) state(b json.RawMessage) []string {
	if list, ok := listOf(b); ok {
		return s.list(list, "  ")
	}
	var lines []string
	for _, m := range membersOf(b) {
		list, ok := listOf(m.value)
		if ok && len(list) > 0 {
			lines = append(append(lines, "  "+m.words()), s.list(list, "    ")...)
			continue
		}
		lines = append(lines, fmt.Sprintf("  %-16s %s", m.words(), s.value(m)))
	}
	if len(lines) == 0 {
		return []string{"  nothing"}
	}
	return lines
}

// list shows the newest items of a list in its order, whichever that is.
func (s stateText) list(items []json.RawMessage, indent string) []string {
	var lines []string
	left := len(items) - shownItems
	newestFirst := len(items) > 1 && sequence(items[0]) > sequence(items[len(items)-1])
	more := fmt.Sprintf("%s… %d more, --json shows them", indent, left)
	switch {
	case left > 0 && newestFirst:
		items = items[:shownItems]
	case left > 0:
		items, lines = items[left:], append(lines, more)
	}
	for _, item := range items {
		lines = append(lines, indent+"- "+s.item(item))
	}
	if left > 0 && newestFirst {
		lines = append(lines, more)
	}
	if len(lines) == 0 {
		return []string{indent + "none"}
	}
	return lines
}

// sequence gives the place of an item in the log, 0 when it has none.
func sequence(item json.RawMessage) (seq uint64) {
	for _, m := range membersOf(item) {
		if m.name == "seq" || m.name == "last_seq" {
			n, err := strconv.ParseUint(string(m.value), 10, 64)
			if err == nil {
				seq = n
			}
		}
	}
	return seq
}

// says are the members that say what an item is, the best first.
var says = []string{"text", "title", "heading", "command", "path", "summary", "words", "session", "skill", "name", "id"}

// item shows an item of a list on a line: what it is, and the rest of it behind.
func (s stateText) item(b json.RawMessage) string {
	said, rest := s.parts(b)
	if len(rest) == 0 {
		return said
	}
	behind := "  (" + strings.Join(rest, ", ") + ")"
	if room := s.columns - itemIndent - text.Columns(behind); room > s.columns/2 {
		said = text.CutColumns(said, room)
	}
	return strings.TrimSpace(said + behind)
}

// itemIndent is how many columns stand before an item at most.
const itemIndent = 6

// parts gives what an item is, and what else there is to say of it.
func (s stateText) parts(b json.RawMessage) (said string, rest []string) {
	members := membersOf(b)
	if members == nil {
		return s.value(field{value: b}), nil
	}
	project := ""
	for _, m := range members {
		if m.name == "project" {
			_ = json.Unmarshal(m.value, &project) // no name of one: the session's own
		}
	}
	first := -1
	for _, name := range says {
		full := func(m field) bool { return m.name == name && len(m.value) > len(`""`) }
		if first = slices.IndexFunc(members, full); first >= 0 {
			break
		}
	}
	for i, m := range members {
		m.project = project
		if i == first {
			said = s.value(m)
		} else if detail := s.detail(m); detail == failed {
			rest = slices.Insert(rest, 0, detail) // the end of a line may be cut
		} else if detail != "" {
			rest = append(rest, detail)
		}
	}
	return said, rest
}

const failed = "failed"

// plainly are the members whose values say what they are.
var plainly = []string{"seq", "last_seq", "at", "op", "status", "how", "agent", "tool", "type", "progress"}

// detail shows a member behind an item, nothing for one that says nothing.
func (s stateText) detail(m field) string {
	value := s.value(m)
	switch {
	case value == "" || value == "none" || m.name == "session" && string(m.value) == strconv.Quote(s.own):
		return ""
	case value == "yes":
		return m.words()
	case value == "no" && m.name == "ok":
		return failed
	case value == "no":
		return ""
	case slices.Contains(plainly, m.name):
		return value
	}
	return m.words() + " " + value
}

// value shows a value without what JSON puts around it.
func (s stateText) value(m field) string {
	var said string
	if list, ok := listOf(m.value); ok {
		var items []string
		for _, item := range list[:min(len(list), shownItems)] {
			items = append(items, s.item(item))
		}
		if more := len(list) - shownItems; more > 0 {
			items = append(items, fmt.Sprintf("and %d more", more))
		}
		return cmp.Or(strings.Join(items, "; "), "none")
	}
	if members := membersOf(m.value); members != nil {
		var all []string
		for _, m := range members {
			if d := s.detail(m); d != "" {
				all = append(all, d)
			}
		}
		return strings.Join(all, ", ")
	}
	if json.Unmarshal(m.value, &said) == nil && m.value[0] == '"' {
		return s.words(m, said)
	}
	switch v := string(m.value); {
	case v == "true":
		return "yes"
	case v == "false":
		return "no"
	case v == "null":
		return "none"
	case m.name == "seq" || strings.HasSuffix(m.name, "_seq"):
		return "#" + v
	default:
		return oneLine(v)
	}
}

// words shows a text, a path, a time or the id of a session.
func (s stateText) words(m field, said string) string {
	if t, err := time.Parse(time.RFC3339Nano, said); err == nil {
		return t.Local().Format(time.DateTime)
	}
	if m.name == "session" && s.session != nil {
		return s.session(m.project, said)
	}
	if rel, ok := strings.CutPrefix(said, s.root+string(filepath.Separator)); ok && s.root != "" {
		said = rel
	}
	return text.CutUnits(oneLine(said), 160)
}

// field is one member of an object; what stands in a list has no name.
type field struct {
	name    string
	value   json.RawMessage
	project string
}

// words gives the name of a member as a person spells it.
func (m field) words() string { return spelled(m.name) }

func spelled(name string) string {
	if name == "seq" {
		return "event"
	}
	return strings.ReplaceAll(strings.TrimSuffix(name, "_seq"), "_", " ")
}

// listOf gives the items of a list.
func listOf(b json.RawMessage) (items []json.RawMessage, ok bool) {
	return items, len(b) > 0 && b[0] == '[' && json.Unmarshal(b, &items) == nil
}

// membersOf gives the members of an object in its order, nil of anything else.
func membersOf(b json.RawMessage) []field {
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	members := []field{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil
		}
		m := field{name: fmt.Sprint(name)}
		if err := dec.Decode(&m.value); err != nil {
			return nil
		}
		members = append(members, m)
	}
	return members
}
