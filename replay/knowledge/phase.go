package knowledge

import (
	"journal/events/text"
	"journal/projections"
)

// Phase is the running skill's phase and its next action (S3.2). They are one
// item, because one without the other does not say where to go on. Its id begins
// like those of the phases that are done, and has no part.
const Phase Kind = "running-phase"

// Skill is the running skill as templates see it, empty when none runs. Each part
// is on one line: it may come from a file, and must not look like a part of the
// text.
type Skill struct {
	Name, Phase, PhaseName, Output, Input, Next string
	Done                                        []projections.CompletedPhase // the newest, oldest first
	Seq                                         uint64
}

// Bounds of the running skill in a text, in UTF-16 units: with the phases that are
// done they leave more than half of a text to everything else. The whole stands in
// the log and in the skill's own file.
const (
	maxNext     = 600
	maxSkillRef = 200 // name, phase, output, input
)

var _ = declare(Def{
	Kind: Phase, As: DonePhase, ID: string(DonePhase), Needs: []projections.Projection{projections.Phase}, Items: running,
	Text:  Text{Turn: 1, Frame: true},
	Audit: Audit{Match: ByWords, Place: 80, Worth: keep(40, "the running skill's phase and next action"), Title: "Phase"},
})

func running(f *projections.Fold) []Item {
	p := projections.Phase.In(f)
	if !p.Active() {
		return nil
	}
	it := Item{Kind: Phase, Seq: p.Seq, Text: p.Skill + " " + p.Phase}
	if p.Name != "" {
		it.Text += " " + p.Name
	}
	if p.Next != "" {
		it.Text += ": " + p.Next
	}
	s := Skill{
		Name: it.line(p.Skill, maxSkillRef), Phase: it.line(p.Phase, maxSkillRef), PhaseName: it.line(p.Name, maxSkillRef),
		Output: it.line(p.Output, maxSkillRef), Input: it.line(p.Input, maxSkillRef), Next: it.line(p.Next, maxNext), Seq: p.Seq,
	}
	for _, d := range newestDone(p) {
		s.Done = append(s.Done, projections.CompletedPhase{
			Phase: short(d.Phase, maxSkillRef), Name: short(d.Name, maxSkillRef), Summary: short(d.Summary, doneUnits), Seq: d.Seq,
		})
	}
	it.Fields, it.Shows = s, []string{p.Skill, p.Phase, p.Name, p.Next}
	return []Item{it}
}

// short puts a text on one line and bounds its units.
func short(s string, units int) string { return text.CutUnits(text.Line(s), units) }
