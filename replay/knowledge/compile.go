package knowledge

import (
	"cmp"
	"slices"

	"journal/projections"
	"journal/projections/compilation"
)

// Compile is a directory that is compiled from its CLAUDE.md, with its phase, attempt and open questions (S2.11). Text of
// the first unfinished one also has the next command.
const Compile Kind = "compile"

var _ = declare(Def{
	Kind: Compile, Needs: []projections.Projection{compilation.Projection}, Items: compileTargets,
	Text: Text{Form: Line, Units: 400, Tiers: Tiers{Best: Vital, First: 6, Second: 20}},
	Audit: Audit{
		Match: ByWords, Title: "Compile targets",
		Rate: rateIf(func(i Item) bool { return i.Tier == Spare }, other, worthKeeping(16, "compile targets that are not done")),
	},
})

// compileTargets lists the unfinished targets in the order of the next steps, then the finished ones. A subagent gets
// only its own.
func compileTargets(f *projections.Fold) []Item {
	run, target := compilation.Projection.In(f), f.Target()
	if !run.Concerns(target.Session, projections.Stamp(f.Last().At)) {
		return nil
	}
	steps := run.Next()
	var items []Item
	for i, t := range run.Targets {
		if target.Lane != "" && (t.Lane != target.Lane || t.Session != target.Session) {
			continue
		}
		session := cmp.Or(t.Session, run.Session)
		item := Item{Kind: Compile, Seq: t.Seq, Part: i + 1, Text: t.String(), State: t.Status, Foreign: session != target.Session, place: i}
		if t.Done() {
			item.Tier = Spare
		}
		if target.Lane == "" && t.Path == steps[0].Target {
			item.Text = "next `" + steps[0].Command + "`; " + item.Text
		}
		items = append(items, item)
	}
	rank := func(i Item) int { // of the target's next step; finished ones are last
		step := slices.IndexFunc(steps, func(s compilation.Step) bool { return s.Target == run.Targets[i.Part-1].Path })
		if step < 0 {
			return len(steps)
		}
		return step
	}
	slices.SortStableFunc(items, func(a, b Item) int { return rank(a) - rank(b) })
	return items
}
