package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/events/text"
)

// A topic of the help: it runs nothing.
var _ = Verb("", func(*App) *cobra.Command {
	return &cobra.Command{
		Use:   "words",
		Short: "what compound, port, lane, flow, stock and such mean",
		Long: `The words that the commands, the texts and the projections use:

  agent       a program that works with a model and calls the journal's hooks
  session     one conversation with an agent, by the id that the agent gave it
  compaction  the agent replaces a context that is full by a summary
  lane        a line of work within a session: the main thread, or a subagent
  project     the directory that a session works in, as a key: name-1afbf223
  event       what happened, typed and numbered (#42); the log is all of them
  projection  a state that is folded from events: todos, files, decisions …
  owner       the process that owns the log in the background, one at a time
  spool       events that wait in files until an owner takes them into the log
  echo        a second report of one fact, by a hook that is wired twice
  port        a unit of work with a checklist, which may wait for other ports
  phase       where a skill's workflow stands: step, output, what is next
  flow        working notes of a session: progress, plans, learnings
  stock       lasting knowledge that was promoted out of the flow
  compound    the promotion of working notes (flow) to knowledge (stock)
  promoted    what a compound took over; only evidence makes it so
  recovery    the text that gives an agent back what a compaction may have lost`,
	}
})

// A topic of the help: it runs nothing.
var _ = Verb("", func(*App) *cobra.Command {
	return &cobra.Command{
		Use:   "times",
		Short: "how flags take a time, a day or a point in a session",
		Long: `Every flag for a time takes the same forms:

  2h, 90m, 3d, 1w        that long ago
  today, yesterday       the whole day
  monday, mon            the newest day of that name, today included
  14:00                  the newest moment of that time, today or yesterday
  2026-11-20             the whole day
  "2026-11-20 14:00"     a time of this machine
  2026-11-20T14:00:00Z   a time of any zone (RFC 3339)

--since begins with the beginning of a day, --until and --at end with its end.

--at of replay and recover, and each end of replay --diff, take a point in a session too:

  #120                   up to and with the event of that number
  before-compaction      before the newest compaction
  before-compaction:2    before the second one of the session

Times are shown as this machine has them; --json has UTC.`,
	}
})

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
