package knowledge

import (
	"cmp"
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
)

// Said is the agent's last text since the newest request: it shows the step in progress.
const Said Kind = "said"

var _ = declare(Def{
	Kind: Said, Needs: []projections.Projection{projections.Said, projections.LastCall, projections.Commands, projections.Prompts},
	Items: func(f *projections.Fold) []Item {
		s := projections.Said.In(f)
		var items []Item
		if s.Text != "" {
			items = append(items, Item{Kind: Said, Seq: s.Seq, Text: s.Text, Calls: s.Calls})
		}
		if s.Thought != "" {
			items = append(items, Item{Kind: Thought, Seq: s.Seq, Text: s.Thought})
		}
		if call := projections.LastCall.In(f); s.Result != "" && !tells(call, s.ResultOf) {
			items = append(items, Item{Kind: Result, Seq: s.Seq, Text: s.ResultOf, Detail: telling(s.Result)})
		}
		return append(items, findings(f, s)...)
	},
	Text: Text{
		Form: Quote, Units: 400, Whole: 600, End: true, Tiers: Tiers{Best: Vital, First: 1}, Summary: true,
	},
})

// tells reports whether the newest call already tells what it returned: it failed, or it is a check that passed.
func tells(c projections.CallState, returned string) bool {
	return text.Line(c.Target) == returned && (c.Outcome == projections.CallFailed || c.Outcome == projections.CallWorked && isCheck(c.Target))
}

// Thought is the end of the model's reasoning after its last words. It comes with the items of Said.
const Thought Kind = "thought"

var _ = declare(Def{
	Kind: Thought,
	Text: Text{Form: Quote, Units: 240, Whole: 360, Cap: 600, Ends: true, Tiers: Tiers{Best: Vital, First: 1}, Summary: true},
})

// Result is a call, and as its Detail what it returned, if that is newer than the agent's words and stands nowhere else.
// It comes with the items of Said.
const Result Kind = "result"

var _ = declare(Def{
	Kind: Result,
	Text: Text{Form: Code, Units: 160, Cap: maxScript, Detail: 240, DetailCap: resultHead + resultEnd + 2, Tiers: Tiers{Best: Vital, First: 1}, Summary: true},
})

// Bounds of the beginning and the end of a result in a text, in UTF-16 units: a search tells at its beginning, a command
// at its end.
const (
	resultHead = 160
	resultEnd  = 240
)

// telling returns the lines of a result but those about parts that went well, and leaves out the middle of a long one.
func telling(result string) string {
	var lines []string
	for line := range strings.Lines(result) {
		if !wentWell(line) {
			lines = append(lines, line)
		}
	}
	all := strings.TrimRight(strings.Join(lines, ""), "\r\n")
	switch {
	case all == "":
		return result
	case text.Units(all) <= resultHead+resultEnd:
		return all
	}
	return text.CutUnits(all, resultHead) + "\n" + text.EndUnits(all, resultEnd)
}

// Finding is earlier words of the turn that say what the agent found out. It comes with the items of Said.
const Finding Kind = "finding"

// minFinding is the length of words that say something without the agent's intentions, in UTF-16 units.
const minFinding = 15

// checkFails matches a finding that a check fails.
var checkFails = text.Pattern(`(?i)\b(?:tests?|lint(?:er)?|builds?|compil\w+|vet)\b[^.\n]{0,40}\b(?:fail\w*|errors?|broken)\b|\b(?:fail\w*|errors?)\b[^.\n]{0,20}\b(?:tests?|lint(?:er)?|builds?)\b`)

// findings lists the newest finding, then the first one of the turn, which often answers the request. Of what was said
// before the agent wrote a file it lists the first alone: the others were acted upon. It leaves out that a check failed, if
// the newest check since the request passed.
func findings(f *projections.Fold, s projections.SaidState) (items []Item) {
	if len(s.Findings) == 0 {
		return nil
	}
	passes := checkedAfter(f, newestRequest(f))
	for i, found := range slices.Backward(s.Findings) {
		if found = withoutIntentions(found); i > 0 && i < s.Acted || text.Units(found) < minFinding || passes && checkFails().MatchString(found) {
			continue
		}
		items = append(items, Item{Kind: Finding, Seq: s.Seq, Part: i + 1, Text: found, Gone: i < s.Acted})
	}
	if n := len(items); n > 2 {
		items = slices.Concat(items[:1], items[n-1:], items[1:n-1])
	}
	return items
}

var _ = declare(Def{
	Kind: Finding,
	Text: Text{Form: Quote, Units: 200, Cap: 450, Most: 2, Tiers: Tiers{Best: Vital, First: 1, Second: 1}, Summary: true},
})

// Report is what a subagent reported since the request, by its conclusion. Detail is its task. A report before later
// edits was needed for them, and stands lower.
const Report Kind = "report"

