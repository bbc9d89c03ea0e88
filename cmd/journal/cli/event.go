package cli

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"journal/events/text"
	"journal/replay/audit"
)

// mainMembers lists the members of an event's data that can be its gist, the best first.
var mainMembers = []string{
	"text", "command", "path", "subject", "summary", "answer", "question", "decision", "title", "skill", "port", "name", "message",
	"description", "error", "tool", "percent", "trigger", "level", "kind", "agent_type", "source", "reason", "root",
}

// technicalMembers are left out of a line for people.
var technicalMembers = []string{
	"use", "digest", "ms", "transcript", "turn", "row", "process", "pid", "offset", "cwd", "root", "output", "lang", "units", "as_of", "more", "passages",
}

// eventNumbers lists the members that hold an event number, unless their value is a string.
var eventNumbers = []string{"about", "recovery", "decision", "replaces", "repeats", "first", "last"}

// emptyValues lists the JSON values that Gist and StateText.Lines leave out.
var emptyValues = []string{`""`, "0", "null", "[]", "{}", "false"}

// gistBytes bounds the part of a text that is read for a gist, which is shown on one line.
const gistBytes = 4 << 10

// Gist describes an event by its data. gist is the main member; details holds at most three other members of at most 60 bytes,
// each but the status with its name. Neither shows whether the event failed.
func Gist(data json.RawMessage) (gist string, details []string) {
	members := StateMembers(data)
	chosen := firstOf(members, mainMembers, func(m StateMember) bool { return !slices.Contains(emptyValues, string(m.Value)) })
	for i, m := range members {
		if i == chosen {
			gist = valueText(m.Value)
			if m.Name == "summary" {
				gist = seenByModel(m.Value)
			}
			if m.Value[0] != '"' { // a number or a list needs its name
				gist = named(m, gist)
			}
			continue
		}
		if slices.Contains(technicalMembers, m.Name) || slices.Contains(emptyValues, string(m.Value)) || m.Name == failed {
			continue
		}
		if m.Name == "first" && m.Value[0] == '"' { // a digest, or the first lines that a search found
			continue
		}
		switch v := valueText(m.Value); {
		case v == "" || len(v) > 60:
		case m.Name == "status": // first, because the end of a line may be cut
			details = slices.Insert(details, 0, v)
		default:
			details = append(details, named(m, v))
		}
	}
	return gist, details[:min(len(details), 3)]
}

// firstOf goes through names, and returns the index of the first member with such a name for which usable is true; -1 if there
// is none.
func firstOf(members []StateMember, names []string, usable func(StateMember) bool) int {
	for _, name := range names {
		if i := slices.IndexFunc(members, func(m StateMember) bool { return m.Name == name && usable(m) }); i >= 0 {
			return i
		}
	}
	return -1
}

// seenByModel returns the part of a summary that the model sees, at most its first gistBytes.
func seenByModel(v json.RawMessage) (summary string) {
	if json.Unmarshal(v, &summary) != nil {
		return valueText(v)
	}
	from, to := audit.SeenRange(summary)
	summary = strings.TrimSpace(summary[from:to])
	return summary[:text.Before(summary, min(len(summary), gistBytes))]
}

// named returns a member's name and value. For the value true it returns only the name; before an event number it puts #.
func named(m StateMember, value string) string {
	switch {
	case string(m.Value) == "true":
		return m.Words()
	case slices.Contains(eventNumbers, m.Name) && m.Value[0] != '"':
		value = "#" + value
	}
	return m.Words() + " " + value
}

// valueText returns a JSON value as text, at most gistBytes of a string. For a list it returns the length, for an object "".
func valueText(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s[:text.Before(s, min(len(s), gistBytes))]
	}
	if list, ok := ListItems(v); ok {
		return strconv.Itoa(len(list))
	}
	if len(v) > 0 && v[0] == '{' {
		return ""
	}
	return string(v)
}
