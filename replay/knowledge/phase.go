package knowledge

import (
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
)

// Phase is the running skill's phase and its next action (S3.2): one item, because neither alone suffices to continue.
// Its id has the prefix of finished phases, and no part.
const Phase Kind = "running-phase"

// Skill is the running skill as templates see it, empty when none runs. Each field is on one line: it may come from a
// file, and must not look like a part of the text.
type Skill struct {
	Name, Phase, PhaseName, Output, Input, Next string
	Done                                        []projections.CompletedPhase // the newest, oldest first
	Seq                                         uint64
}

// Bounds of the running skill in a text, in UTF-16 units: with the finished phases they leave more than half of a text
// to everything else. The log and the skill's own file have the whole.
const (
	maxNext     = 600
	maxSkillRef = 200 // name, phase, output, input
)

var _ = declare(Def{
	Kind: Phase, CountedAs: DonePhase, ID: string(DonePhase), Needs: []projections.Projection{projections.Phase}, Items: running,
	Text:  Text{Frame: true},
	Audit: Audit{Match: ByWords, Worth: worthKeeping(40, "the running skill's phase and next action"), Title: "Phase"},
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
			Phase: text.CutLine(d.Phase, maxSkillRef), Name: text.CutLine(d.Name, maxSkillRef), Summary: text.CutLine(d.Summary, doneUnits), Seq: d.Seq,
		})
	}
	it.Fields, it.Shows = s, []string{p.Skill, p.Phase, p.Name, p.Next}
	return []Item{it}
}

// DonePhase is a finished phase of the running skill.
const DonePhase Kind = "phase"

const (
	maxDone   = 12  // phases, the newest
	doneUnits = 200 // of a summary
)

var _ = declare(Def{
	Kind: DonePhase, Needs: []projections.Projection{projections.Phase}, Items: donePhases,
	Text: Text{Form: Title, Units: doneUnits, Tiers: Tiers{Best: Likely, First: 4, Second: 8}},
})

// donePhases lists the newest first. One event of a skill's file can report several.
func donePhases(f *projections.Fold) []Item {
	p := projections.Phase.In(f)
	if !p.Active() {
		return nil
	}
	var items []Item
	done := newestDone(p)
	for i, d := range slices.Backward(done) {
		first := slices.IndexFunc(done, func(o projections.CompletedPhase) bool { return o.Seq == d.Seq })
		it := Item{
			Kind: DonePhase, Seq: d.Seq, Part: 1 + i - first, Text: text.Line(d.Summary),
			Detail: strings.TrimSpace(text.CutLine(d.Phase, maxSkillRef) + " " + text.CutLine(d.Name, maxSkillRef)),
		}
		if p.Contains(d) {
			it.Tier = Unlisted // a SkillFile holds it
		}
		items = append(items, it)
	}
	return items
}

func newestDone(p projections.PhaseState) []projections.CompletedPhase {
	return p.Completed[max(0, len(p.Completed)-maxDone):]
}

// SkillFile is the running skill's own file as last seen: sections of any name, decisions and discussion are restored
// as written (S3.2). Audits look for the phases in it, which Holds lists.
const SkillFile Kind = "skill-file"

// skillUnits bounds the file in a text, in UTF-16 units. Real files take 400 to 2,800.
const skillUnits = 6000

// worthCutting is the least length of a phase's summary to cut: cutting a shorter one frees nothing, and its words may
// occur elsewhere.
const worthCutting = 40

var _ = declare(Def{
	Kind: SkillFile, Needs: []projections.Projection{projections.Phase}, Items: skillFile,
	Text: Text{
		Form: Whole, Units: skillUnits, Tiers: Tiers{Best: Likely, First: 1}, Summary: true,
	},
})

func skillFile(f *projections.Fold) []Item {
	p := projections.Phase.In(f)
	if !p.Active() || p.Text == "" {
		return nil
	}
	it := Item{Kind: SkillFile, Seq: p.TextSeq, Text: shortened(p, skillUnits), Detail: p.File}
	it.whole, it.shown = text.Units(text.Trimmed(p.Text)), text.Units(it.Text)
	for _, d := range donePhases(f) {
		if d.Tier == Unlisted && strings.Contains(text.Line(it.Text), d.Text) {
			it.Holds = append(it.Holds, d.ID())
		}
	}
	return []Item{it}
}

// SkillText returns a skill's file within a number of UTF-16 units, and whether that is all of it.
func SkillText(p projections.PhaseState, units int) (s string, whole bool) {
	s = shortened(p, units)
	return s, s == text.Trimmed(p.Text)
}

// shortened bounds a skill's file: it first cuts the finished phases, oldest first, then the sections after the front.
// It keeps the end, which has the next steps.
func shortened(p projections.PhaseState, limit int) string {
	s := text.Trimmed(p.Text)
	for _, d := range p.Completed {
		over := text.Units(s) - limit
		if over <= 0 {
			return s
		}
		summary := text.Trimmed(d.Summary)
		if text.Units(summary) < worthCutting {
			continue
		}
		head := max(0, strings.Index(s, "### "+d.Phase)) // the same words can occur elsewhere
		s = s[:head] + strings.Replace(s[head:], summary, text.CutUnits(summary, max(1, text.Units(summary)-over)), 1)
	}
	front, body, found := strings.Cut(s, "\n## ")
	if !found {
		return text.CutUnits(s, limit)
	}
	front += "\n…\n"
	for over := text.Units(s) + len("\n…\n") - limit; over > 0; {
		line, rest, more := strings.Cut(body, "\n")
		if !more {
			return text.CutUnits(s, limit)
		}
		over -= text.Units(line) + 1
		s, body = front+rest, rest
	}
	return s
}
