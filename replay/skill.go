package replay

import (
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
)

// Bounds of the running skill within a recovery, in UTF-16 units: together they
// leave more than half of a text to everything else. The whole stands in the log
// and in the skill's own file.
const (
	maxDone     = 12 // phases, the newest
	maxSummary  = 200
	maxNext     = 600
	maxSkillRef = 200 // name, phase, output, input
)

// skillOf takes what is given back of a running skill (S3.2), each part on one
// line: it may come from a file, and must not look like a part of the text.
func skillOf(p projections.PhaseState) Skill {
	s := Skill{
		Name: bounded(p.Skill, maxSkillRef), Phase: bounded(p.Phase, maxSkillRef),
		PhaseName: bounded(p.Name, maxSkillRef), Output: bounded(p.Output, maxSkillRef),
		Input: bounded(p.Input, maxSkillRef), Next: bounded(p.Next, maxNext), Seq: p.Seq,
	}
	for _, d := range p.Completed[max(0, len(p.Completed)-maxDone):] {
		d.Phase, d.Name = bounded(d.Phase, maxSkillRef), bounded(d.Name, maxSkillRef)
		d.Summary = bounded(d.Summary, maxSummary)
		s.Done = append(s.Done, d)
	}
	return s
}

func bounded(s string, units int) string { return text.CutUnits(oneLine(s), units) }

// phases takes what was done in the running skill, newest first. A skill's file
// tells several at once.
func phases(s Skill) []Item {
	var items []Item
	for i, p := range slices.Backward(s.Done) {
		first := slices.IndexFunc(s.Done, func(o projections.CompletedPhase) bool { return o.Seq == p.Seq })
		items = append(items, Item{
			Kind: Done, Seq: p.Seq, Part: 1 + i - first, Text: p.Summary, Detail: strings.TrimSpace(p.Phase + " " + p.Name),
			tier: tier(len(items), 4, 8, likely),
		})
	}
	return items
}
