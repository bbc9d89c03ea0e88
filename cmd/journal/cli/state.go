package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events/text"
)

// ShownItems bounds the items of a list on a terminal, the newest; --json has
// all.
const ShownItems = 12

// StateText shows states as text. The zero value knows no titles of sessions.
type StateText struct {
	Columns int    // width of a line, 0 unlimited
	Root    string // paths below it are shown from there
	// Session returns the name of a session; nil: its id is used.
	Session func(project, id string) string
	Own     string // the shown session, which is not repeated after items
}

// Lines shows one state: an object with a line per member, a list with a line per item. Members
// keep the order of the state.
func (s StateText) Lines(b json.RawMessage) []string {
	if list, ok := ListItems(b); ok {
		return s.list(list, "  ")
	}
	var lines []string
	for _, m := range StateMembers(b) {
		if isEmptyValue(m.Value) {
			continue
		}
		list, ok := ListItems(m.Value)
		if ok && len(list) > 0 {
			lines = append(append(lines, "  "+m.Words()), s.list(list, "    ")...)
			continue
		}
		lines = append(lines, fmt.Sprintf("  %-16s %s", m.Words(), s.Value(m)))
	}
	if len(lines) == 0 {
		return []string{"  nothing"}
	}
	return lines
}

// isEmptyValue reports whether a value, or all members of an object, say nothing.
func isEmptyValue(v json.RawMessage) bool {
	return slices.Contains(emptyValues, string(v)) ||
		v[0] == '{' && !slices.ContainsFunc(StateMembers(v), func(m StateMember) bool { return !isEmptyValue(m.Value) })
}

// list shows the newest items of a list, in the list's order.
func (s StateText) list(items []json.RawMessage, indent string) []string {
	var lines []string
	left := len(items) - ShownItems
	newestFirst := len(items) > 1 && ItemSeq(items[0]) > ItemSeq(items[len(items)-1])
	more := fmt.Sprintf("%s… %d more, --json shows them", indent, left)
	switch {
	case left > 0 && newestFirst:
		items = items[:ShownItems]
	case left > 0:
		items, lines = items[left:], append(lines, more)
	}
	for _, item := range items {
		lines = append(lines, indent+"- "+s.Item(item))
	}
	if left > 0 && newestFirst {
		lines = append(lines, more)
	}
	if len(lines) == 0 {
		return []string{indent + "none"}
	}
	return lines
}

// ItemSeq returns the sequence of an item, 0 if it has none.
func ItemSeq(item json.RawMessage) (seq uint64) {
	for _, m := range StateMembers(item) {
		if m.Name == "seq" || m.Name == "last_seq" {
			n, err := strconv.ParseUint(string(m.Value), 10, 64)
			if err != nil {
				continue
			}
			seq = n
		}
	}
	return seq
}

// gistMembers lists the members that describe an item, the best first.
var gistMembers = []string{"text", "title", "heading", "command", "path", "summary", "session", "skill", "name", "id"}

// Item shows an item of a list on a line: first what it is, then the rest.
func (s StateText) Item(b json.RawMessage) string {
	gist, rest := s.Parts(b)
	if len(rest) == 0 {
		return gist
	}
	behind := "  (" + strings.Join(rest, ", ") + ")"
	if room := s.Columns - itemIndent - text.Columns(behind); room > s.Columns/2 {
		gist = text.CutColumns(gist, room)
	}
	return strings.TrimSpace(gist + behind)
}

// itemIndent is the maximum indent of an item, in columns.
const itemIndent = 6

// Parts returns what an item is, and the rest about it.
func (s StateText) Parts(b json.RawMessage) (gist string, rest []string) {
	members := StateMembers(b)
	if members == nil {
		return s.Value(StateMember{Value: b}), nil
	}
	project := ""
	for _, m := range members {
		if m.Name == "project" {
			_ = json.Unmarshal(m.Value, &project) // on an error it stays empty, which means the project of the shown session
		}
	}
	first := -1
	for _, name := range gistMembers {
		full := func(m StateMember) bool { return m.Name == name && len(m.Value) > len(`""`) }
		if first = slices.IndexFunc(members, full); first >= 0 {
			break
		}
	}
	for i, m := range members {
		m.project = project
		if i == first {
			gist = s.Value(m)
		} else if detail := s.detail(m); detail == failed {
			rest = slices.Insert(rest, 0, detail) // the end of a line may be cut
		} else if detail != "" {
			rest = append(rest, detail)
		}
	}
	return gist, rest
}

