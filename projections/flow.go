package projections

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"journal/events"
)

// maxEntries bounds the entries of a state. Entries that are no longer in their file are dropped before the others, and of both
// the oldest first.
const maxEntries = 2000

// FlowState holds the project's working notes.
type FlowState struct {
	Entries  []FlowEntry   // newest first, also entries that are no longer in their file, at most maxEntries
	Compound CompoundState // the newest promotion
}

// FlowEntry is one entry of the working notes. Two observations show the same entry if file, heading and first line are
// equal (ADR-0007 rule 5).
type FlowEntry struct {
	ID         string `json:"id"`             // "flow-" and Seq, and "." and Part if one observation had several new entries
	File       string `json:"file,omitempty"` // empty for an entry that `journal note` recorded
	Heading    string `json:"heading"`
	Text       string `json:"text"`
	Seq        uint64 `json:"seq"`                   // first observation
	Part       int    `json:"-"`                     // number among the new entries of the observation, in the file's order, from 1; 0 for the only one
	ChangedSeq uint64 `json:"changed_seq,omitempty"` // newest observation in which its text had changed, or it was in the file again
	DroppedSeq uint64 `json:"dropped_seq,omitempty"` // first observation of the file without it, 0 for none; it stays listed (S1.13)
	// Promoted is set if the entry was first observed before the newest compound. Dropping an entry does not promote it.
	Promoted bool `json:"promoted"`
	// Plan is set for a section of a task plan. Such an entry never waits for a compound.
	Plan bool `json:"plan,omitempty"`
}

// Flow records the project's working notes. Entries of a later observation are newer than those of an earlier one. Within one
// observation the file's order decides (S1.5).
var Flow = Declare("flow", 1, Project, "working notes, and what became of them",
	On(FlowState.observed),
	On(FlowState.noted),
	On(FlowState.requested),
	On(FlowState.finished),
)

// Waiting lists the entries that no compound has reviewed, without those of plans, newest first. It includes those that were dropped from their
// file: a tool that trims the file must not change the report about a compaction (S1.5).
func (s FlowState) Waiting() []FlowEntry {
	return slices.DeleteFunc(slices.Clone(s.Entries), func(e FlowEntry) bool { return e.Promoted || e.Plan })
}

// ForCompound lists the entries that a compound can promote, newest first: those of Waiting that are from files.
func (s FlowState) ForCompound() []FlowEntry {
	return slices.DeleteFunc(s.Waiting(), func(e FlowEntry) bool { return e.File == "" })
}

// Dropped lists the entries that are no longer in their file, newest first.
func (s FlowState) Dropped() []FlowEntry {
	return slices.DeleteFunc(slices.Clone(s.Entries), func(e FlowEntry) bool { return e.DroppedSeq == 0 })
}

// maxHeadings bounds the headings that describe the notes at a compaction (S1.5).
const maxHeadings = 3

// Headings returns the headings of the first three entries; for an entry without one, its first line.
func Headings(entries []FlowEntry) []string {
	headings := []string{}
	for _, e := range entries[:min(maxHeadings, len(entries))] {
		headings = append(headings, cmp.Or(e.Heading, firstLine(e.Text)))
	}
	return headings
}

// Markdown returns the entry as it was in its file. A recorded note gets a blank line after its heading.
func (e FlowEntry) Markdown() string {
	gap := "\n"
	if e.File == "" {
		gap = "\n\n"
	}
	return strings.TrimRight("## "+e.Heading, " ") + gap + e.Text + "\n"
}

// SameAs reports whether an observed entry is this entry, edited or not.
func (e FlowEntry) SameAs(now events.Entry) bool {
	return entryKey(e.Heading, e.Text) == entryKey(now.Heading, now.Text)
}

func (s FlowState) finished(e events.CompoundFinished, at At) FlowState {
	return s.compounded(s.Compound.finished(e, at))
}

func (s FlowState) requested(e events.CompoundRequested, at At) FlowState {
	return s.compounded(s.Compound.requested(e, at))
}

// compounded sets the state of the compounds. After a new compound every entry counts as promoted.
func (s FlowState) compounded(c CompoundState) FlowState {
	if c.Seq != s.Compound.Seq {
		s.Entries = slices.Clone(s.Entries)
		for i := range s.Entries {
			s.Entries[i].Promoted = true
		}
	}
	s.Compound = c
	return s
}

