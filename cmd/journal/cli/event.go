package cli

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"journal/events/text"
	"journal/replay/audit"
)

// mainMembers lists the members that describe an event, the best first.
var mainMembers = []string{
	"text", "command", "path", "subject", "summary", "answer", "question", "decision", "title", "skill", "port", "name", "message",
	"description", "error", "tool", "percent", "trigger", "level", "kind", "agent_type", "source", "reason", "root",
}

// technicalMembers are members that are of no use to people.
var technicalMembers = []string{
	"use", "digest", "ms", "transcript", "turn", "row", "process", "pid", "offset", "cwd", "root", "output", "lang", "units", "as_of", "more", "passages",
}

// numbers lists members that hold the number of an event where they are no text.
var numbers = []string{"about", "recovery", "decision", "replaces", "repeats", "first", "last"}

// emptyValues lists values without information.
var emptyValues = []string{`""`, "0", "null", "[]", "{}", "false"}

// gistBytes is more of a text than a line of a list can show.
const gistBytes = 4 << 10

// Gist describes an event in a line by its data: the member that says most, and at most three short others. Whether it
// failed is left to the caller.
func Gist(data json.RawMessage) (gist string, rest []string) {
	members := StateMembers(data)
	rank := func(m StateMember) int {
		if i := slices.Index(mainMembers, m.Name); i >= 0 && !slices.Contains(emptyValues, string(m.Value)) {
			return i
		}
		return len(mainMembers)
	}
	chosen, best := -1, len(mainMembers)
	for i, m := range members {
		if r := rank(m); r < best {
			chosen, best = i, r
		}
	}
	for i, m := range members {
		if i == chosen {
			gist = valueText(m.Value)
			if m.Name == "summary" {
				gist = seenByModel(m.Value)
			}
			if m.Value[0] != '"' { // a number alone needs its name
				gist = named(m, gist)
			}
			continue
		}
		if slices.Contains(technicalMembers, m.Name) || m.Name == "first" && m.Value[0] == '"' || slices.Contains(emptyValues, string(m.Value)) || m.Name == failed {
			continue
		}
		switch v := valueText(m.Value); {
		case v == "" || len(v) > 60:
		case m.Name == "status": // the end of a line may be cut
			rest = slices.Insert(rest, 0, v)
		default:
			rest = append(rest, named(m, v))
		}
	}
	return gist, rest[:min(len(rest), 3)]
}

// seenByModel returns the part of a summary that the model sees, as far as a line of a list can show it.
func seenByModel(v json.RawMessage) (summary string) {
	if json.Unmarshal(v, &summary) != nil {
		return valueText(v)
	}
	from, to := audit.Seen(summary)
	summary = strings.TrimSpace(summary[from:to])
	return summary[:text.Before(summary, min(len(summary), gistBytes))]
}

// named returns a value after its name, an event as its number.
func named(m StateMember, value string) string {
	switch {
	case value == "true":
		return m.Words()
	case slices.Contains(numbers, m.Name) && m.Value[0] != '"':
		value = "#" + value
	}
	return m.Words() + " " + value
}

// valueText returns a JSON value as text; of a list how long it is, of an object nothing.
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
