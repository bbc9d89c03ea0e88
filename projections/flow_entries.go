package projections

import (
	"fmt"
	"slices"
	"strings"

	"journal/events"
)

// sameEntries maps each entry of an observation to the entry of old that it is, -1 for a new one. Of several
// candidates, those still in the file are preferred to dropped ones, and among them one with the same text.
func sameEntries(old []FlowEntry, e events.FileObserved) []int {
	byKey := map[string][]int{}
	for i, o := range old {
		if o.File == e.Path {
			key := entryKey(o.Heading, o.Text)
			byKey[key] = append(byKey[key], i)
		}
	}
	same := make([]int, len(e.Entries))
	for i := range same {
		same[i] = -1
	}
	take := func(may func(o FlowEntry, now events.Entry) bool) {
		for i, now := range e.Entries {
			key := entryKey(now.Heading, now.Text)
			for n, j := range byKey[key] {
				if same[i] < 0 && may(old[j], now) {
					same[i] = j
					byKey[key] = slices.Delete(byKey[key], n, n+1)
					break
				}
			}
		}
	}
	stands := func(o FlowEntry) bool { return o.DroppedSeq == 0 }
	take(func(o FlowEntry, now events.Entry) bool { return stands(o) && o.Text == now.Text })
	take(func(o FlowEntry, _ events.Entry) bool { return stands(o) })
	take(func(o FlowEntry, now events.Entry) bool { return o.Text == now.Text })
	take(func(FlowEntry, events.Entry) bool { return true })
	return same
}

// entryKey is what an entry keeps when somebody edits it.
func entryKey(heading, text string) string { return heading + "\x00" + firstLine(text) }

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// newEntries gives the entries of an observation that match no old one, newest first.
func newEntries(e events.FileObserved, same []int, seq uint64) []FlowEntry {
	var added []FlowEntry
	for i, now := range e.Entries {
		if same[i] < 0 {
			added = append(added, FlowEntry{
				File: e.Path, Heading: now.Heading, Text: now.Text, Seq: seq, Plan: e.Kind == events.PlanFile,
			})
		}
	}
	for i := range added {
		added[i].ID = fmt.Sprintf("flow-%d", seq)
		if len(added) > 1 {
			added[i].Part = i + 1
			added[i].ID += fmt.Sprintf(".%d", i+1)
		}
	}
	if newestLast(e, same) {
		slices.Reverse(added)
	}
	return added
}

// newestLast says at which end of an observed file its newest entries stand:
// where the dates of the headings say so, else where the new ones were put beside
// the old, else at the beginning, as they are meant to (docs/FILES.md §S1).
func newestLast(e events.FileObserved, same []int) bool {
	switch events.DirectionOf(e.Entries) {
	case events.NewestFirst:
		return false
	case events.NewestLast:
		return true
	}
	firstNew := slices.Index(same, -1)
	firstOld := slices.IndexFunc(same, func(j int) bool { return j >= 0 })
	return firstOld >= 0 && firstOld < firstNew
}