func (s FlowState) noted(e events.NoteRecorded, at At) FlowState {
	return s.with([]FlowEntry{{ID: fmt.Sprintf("flow-%d", at.Seq), Heading: e.Heading, Text: e.Text, Seq: at.Seq}})
}

// observed applies the content of a file of notes or a plan: its changed, dropped and new entries.
func (s FlowState) observed(e events.FileObserved, at At) FlowState {
	s = s.compounded(s.Compound.observed(e, at))
	if e.Kind != events.FlowFile && e.Kind != events.PlanFile || e.Gap != "" && len(e.Entries) == 0 {
		return s
	}
	entries := slices.Clone(s.Entries)
	same := sameEntries(entries, e)
	present := make([]bool, len(entries))
	for i, now := range e.Entries {
		if j := same[i]; j >= 0 {
			present[j] = true
			if old := &entries[j]; old.Text != now.Text || old.DroppedSeq != 0 {
				old.Text, old.DroppedSeq, old.ChangedSeq = now.Text, 0, at.Seq
			}
		}
	}
	if e.Gap == "" { // otherwise the observation may lack entries of the file
		for j := range entries {
			if old := &entries[j]; old.File == e.Path && old.DroppedSeq == 0 && !present[j] {
				old.DroppedSeq = at.Seq
			}
		}
	}
	s.Entries = entries
	return s.with(newEntries(e, same, at.Seq))
}

// with adds new entries, sorted from the newest, in front of the others.
func (s FlowState) with(added []FlowEntry) FlowState {
	if len(added) == 0 {
		return s
	}
	s.Entries = slices.Concat(added, s.Entries)
	for i := len(s.Entries) - 1; i >= 0 && len(s.Entries) > maxEntries; i-- {
		if s.Entries[i].DroppedSeq != 0 {
			s.Entries = slices.Delete(s.Entries, i, i+1)
		}
	}
	s.Entries = s.Entries[:min(len(s.Entries), maxEntries)]
	return s
}

// MarshalJSON encodes the number of waiting entries, and every entry.
func (s FlowState) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Unpromoted int         `json:"unpromoted"`
		Entries    []FlowEntry `json:"entries"`
	}{len(s.Waiting()), append([]FlowEntry{}, s.Entries...)})
}

// sameEntries returns the index in old of each entry of an observation, -1 for a new entry. Of several candidates it prefers those
// that were not dropped, and of these those with the same text.
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
	// pair pairs new entries with old ones that are not paired yet. sameText requires equal texts; dropped also allows old entries
	// that were dropped.
	pair := func(sameText, dropped bool) {
		for i, now := range e.Entries {
			key := entryKey(now.Heading, now.Text)
			for n, j := range byKey[key] {
				if same[i] < 0 && (!sameText || old[j].Text == now.Text) && (dropped || old[j].DroppedSeq == 0) {
					same[i] = j
					byKey[key] = slices.Delete(byKey[key], n, n+1)
					break
				}
			}
		}
	}
	pair(true, false)
	pair(false, false)
	pair(true, true)
	pair(false, true)
	return same
}

// entryKey returns the part of an entry by which it is recognised after edits.
func entryKey(heading, text string) string { return heading + "\x00" + firstLine(text) }

// firstLine returns the first line of a text that is not blank.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// newEntries returns the new entries of an observation, newest first. same is the result of sameEntries.
func newEntries(e events.FileObserved, same []int, seq uint64) []FlowEntry {
	var added []FlowEntry
	for i, now := range e.Entries {
		if same[i] < 0 {
			added = append(added, FlowEntry{
				File: e.Path, Heading: now.Heading, Text: now.Text, Seq: seq, Plan: e.Kind == events.PlanFile,
			})
		}
	}
	if len(added) == 1 {
		added[0].ID = fmt.Sprintf("flow-%d", seq)
		return added
	}
	for i := range added {
		added[i].ID, added[i].Part = fmt.Sprintf("flow-%d.%d", seq, i+1), i+1
	}
	if newestLast(e, same) {
		slices.Reverse(added)
	}
	return added
}

// newestLast reports whether the newest entries are at the end of a file: according to the dates of the headings, else if the
// first new entry comes after an old one. If nothing shows the order, they are at the beginning, as specified (docs/FILES.md
// §S1).
func newestLast(e events.FileObserved, same []int) bool {
	if last, known := events.NewestLast(e.Entries); known {
		return last
	}
	firstNew := slices.Index(same, -1)
	firstOld := slices.IndexFunc(same, func(j int) bool { return j >= 0 })
	return firstOld >= 0 && firstOld < firstNew
}
