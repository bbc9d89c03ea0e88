package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"journal/events/text"
)

// details are the fields that say nothing to a person who reads along.
var details = []string{"use", "digest", "ms", "transcript", "turn", "row", "process", "pid", "offset"}

// rank orders the fields of a line: how it ended, what it was, the rest.
func rank(field string) int {
	if i := slices.Index([]string{"failed", "command", "path", "text"}, field); i >= 0 {
		return i
	}
	return 4
}

// Gist puts the fields of an event on one line.
func Gist(data json.RawMessage, all bool) string {
	var fields map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&fields); err != nil {
		return ""
	}
	var parts []string
	// What a person looks for stands where a narrow terminal does not cut it off.
	for _, name := range slices.SortedFunc(maps.Keys(fields), func(x, y string) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), strings.Compare(x, y))
	}) {
		if !all && slices.Contains(details, name) {
			continue
		}
		switch v := fields[name].(type) {
		case string:
			parts = append(parts, name+"="+quoteIfNeeded(text.CutUnits(OneLine(v), 100)))
		case []any:
			parts = append(parts, fmt.Sprintf("%d %s", len(v), name))
		case map[string]any:
			parts = append(parts, name+"={…}")
		default:
			parts = append(parts, fmt.Sprintf("%s=%v", name, v))
		}
	}
	return text.CutUnits(strings.Join(parts, " "), 200)
}

func quoteIfNeeded(s string) string {
	if s == "" || strings.Contains(s, " ") {
		return `"` + s + `"`
	}
	return s
}