const failed = "failed"

// unlabelled are the members whose values need no name.
var unlabelled = []string{"seq", "last_seq", "at", "op", "status", "how", "agent", "tool", "type", "progress"}

// detail returns the text of a member after an item; empty if the member has no information.
func (s StateText) detail(m StateMember) string {
	value := s.Value(m)
	switch {
	case value == "" || value == "none" || m.Name == "session" && string(m.Value) == strconv.Quote(s.Own):
		return ""
	case value == "yes":
		return m.Words()
	case value == "no" && m.Name == "ok":
		return failed
	case value == "no":
		return ""
	case slices.Contains(unlabelled, m.Name):
		return value
	}
	return m.Words() + " " + value
}

// Value shows a value without JSON syntax.
func (s StateText) Value(m StateMember) string {
	var shown string
	if list, ok := ListItems(m.Value); ok {
		var items []string
		for _, item := range list[:min(len(list), ShownItems)] {
			items = append(items, s.Item(item))
		}
		if more := len(list) - ShownItems; more > 0 {
			items = append(items, fmt.Sprintf("and %d more", more))
		}
		return cmp.Or(strings.Join(items, "; "), "none")
	}
	if members := StateMembers(m.Value); members != nil {
		var all []string
		for _, m := range members {
			if d := s.detail(m); d != "" {
				all = append(all, d)
			}
		}
		return strings.Join(all, ", ")
	}
	if json.Unmarshal(m.Value, &shown) == nil && m.Value[0] == '"' {
		return s.words(m, shown)
	}
	switch v := string(m.Value); {
	case v == "true":
		return "yes"
	case v == "false":
		return "no"
	case v == "null":
		return "none"
	case m.Name == "seq" || strings.HasSuffix(m.Name, "_seq"):
		return "#" + v
	default:
		return text.Visible(text.Line(v))
	}
}

// words shows a text, a path, a time or the id of a session.
func (s StateText) words(m StateMember, shown string) string {
	if t, err := time.Parse(time.RFC3339Nano, shown); err == nil {
		return t.Local().Format(time.DateTime)
	}
	if m.Name == "session" && s.Session != nil {
		return s.Session(m.project, shown)
	}
	if rel, ok := strings.CutPrefix(shown, s.Root+string(filepath.Separator)); ok && s.Root != "" {
		shown = rel
	}
	return text.CutUnits(text.Visible(text.Line(shown)), 160)
}

// StateMember is one member of an object; an item of a list has no name.
type StateMember struct {
	Name  string
	Value json.RawMessage

	project string // of the object
}

// Words returns the name of a member in plain words.
func (m StateMember) Words() string { return SpelledName(m.Name) }

// SpelledName returns a JSON name in plain words.
func SpelledName(name string) string {
	switch name {
	case "seq":
		return "event"
	case "weak": // a decision that was not recorded on purpose
		return "inferred"
	}
	return strings.ReplaceAll(strings.TrimSuffix(name, "_seq"), "_", " ")
}

// ListItems returns the items of a list.
func ListItems(b json.RawMessage) (items []json.RawMessage, ok bool) {
	return items, len(b) > 0 && b[0] == '[' && json.Unmarshal(b, &items) == nil
}

// StateMembers returns the members of an object in order, nil for anything else.
func StateMembers(b json.RawMessage) []StateMember {
	if !json.Valid(b) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(b)) // its errors cannot come: b is valid
	if start, _ := dec.Token(); start != json.Delim('{') {
		return nil
	}
	members := []StateMember{}
	for dec.More() {
		name, _ := dec.Token()
		m := StateMember{Name: fmt.Sprint(name)}
		_ = dec.Decode(&m.Value)
		members = append(members, m)
	}
	return members
}
