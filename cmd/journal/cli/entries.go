package cli

import (
	"fmt"
	"slices"

	"journal/events/text"
	"journal/projections"
)

// EntriesNamed returns the entries with these ids, newest first, and the ids
// without an entry.
func EntriesNamed(flow projections.FlowState, items []string) (chosen []projections.FlowEntry, others []string) {
	others = slices.Clone(items)
	for _, e := range flow.Entries {
		if slices.Contains(others, e.ID) {
			chosen = append(chosen, e)
			others = slices.DeleteFunc(others, func(id string) bool { return id == e.ID })
		}
	}
	return chosen, others
}

// EntryLine shows an entry on a line.
func EntryLine(e projections.FlowEntry) string {
	title := e.Heading
	if title == "" {
		title = e.Text
	}
	where := e.File
	if where == "" {
		where = "a note"
	}
	if e.DroppedSeq != 0 {
		where = fmt.Sprintf("no more in %s since #%d", where, e.DroppedSeq)
	}
	return fmt.Sprintf("%-12s %s (%s)", e.ID, text.CutUnits(OneLine(title), 100), where)
}
