package knowledge

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
)

// Plan is the plan that the person approved last. Audits ask for its steps.
const Plan Kind = "plan"

var _ = declare(Def{
	Kind: Plan, Needs: []projections.Projection{projections.Plan, projections.Files, projections.SubagentFiles, projections.Prompts, projections.Todos, projections.Git},
	Items: func(f *projections.Fold) []Item {
		p := projections.Plan.In(f)
		if p.Seq == 0 || p.Text == "" && !hasWritten(f, p.File) {
			return nil // the name of a file alone is no plan
		}
		plan := Item{Kind: Plan, Seq: p.Seq, Text: cmp.Or(p.Text, p.File), Open: openParts(f, p.Text, p.Seq)}
		if r, ok := projections.Prompts.In(f).Request(); ok && r.Seq > p.Seq {
			plan.Most = oldPlan
			if isPast(f, p.Seq, r) {
				plan.Most = text.Units(titleOf(plan.Text)) + 1 // the title alone, with an ellipsis
			}
		}
		return append([]Item{plan}, steps(plan)...)
	},
	Text: Text{
		Form: Quote, Units: 300, Outline: true, Reserve: 4000, Tiers: Tiers{Best: Likely, First: 1}, Unasked: true,
	},
})

// titleOf returns the first line of a plan.
func titleOf(plan string) string {
	title, _, _ := strings.Cut(strings.TrimSpace(plan), "\n")
	return title
}

// oldPlan bounds the plan of an older request in a text, in UTF-16 units.
const oldPlan = 1000

// goesOn matches words of a request that goes on with a plan.
var goesOn = text.Pattern(`(?i)\b(?:plan|steps?|phases?|tasks?|next|continue|remaining|rest)\b|계획|단계|다음|나머지|計画|段階|ステップ|手順|次|残り`)

// manyOthers is the number of requests for other work after which nothing is left of a plan.
const manyOthers = 6

// othersAfter returns the number of requests for other work after the event seq.
func othersAfter(f *projections.Fold, seq uint64) (n int) {
	for p := range projections.Prompts.In(f).Backward() {
		if p.Seq <= seq {
			break
		}
		if !p.DuringTurn && !promptsRead.get(p.Text).reply && !goesOn().MatchString(p.Text) {
			n++
		}
	}
	return n
}

// isPast reports whether nothing is left of the plan or request of the event seq, which is older than the newest request:
// many requests for other work came since, the tasks since are done, or git has all that was written since.
func isPast(f *projections.Fold, seq uint64, request projections.PromptState) bool {
	if othersAfter(f, seq) >= manyOthers {
		return true
	}
	if later, done := tasksAfter(f, seq); later {
		return done
	}
	if promptsRead.get(request.Text).reply || goesOn().MatchString(request.Text) {
		return false
	}
	wrote, git := false, projections.Git.In(f)
	for _, files := range []projections.FilesState{projections.Files.In(f), projections.SubagentFiles.In(f)} {
		for file := range files.All() {
			if seq < file.WrittenSeq && file.WrittenSeq < request.Seq {
				if !settled(git, file) {
					return false
				}
				wrote = true
			}
		}
	}
	return wrote
}

// tasksAfter reports whether the list of tasks changed after the event seq, and whether all its tasks are done.
func tasksAfter(f *projections.Fold, seq uint64) (changed, done bool) {
	todos := projections.Todos.In(f)
	return slices.ContainsFunc(todos, func(t projections.TodoState) bool { return t.Seq > seq }), len(todos.Open()) == 0
}

// hasWritten reports whether the lane wrote a file.
func hasWritten(f *projections.Fold, path string) bool {
	for file := range projections.Files.In(f).All() {
		if projections.Slashed(file.Path) == projections.Slashed(path) {
			return file.Op != "read"
		}
	}
	return false
}

// Step is a step of the plan that the person approved last. Texts show the plan, audits ask for its steps. Its items come
// with those of Plan.
const Step Kind = "step"

var _ = declare(Def{
	Kind: Step, CountedAs: Plan, ID: string(Plan),
	Audit: Audit{Match: ByTask, Rate: rateStep, Title: "Approved plan"},
})

