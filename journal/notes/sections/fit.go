package sections

import (
	"fmt"

	"journal/events"
	"journal/events/text"
)

// Bounds of one observation (ADR-0014). An envelope may have 512 KiB; what
// else is in it takes less than the rest.
const (
	maxText  = 256 << 10 // of one entry, kept whole up to here
	maxEvent = 480 << 10
)

// fit makes an observation fit into an event: texts that are longer than any
// entry of a person are cut, and the oldest entries are left out, with a gap that
// says so.
func fit(f *events.FileObserved) {
	if weight(*f) <= maxEvent {
		return
	}
	for i := range f.Entries {
		e := &f.Entries[i]
		e.Text = text.Cut(e.Text, maxText/2, maxText/2)
	}
	if w := weight(*f); w > maxEvent {
		f.Gap = fmt.Sprintf("over 480 KiB: %d labels left out", len(f.Labels))
		f.Labels = nil
	}
	all, left := f.Entries, maxEvent-weight(events.FileObserved{Path: f.Path, Labels: f.Labels, Text: f.Text})
	newestLast := events.DirectionOf(all) == events.NewestLast
	kept := 0
	for kept < len(all) {
		i := kept
		if newestLast {
			i = len(all) - 1 - kept
		}
		if left -= entryWeight(all[i]); left < 0 {
			break
		}
		kept++
	}
	if kept == len(all) {
		return
	}
	f.Gap = fmt.Sprintf("over 480 KiB: %d entries left out", len(all)-kept)
	if newestLast {
		f.Entries = all[len(all)-kept:]
	} else {
		f.Entries = all[:kept]
	}
}

// The weights are at least the bytes that values take when they are encoded: 64
// are more than the names of any value's fields and its lengths.
const frame = 64

func weight(f events.FileObserved) int {
	n := 4*frame + len(f.Path) + len(f.Text) + labelsWeight(f.Labels)
	for _, e := range f.Entries {
		n += entryWeight(e)
	}
	return n
}

func entryWeight(e events.Entry) int {
	n := frame + len(e.Heading) + len(e.Text) + labelsWeight(e.Labels)
	for _, h := range e.Heads {
		n += frame + len(h.Heading) + len(h.Text) + labelsWeight(h.Labels)
	}
	return n
}

func labelsWeight(labels []events.Label) int {
	n := 0
	for _, l := range labels {
		n += frame + len(l.Name) + len(l.Value)
	}
	return n
}
