package cli

import (
	"fmt"
	"slices"

	"journal/events/text"
	"journal/projections"
)

// EntriesNamed finds entries by their ids, newest first, and gives the ids that
// are of no entry.
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

// EntryLine shows an entry to a person.
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
