package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/journal"
)

// printEvent prints one event on a line; with details its ids and digests too.
func (a *app) printEvent(e events.Envelope, details bool) error {
	v, err := events.ViewOf(e)
	if err != nil {
		return err
	}
	if a.asJSON {
		return a.jsonLines().Encode(v)
	}
	session := journal.ShortID(e.Session)
	if e.Lane != "" {
		session += "/" + journal.ShortID(e.Lane)
	}
	echo := ""
	if e.EchoOf != 0 {
		echo = fmt.Sprintf(" (echo of #%d)", e.EchoOf)
	}
	line := fmt.Sprintf("#%-5d %s  %-8s  %-18s %s%s",
		e.Seq, e.Time().Local().Format("01-02 15:04:05"), session, e.Type, gist(v.Data, details), echo)
	return a.paint(colourOf(v), text.CutColumns(flat(line), a.width()))
}

// colourOf shows what of a log a person looks for: what failed, what the person said,
// what was decided, and where the context ended.
func colourOf(v events.View) colour {
	noun, _, _ := strings.Cut(string(v.Type), ".")
	switch noun {
	case "command", "tool", "turn":
		if bytes.Contains(v.Data, []byte(`"failed":true`)) || v.Type == events.TypeOf[events.TurnFailed]() {
			return red
		}
	case "prompt":
		return cyan
	case "decision", "question", "plan":
		return green
	case "compaction", "context", "recovery", "session":
		return yellow
	}
	return plain
}

// details are the fields that say nothing to a person who reads along.
var details = []string{"use", "digest", "ms", "transcript", "turn", "row", "process", "pid", "offset"}

// rank orders the fields of a line: how it ended, what it was, the rest.
func rank(field string) int {
	if i := slices.Index([]string{"failed", "command", "path", "text"}, field); i >= 0 {
		return i
	}
	return 4
}

// gist puts the fields of an event on one line.
func gist(data json.RawMessage, all bool) string {
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
			parts = append(parts, name+"="+quoteIfNeeded(text.CutUnits(oneLine(v), 100)))
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