var _ = declare(Def{
	Kind: Report, Needs: []projections.Projection{projections.Reports, projections.Prompts, projections.Files, projections.SubagentFiles},
	Items: func(f *projections.Fold) (items []Item) {
		request, _ := projections.Prompts.In(f).Request()
		written := editsOf(f)
		for _, r := range slices.Backward(projections.Reports.In(f)) {
			if r.Text != "" && r.Seq > request.Seq {
				report := Item{Kind: Report, Seq: r.Seq, Text: conclusion(r.Text), Detail: cmp.Or(r.About, r.Lane)}
				if len(written.after(r.Seq)) > 0 {
					report.Tier = Useful
				}
				items = append(items, report)
			}
		}
		return items
	},
	Text: Text{Form: Title, Units: 300, Cap: 900, DetailCap: 120, Tiers: Tiers{Best: Vital, First: 1, Second: 4}, Summary: true},
})

// concludes matches the line above the conclusion of a report.
var concludes = text.Pattern(`(?im)^(?:#+ |\*\*)[^\n]*(?:summary|conclusion|recommendation|verdict|root cause|key findings|결론|요약|結論|まとめ|要約)[^\n]*\n+`)

// conclusionUnits is the length of the end of a report that has no heading of its own, in UTF-16 units.
const conclusionUnits = 600

// conclusion returns the part of a report that begins below the last heading of a conclusion, else its last paragraphs.
func conclusion(report string) string {
	report = text.Trimmed(report)
	if all := concludes().FindAllStringIndex(report, -1); len(all) > 0 && all[len(all)-1][1] < len(report) {
		return report[all[len(all)-1][1]:]
	}
	return ending(report, conclusionUnits)
}

// Call is the newest tool call of the running turn, and those that ran beside it. State is its outcome.
const Call Kind = "call"

var _ = declare(Def{
	Kind: Call, Needs: []projections.Projection{
		projections.LastCall, projections.Prompts, projections.Said, projections.LastAnswer, projections.Commands, projections.Files,
	},
	Items: func(f *projections.Fold) []Item {
		c := projections.LastCall.In(f)
		if request, none := nothingSince(f); none {
			return []Item{{Kind: Call, Seq: request, State: noCall}}
		}
		if c.Seq == 0 {
			return nil
		}
		it := Item{Kind: Call, Seq: c.Seq, Text: text.Line(c.Tool + " " + c.Target), State: c.Outcome, Detail: c.Error}
		if c.Outcome == projections.CallRefused {
			it.Detail = "" // the person's words are an item of their own
		}
		if c.Error != "" && c.Tool == "" {
			it.Detail = howFailed(c.Target, c.Error, "")
			if len(tasks(c.Target)) > 0 {
				it.Detail = "" // it is listed among the failures
			}
		}
		items := []Item{it}
		for i, call := range c.Parallel {
			items = append(items, Item{Kind: Call, Seq: c.Seq, Part: i + 1, Text: call, State: c.Outcome})
		}
		return items
	},
	Text: Text{
		Form: Line, Units: 160, Detail: 120, DetailCap: 160, Tiers: Tiers{Best: Vital, First: 3, Second: 10}, Summary: true,
	},
})

// noCall is the state of a Call without a call: none followed the request.
const noCall = "none"

// nothingSince returns the newest request, and whether the agent has done and said nothing since.
func nothingSince(f *projections.Fold) (request uint64, nothing bool) {
	prompt, ok := projections.Prompts.In(f).Request()
	said, call := projections.Said.In(f), projections.LastCall.In(f)
	if !ok || call.Seq > 0 || call.Noted || said.Text != "" || said.Thought != "" || projections.LastAnswer.In(f).Seq > prompt.Seq {
		return 0, false
	}
	for c := range projections.Commands.In(f).Backward() {
		if c.Seq > prompt.Seq {
			return 0, false
		}
		break
	}
	for file := range projections.Files.In(f).All() {
		if file.LastSeq > prompt.Seq {
			return 0, false
		}
	}
	return prompt.Seq, true
}

// Approved is the person's approval of a plan since the request. Text is empty: the plan is an item of its own. Detail
// is the plan's file if nothing else is known of it.
const Approved Kind = "approved"

var _ = declare(Def{
	Kind: Approved, Needs: []projections.Projection{projections.Plan, projections.Prompts},
	Items: func(f *projections.Fold) []Item {
		plan := projections.Plan.In(f)
		if r, ok := projections.Prompts.In(f).Request(); !ok || plan.Seq < r.Seq {
			return nil
		}
		approved := Item{Kind: Approved, Tier: Vital, Seq: plan.Seq}
		if plan.Text == "" {
			approved.Detail = plan.File
		}
		return []Item{approved}
	},
	Text: Text{Form: Line, Units: 40, Detail: 200, Tiers: Tiers{Best: Vital, First: 1}, Summary: true},
})
