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

// Skill holds the running skill for templates. It is empty if none is running. Each field is on one line: it may come from
// a file, and must not look like a part of the text.
type Skill struct {
	Name, Phase, PhaseName, Output, Input, Next string

	Seq uint64 // of the state's last change
}

// Bounds of fields in a text, in UTF-16 units. Those of the running skill leave more than half of a text to everything else;
// the log and the skill's own file have the whole fields.
const (
	maxNext  = 600
	maxField = 200 // any other field on one line, also the names of tasks and runs
)

var _ = declare(Def{
	Kind: Phase, CountedAs: DonePhase, ID: string(DonePhase), Needs: []projections.Projection{projections.Phase}, Items: running,
	Text:  Text{Frame: true},
	Audit: Audit{Match: ByWords, Worth: worthKeeping(40, "the running skill's phase and next action"), Title: "Phase"},
})

// running returns the item of the running skill, or none.
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
	it.Fields = Skill{
		Name: it.line(p.Skill, maxField), Phase: it.line(p.Phase, maxField), PhaseName: it.line(p.Name, maxField),
		Output: it.line(p.Output, maxField), Input: it.line(p.Input, maxField), Next: it.line(p.Next, maxNext), Seq: p.Seq,
	}
	it.Shows = []string{p.Skill, p.Phase, p.Name, p.Next}
	return []Item{it}
}

// DonePhase is a finished phase of the running skill.
const DonePhase Kind = "phase"

const (
	maxDone   = 12  // bounds the finished phases in a text to the newest
	doneUnits = 200 // bounds the summary of one, in UTF-16 units
)

var _ = declare(Def{
	Kind: DonePhase, Needs: []projections.Projection{projections.Phase}, Items: donePhases,
	Text: Text{Form: Title, Units: doneUnits, Tiers: Tiers{Best: Likely, First: 4, Second: 8}},
})

// donePhases lists the finished phases, newest first. One event of a skill's file can report several.
func donePhases(f *projections.Fold) []Item {
	p := projections.Phase.In(f)
	if !p.Active() {
		return nil
	}
	var items []Item
	for i, d := range slices.Backward(p.Completed) {
		if len(items) == maxDone {
			break
		}
		firstOfEvent := slices.IndexFunc(p.Completed, func(other projections.CompletedPhase) bool { return other.Seq == d.Seq })
		it := Item{
			Kind: DonePhase, Seq: d.Seq, Part: 1 + i - firstOfEvent, Text: text.Line(d.Summary),
			Detail: strings.TrimSpace(text.CutLine(d.Phase, maxField) + " " + text.CutLine(d.Name, maxField)),
		}
		if p.Contains(d) {
			it.Tier = Unlisted // a SkillFile holds it
		}
		items = append(items, it)
	}
	return items
}

// SkillFile is the running skill's own file as last seen, which a text restores as it was written (S3.2). Audits look for
// the finished phases in it, which Holds lists.
const SkillFile Kind = "skill-file"

// skillUnits bounds the file of a skill in a text, in UTF-16 units. Real files take 400 to 2,800.
const skillUnits = 6000

// worthCutting is the least length of a phase's summary to cut, in UTF-16 units: cutting a shorter one frees little, and
// its words may occur elsewhere.
const worthCutting = 40

var _ = declare(Def{
	Kind: SkillFile, Needs: []projections.Projection{projections.Phase}, Items: skillFile,
	Text: Text{
		Form: Whole, Units: skillUnits, Tiers: Tiers{Best: Likely, First: 1}, Unasked: true,
	},
})

// skillFile returns the item of the running skill's file, or none.
func skillFile(f *projections.Fold) []Item {
	p := projections.Phase.In(f)
	if !p.Active() || p.Text == "" {
		return nil
	}
	it := Item{Kind: SkillFile, Seq: p.TextSeq, Text: shortened(p), Detail: p.File}
	it.whole, it.shown = text.Units(text.Trimmed(p.Text)), text.Units(it.Text)
	for _, d := range donePhases(f) {
		if d.Tier == Unlisted && strings.Contains(text.Line(it.Text), d.Text) {
			it.Holds = append(it.Holds, d.ID())
		}
	}
	return []Item{it}
}

// SkillText returns a skill's file within skillUnits, and whether that is all of it.
func SkillText(p projections.PhaseState) (s string, whole bool) {
	s = shortened(p)
	return s, s == text.Trimmed(p.Text)
}

// shortened bounds a skill's file to skillUnits. It first cuts the summaries of finished phases, oldest first, then leaves
// out the first sections, line by line. It keeps what stands before them, and the end, which has the next steps.
func shortened(p projections.PhaseState) string {
	s := text.Trimmed(p.Text)
	for _, d := range p.Completed {
		over := text.Units(s) - skillUnits
		if over <= 0 {
			break
		}
		summary := text.Trimmed(d.Summary)
		if text.Units(summary) < worthCutting {
			continue
		}
		head := max(0, strings.Index(s, "### "+d.Phase)) // the same words can occur elsewhere
		s = s[:head] + strings.Replace(s[head:], summary, text.CutUnits(summary, max(1, text.Units(summary)-over)), 1)
	}
	if text.Units(s) <= skillUnits {
		return s
	}
	front, body, found := strings.Cut(s, "\n## ")
	if !found {
		return text.CutUnits(s, skillUnits)
	}
	front += "\n…\n"
	for over := max(1, text.Units(front+body)-skillUnits); over > 0; { // the heading at least is left out
		line, rest, more := strings.Cut(body, "\n")
		if !more {
			return text.CutUnits(s, skillUnits)
		}
		over -= text.Units(line) + 1
		s, body = front+rest, rest
	}
	return s
}