var openSteps = worthKeeping(30, "steps of the approved plan that are more than checks")

// notSteps matches the beginning of headings that are no instructions.
var notSteps = text.Pattern(`(?i)^(?:resulting|results?|background|context|overview|motivation|rationale|summary|notes|out of scope|배경|개요|결과|背景|概要|結果)(?:\s|$)`)

// rateStep rates the steps of a plan. A plan is done when the tasks written after it are done. A plan that the client keeps
// in a file can be read there.
func rateStep(f *projections.Fold) func(Item) Worth {
	return func(i Item) Worth {
		later, done := tasksAfter(f, i.Seq)
		if later && done || i.Summarized || notSteps().MatchString(i.Text) || onlyChecks(i.Text) || projections.Plan.In(f).File != "" {
			return other
		}
		return openSteps
	}
}

// maxSteps bounds the steps of a plan.
const maxSteps = 40

// stepForms lists the forms of a plan's steps, the preferred one first: numbered headings, numbered items, other items, each at the
// beginning of a line. The last form is the first line of the plan. The first group of a pattern is the text of a step. A plan has its
// steps in a form if there are at least least of them; those after most are left out.
var stepForms = []struct {
	pattern     func() *regexp.Regexp
	least, most int
}{
	{text.Pattern(`^#{2,5}\s+(?:\*\*)?(?:(?:[Ss]tep|[Pp]hase|단계|ステップ|手順|フェーズ)\s*)?(?:\d+|[A-Z])\s*(?:[.):：、–—-]|단계|段階)\s*(.+)`), 2, maxSteps},
	{text.Pattern(`^\d+[.)]\s+(.+)`), 2, maxSteps},
	{text.Pattern(`^[-*+]\s+(?:\[[ xX]\]\s+)?(.+)`), 1, maxSteps},
	{text.Pattern(`^#*\s*(.+)`), 0, 1},
}

// steps returns the steps of a plan, in the first of stepForms that fits.
func steps(plan Item) (items []Item) {
	lines := planLines(plan.Text)
	for _, form := range stepForms {
		items = nil
		for _, l := range lines {
			found := form.pattern().FindStringSubmatch(l.text)
			if found != nil && bare(found[1]) != "" && len(items) < form.most {
				items = append(items, Item{
					Kind: Step, Seq: plan.Seq, Part: len(items) + 1, Text: bare(found[1]), Tier: Unlisted, partOf: plan.Key(), from: l.from, to: l.to, place: len(items),
				})
			}
		}
		if len(items) >= form.least {
			break
		}
	}
	return items
}

// bare removes marks of emphasis and a trailing colon.
func bare(line string) string {
	return strings.TrimRight(strings.TrimSpace(strings.ReplaceAll(line, "**", "")), ":： ")
}

// planLine is a line of a plan, and the range of the plan that it covers, in percent.
type planLine struct {
	text     string
	from, to int
}

// planLines lists the lines of a plan outside code blocks.
func planLines(plan string) []planLine {
	plan = text.Trimmed(plan)
	whole := max(1, text.Units(plan))
	var all []planLine
	units, fence := 0, ""
	for line := range strings.Lines(plan) {
		end := units + text.Units(line)
		mark := strings.TrimLeft(line, " \t")
		switch {
		case fence == "" && (strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~")):
			fence = mark[:3]
		case fence != "" && strings.HasPrefix(mark, fence):
			fence = ""
		case fence == "":
			all = append(all, planLine{strings.TrimRight(line, "\n"), units * 100 / whole, (end*100 + whole - 1) / whole})
		}
		units = end
	}
	return all
}

// ShareIn returns how much of an item that is a part of another is present, in percent. shareOf returns how much of the
// other item is present, from its beginning; present is false if nothing is. ok is false if the item is no part of another, or
// nothing of it is present.
func (i Item) ShareIn(shareOf func(ID) (percent int, present bool)) (share int, ok bool) {
	if i.partOf == (ID{}) {
		return 0, false
	}
	whole, present := shareOf(i.partOf)
	switch {
	case !present || whole <= i.from:
		return 0, false
	case whole >= i.to:
		return 100, true
	}
	return (whole - i.from) * 100 / (i.to - i.from), true
}
