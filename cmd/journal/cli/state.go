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

	"journal/events"
	"journal/events/text"
)

// ShownItems bounds the items of a list that are shown to people; --json has all.
const ShownItems = 12

// StateText shows the JSON states of projections as text. The zero value shows sessions by their ids, and whole paths.
type StateText struct {
	Columns int    // width of a line, 0 unlimited
	Root    string // paths below it are shown relative to it
	// Session returns the name of a session; if Session is nil, the id is shown. An empty project means that of the shown
	// session.
	Session func(project, id string) string
	Own     string // id of the shown session, which is not repeated after items
}

// Lines shows one state: an object with a line per member, in the object's order; a list with a line per item.
func (s StateText) Lines(b json.RawMessage) []string {
	if list, ok := ListItems(b); ok && len(list) > 0 {
		return s.list(list, "  ")
	}
	var lines []string
	for _, m := range StateMembers(b) {
		if IsEmptyValue(m.Value) {
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

// IsEmptyValue reports whether a value is in emptyValues, or an object of which every member is.
func IsEmptyValue(v json.RawMessage) bool {
	return slices.Contains(emptyValues, string(v)) ||
		v[0] == '{' && !slices.ContainsFunc(StateMembers(v), func(m StateMember) bool { return !IsEmptyValue(m.Value) })
}

// list shows the newest ShownItems of a list that is not empty, in the list's order.
func (s StateText) list(items []json.RawMessage, indent string) (lines []string) {
	omitted := max(0, len(items)-ShownItems)
	shown, gap := items[omitted:], 0 // gap is the index in lines of the line about the others
	if newestFirst := ItemSeq(items[0]) > ItemSeq(items[len(items)-1]); newestFirst {
		shown = items[:len(items)-omitted]
		gap = len(shown)
	}
	for _, item := range shown {
		lines = append(lines, indent+"- "+s.Item(item))
	}
	if omitted > 0 {
		lines = slices.Insert(lines, gap, fmt.Sprintf("%s… %d more, --json shows them", indent, omitted))
	}
	return lines
}

// ItemSeq returns the sequence of an item's newest event, 0 if the item has none.
func ItemSeq(item json.RawMessage) (seq uint64) {
	for _, m := range StateMembers(item) {
		if m.Name == "seq" || m.Name == "last_seq" {
			_ = json.Unmarshal(m.Value, &seq) // a value that is no number leaves seq as it is
		}
	}
	return seq
}

// gistMembers lists the members that can be the gist of an item, the best first.
var gistMembers = []string{"text", "title", "heading", "command", "path", "summary", "session", "skill", "name", "id"}

// Item shows an item of a list on a line: its gist, then the other members. The gist is cut so that all fit into Columns, unless
// the others take half of them or more.
func (s StateText) Item(b json.RawMessage) string {
	gist, details := s.Parts(b)
	if len(details) == 0 {
		return gist
	}
	behind := "  (" + strings.Join(details, ", ") + ")"
	if room := s.Columns - itemIndent - text.Columns(behind); room > s.Columns/2 {
		gist = text.CutColumns(gist, room)
	}
	return strings.TrimSpace(gist + behind)
}

// itemIndent is the maximum indent of an item with its dash, in columns.
const itemIndent = 6

// Parts returns the gist of an item, and the text of each other member that has information.
func (s StateText) Parts(b json.RawMessage) (gist string, details []string) {
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
	chosen := firstOf(members, gistMembers, func(m StateMember) bool { return len(m.Value) > len(`""`) })
	for i, m := range members {
		m.project = project
		if i == chosen {
			gist = s.Value(m)
		} else if detail := s.detail(m); detail == failed {
			details = slices.Insert(details, 0, detail) // first, because the end of a line may be cut
		} else if detail != "" {
			details = append(details, detail)
		}
	}
	return gist, details
}

// failed is the name of the member by which an event shows a failure, and the text for "ok": false in a state.
const failed = "failed"

// unlabelled are the members whose values are shown without their names.
var unlabelled = []string{"seq", "last_seq", "at", "op", "status", "how", "agent", "tool", "type", "progress"}

// detail returns the text of a member that is shown behind an item's gist; empty if the member has no information.
func (s StateText) detail(m StateMember) string {
	value := s.Value(m)
	switch raw := string(m.Value); {
	case raw == "false" && m.Name == "ok":
		return failed
	case value == "" || raw == "false" || raw == "null" || raw == "[]":
		return ""
	case m.Name == "session" && (raw == strconv.Quote(s.Own) || raw == strconv.Quote(events.None)):
		return ""
	case raw == "true":
		return m.Words()
	case slices.Contains(unlabelled, m.Name):
		return value
	}
	return m.Words() + " " + value
}

// Value shows a value without JSON syntax.
func (s StateText) Value(m StateMember) string {
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
	var shown string
	if json.Unmarshal(m.Value, &shown) == nil && m.Value[0] == '"' { // null is no string
		return s.textValue(m, shown)
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

// textValue shows a string value on one line: a time, the id of a session, a path, or at most 160 units of any other text, which
// leave room for other members.
func (s StateText) textValue(m StateMember, shown string) string {
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

// StateMember is one member of a JSON object. Name is empty for an item of a list.
type StateMember struct {
	Name  string
	Value json.RawMessage

	project string // project of the object, empty for that of the shown session
}

// Words returns the name of the member in plain words.
func (m StateMember) Words() string { return SpelledName(m.Name) }

// SpelledName returns a member's JSON name in plain words.
func SpelledName(name string) string {
	switch name {
	case "seq":
		return "event"
	case "weak": // a decision that was found in an answer of the model
		return "inferred"
	}
	return strings.ReplaceAll(strings.TrimSuffix(name, "_seq"), "_", " ")
}

// ListItems returns the items of a JSON list; ok is false for anything else.
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
