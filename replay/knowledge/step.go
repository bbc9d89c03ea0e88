package knowledge

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"journal/events/text"
	"journal/projections"
)

// Plan is the plan that the person approved last. Audits ask for its steps.
const Plan Kind = "plan"

var _ = declare(Def{
	Kind: Plan, Needs: []projections.Projection{projections.Plan, projections.Files, projections.SubagentFiles, projections.Prompts, projections.Todos, projections.Git},
	Items: func(f *projections.Fold) []Item {
		p := projections.Plan.In(f)
		if p.Seq == 0 || p.Text == "" && !wrote(f, p.File) {
			return nil // the name of a file alone is no plan
		}
		plan := Item{Kind: Plan, Seq: p.Seq, Text: cmp.Or(p.Text, p.File), Open: openParts(f, p.Text, p.Seq)}
		if r, ok := projections.Prompts.In(f).Request(); ok && r.Seq > p.Seq {
			plan.Most = oldPlan
			if isPast(f, p.Seq, r) {
				title, _, _ := strings.Cut(strings.TrimSpace(plan.Text), "\n")
				plan.Most = text.Units(title) + 1
			}
		}
		return append([]Item{plan}, steps(plan)...)
	},
	Text: Text{
		Form: Quote, Units: 300, Reserve: 4000, Tiers: Tiers{Best: Likely, First: 1}, Summary: true,
	},
})

// oldPlan bounds the plan of an older request in a text, in UTF-16 units.
const oldPlan = 1000

// goesOn matches a request that goes on with a plan.
var goesOn = text.Pattern(`(?i)\b(?:plan|steps?|phases?|tasks?|next|continue|remaining|rest)\b|계획|단계|다음|나머지|計画|段階|ステップ|手順|次|残り`)

// manyOthers is the number of requests for other work after which nothing is left of a plan.
const manyOthers = 6

// othersAfter returns the number of requests after an event that do not go on with a plan.
func othersAfter(f *projections.Fold, seq uint64) (n int) {
	for p := range projections.Prompts.In(f).Backward() {
		if p.Seq <= seq {
			break
		}
		if !p.Within && !promptsRead.get(p.Text).reply && !goesOn().MatchString(p.Text) {
			n++
		}
	}
	return n
}

// isPast reports whether nothing is left of a plan or request that is older than the newest request: many requests for
// other work came since, the tasks since are done, or git has all that was written since.
func isPast(f *projections.Fold, plan uint64, request projections.PromptState) bool {
	if othersAfter(f, plan) >= manyOthers {
		return true
	}
	todos := projections.Todos.In(f)
	if slices.ContainsFunc(todos, func(t projections.TodoState) bool { return t.Seq > plan }) {
		return len(todos.Open()) == 0
	}
	if promptsRead.get(request.Text).reply || goesOn().MatchString(request.Text) {
		return false
	}
	wrote, git := false, projections.Git.In(f)
	for _, files := range []projections.FilesState{projections.Files.In(f), projections.SubagentFiles.In(f)} {
		for file := range files.All() {
			if plan < file.WrittenSeq && file.WrittenSeq < request.Seq {
				if !settled(git, file) {
					return false
				}
				wrote = true
			}
		}
	}
	return wrote
}

// wrote reports whether the lane wrote a file.
func wrote(f *projections.Fold, file string) bool {
	for written := range projections.Files.In(f).All() {
		if written.Path == file {
			return written.Op != "read"
		}
	}
	return false
}

// Step is a step of the plan that the person approved last. Texts show the plan, audits ask for its steps. The items
// come with those of Plan.
const Step Kind = "step"

var _ = declare(Def{
	Kind: Step, CountedAs: Plan, ID: string(Plan),
	Audit: Audit{Match: ByTask, Rate: rateStep, Title: "Approved plan"},
})

var openSteps = worthKeeping(30, "steps of the approved plan that are more than checks")

// notSteps matches the beginning of headings that are no instructions.
var notSteps = text.Pattern(`(?i)^(?:resulting|results?|background|context|overview|motivation|rationale|summary|notes|out of scope|배경|개요|결과|背景|概要|結果)(?:\s|$)`)

// rateStep counts a plan as done when a later todo list is done. A plan that the client keeps in a file can be read
// there.
func rateStep(f *projections.Fold) func(Item) Worth {
	todos := projections.Todos.In(f)
	return func(i Item) Worth {
		if i.Summarized || notSteps().MatchString(i.Text) || onlyChecks(i.Text) || projections.Plan.In(f).File != "" {
			return other
		}
		since := slices.ContainsFunc(todos, func(t projections.TodoState) bool { return t.Seq > i.Seq })
		if since && len(todos.Open()) == 0 {
			return other
		}
		return openSteps
	}
}

// maxSteps bounds the steps of a plan.
const maxSteps = 40

// steps returns the steps of a plan: its numbered headings, else its numbered items, else its items, all of the top
// level; failing these, its first line.
func steps(plan Item) []Item {
	lines := planLines(plan.Text)
	var items []Item
	patterns := stepLines()
	for _, mark := range []*regexp.Regexp{patterns.heading, patterns.numbered, patterns.bullet, patterns.anything} {
		for _, l := range lines {
			found := mark.FindStringSubmatch(l.text)
			if found == nil || bare(found[1]) == "" || mark == patterns.anything && len(items) > 0 || len(items) == maxSteps {
				continue
			}
			items = append(items, Item{
				Kind: Step, Seq: plan.Seq, Part: len(items) + 1, Text: bare(found[1]), Tier: Unlisted, partOf: plan.Key(), from: l.from, to: l.to, place: len(items),
			})
		}
		if len(items) > 1 || mark == patterns.bullet && len(items) > 0 {
			break
		}
		if mark != patterns.anything {
			items = nil
		}
	}
	return items
}

// bare removes marks of emphasis and a trailing colon.
func bare(line string) string {
	return strings.TrimRight(strings.TrimSpace(strings.ReplaceAll(line, "**", "")), ":： ")
}

// stepLines match the line of a step; the first group is its text.
var stepLines = sync.OnceValue(func() (l struct{ heading, numbered, bullet, anything *regexp.Regexp }) {
	l.heading = regexp.MustCompile(`^#{2,5}\s+(?:\*\*)?(?:(?:[Ss]tep|[Pp]hase|단계|ステップ|手順|フェーズ)\s*)?(?:\d+|[A-Z])\s*(?:[.):：、–—-]|단계|段階)\s*(.+)`)
	l.numbered = regexp.MustCompile(`^\d+[.)]\s+(.+)`)
	l.bullet = regexp.MustCompile(`^[-*+]\s+(?:\[[ xX]\]\s+)?(.+)`)
	l.anything = regexp.MustCompile(`^#*\s*(.+)`)
	return l
})

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

// ShareIn returns the present share of an item that is a part of another, in percent. shareOf returns the share of the
// whole item, from its beginning. ok is false if the item is no part of another, or nothing of it is present.
func (i Item) ShareIn(shareOf func(ID) (percent int, carried bool)) (share int, ok bool) {
	if i.partOf == (ID{}) {
		return 0, false
	}
	p, carried := shareOf(i.partOf)
	switch {
	case !carried || p <= i.from && p < 100:
		return 0, false
	case p >= i.to:
		return 100, true
	}
	return (p - i.from) * 100 / (i.to - i.from), true
}
