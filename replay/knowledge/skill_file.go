package knowledge

import (
	"strings"

	"journal/events/text"
	"journal/projections"
)

// SkillFile is the running skill's own file, as it was last seen: sections of any name,
// decisions and discussion come back as they were written (S3.2). Audits look for the
// phases it tells of, which it holds.
const SkillFile Kind = "skill-file"

// skillUnits is what of such a file a text has room for, in UTF-16 units. Real ones
// take 400 to 2,800.
const skillUnits = 6000

// worthCutting is from how many units on the summary of a phase is cut: what is shorter
// frees nothing, and its words may be anybody's.
const worthCutting = 40

var _ = declare(Def{
	Kind: SkillFile, Needs: []projections.Projection{projections.Phase}, Items: skillFile,
	Text: Text{
		Place: 45, Turn: 5, Form: Whole, Units: skillUnits, Tiers: Tiers{Best: Likely, First: 1}, Summary: true,
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

// SkillText gives the file of a skill within some UTF-16 units, and whether that is all of it.
func SkillText(p projections.PhaseState, units int) (s string, whole bool) {
	s = shortened(p, units)
	return s, s == text.Trimmed(p.Text)
}

// shortened gives a skill's file within some units: first the oldest phases that are
// done are cut, then what follows its labels. Its end says where to go on.
func shortened(p projections.PhaseState, limit int) string {
	s := text.Trimmed(p.Text)
	for _, d := range p.Completed {
		over := text.Units(s) - limit
		if over <= 0 {
			return s
		}
		was := text.Trimmed(d.Summary)
		if text.Units(was) < worthCutting {
			continue
		}
		head := max(0, strings.Index(s, "### "+d.Phase)) // the same words can stand elsewhere
		s = s[:head] + strings.Replace(s[head:], was, text.CutUnits(was, max(1, text.Units(was)-over)), 1)
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
