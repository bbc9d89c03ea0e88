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
	Kind: Said, Needs: []projections.Projection{projections.Said, projections.LastCall, projections.Commands, projections.Prompts, projections.Todos},
	Items: func(f *projections.Fold) []Item {
		s := projections.Said.In(f)
		var items []Item
		if s.Text != "" {
			items = append(items, Item{Kind: Said, Seq: s.Seq, Text: s.Text, Calls: s.Calls})
		}
		if s.Thought != "" {
			items = append(items, Item{Kind: Thought, Seq: s.Seq, Text: s.Thought, Calls: s.ThoughtCalls})
		}
		if result := shortResult(s); result != "" && !isKnown(projections.LastCall.In(f), s.ResultOf) {
			isSearch := slices.ContainsFunc(s.Searches, s.IsResultOf)
			items = append(items, Item{Kind: Result, Seq: s.Seq, Text: s.ResultOf, Detail: result, DetailEnds: !isSearch})
		}
		return slices.Concat(items, planned(f, s), findings(f, s), earlierFindings(s), searches(f, s))
	},
	Text: Text{
		Form: Quote, Units: 400, Whole: 600, KeepEnd: true, Tiers: Tiers{Best: Vital, First: 1}, Unasked: true,
	},
})

// isKnown reports whether the outcome of the newest call makes its result known: it failed, or it is a check that passed.
// resultOf is the call with the newest result.
func isKnown(c projections.CallState, resultOf string) bool {
	return text.Line(c.Target) == resultOf && (c.Outcome == projections.CallFailed || c.Outcome == projections.CallWorked && isCheck(c.Target))
}

// Thought is the end of the model's reasoning after its last words. It comes with the items of Said.
const Thought Kind = "thought"

var _ = declare(Def{
	Kind: Thought,
	Text: Text{Form: Quote, Units: 240, Cap: 2000, KeepBothEnds: true, Tiers: Tiers{Best: Vital, First: 1}, Unasked: true},
})

// Result is the newest ended call after the agent's words. Detail is its result. It comes with the items of Said.
const Result Kind = "result"

var _ = declare(Def{
	Kind: Result,
	Text: Text{Form: Code, Units: 160, Cap: maxScript, Detail: 240, DetailCap: 400, DetailAmple: 1200, Tiers: Tiers{Best: Vital, First: 1}, Unasked: true},
})

// Search is a search in files since the request. Detail is the beginning of what it found, and Times the number of lines. The first
// search for the answer to a question has more of it. It comes with the items of Said, and only short texts list it.
const Search Kind = "search"

var _ = declare(Def{
	Kind: Search,
	Text: Text{Form: Code, Units: 100, Cap: 100, Detail: searchUnits, DetailCap: searchUnits, DetailAmple: 600, Unasked: true},
})

// searchUnits bounds what a search found in a text, in UTF-16 units.
const searchUnits = 160

// searches lists the searches, the newest first, without the one whose result is an item of its own.
func searches(f *projections.Fold, s projections.SaidState) (items []Item) {
	request, _ := projections.Prompts.In(f).Request()
	for i, found := range slices.Backward(s.Searches) {
		if s.IsResultOf(found) {
			continue
		}
		item := Item{Kind: Search, Seq: s.Seq, Part: i + 1, Text: found.Call, Detail: text.Line(found.First), Times: found.Lines, Gone: found.Acted, Tier: Spare, OnlyShort: true}
		if i > 0 || !promptsRead.get(request.Text).asks {
			item.Detail = text.CutUnits(item.Detail, searchUnits)
		}
		items = append(items, item)
	}
	return items
}

// dataLine is the length above which a line of a result is data for programs, such as minified JSON, in UTF-16 units.
const dataLine = 400

// shortResult returns the newest result without lines about parts that went well and without data. If nothing but data is left, it
// returns what that identifies.
func shortResult(s projections.SaidState) string {
	result := s.Result
	var lines []string
	data := false
	for line := range strings.Lines(result) {
		if text.Units(line) > dataLine {
			data = true
		} else if !wentWell(line) {
			lines = append(lines, line)
		}
	}
	all := strings.TrimRight(strings.Join(lines, ""), "\r\n")
	switch {
	case all == "" && data:
		return identified(result)
	case all == "":
		return result
	}
	return all
}

// identifying matches a member of JSON data that says what somebody sees of a thing of a service: its number, its title, its state.
var identifying = text.Pattern(`"(identifier|number|title|state|status|conclusion|html_url)": ?(?:"(?:[^"\\]|\\.)*"|\d+)`)

// maxMember bounds a member of JSON data in a text, in UTF-16 units.
const maxMember = 120

// identified returns the first identifying member of each name in JSON data, "" for none but an address: a call has the address of what it
// answers.
func identified(data string) string {
	var members []string
	named := map[string]bool{}
	for _, m := range identifying().FindAllStringSubmatch(data, -1) {
		if !named[m[1]] {
			named[m[1]] = true
			members = append(members, text.CutUnits(m[0], maxMember))
		}
	}
	if len(named) == 1 && named["html_url"] {
		return ""
	}
	return strings.Join(members, ", ")
}

// Report is the conclusion of a subagent's report since the request. Detail is its task. A report is needed less once the
// agent edited files after it. A plan that the person approved since replaces it: only short texts list it.
const Report Kind = "report"

var _ = declare(Def{
	Kind: Report, Needs: []projections.Projection{projections.Reports, projections.Prompts, projections.Files, projections.SubagentFiles, projections.Plan},
	Items: func(f *projections.Fold) (items []Item) {
		reports := projections.Reports.In(f)
		if len(reports) == 0 {
			return nil
		}
		request, _ := projections.Prompts.In(f).Request()
		written := editsOf(f)
		for _, r := range slices.Backward(reports) {
			if r.Text != "" && r.Seq > request.Seq {
				report := Item{Kind: Report, Seq: r.Seq, Text: conclusion(r.Text), Detail: cmp.Or(r.About, r.Lane)}
				switch {
				case projections.Plan.In(f).Seq > r.Seq:
					report.Tier, report.OnlyShort = Spare, true
				case len(written.after(r.Seq)) > 0:
					report.Tier = Useful
				}
				items = append(items, report)
			}
		}
		return items
	},
	Text: Text{Form: Title, Units: 300, Cap: 900, Ample: 3000, DetailCap: 120, Tiers: Tiers{Best: Vital, First: 1, Second: 4}, Unasked: true},
})

// concludes matches the line above the conclusion of a report.
var concludes = text.Pattern(`(?im)^(?:#+ |\*\*)[^\n]*(?:summary|conclusion|recommendation|verdict|root cause|key findings|결론|요약|結論|まとめ|要約)[^\n]*\n+`)

// conclusionUnits bounds the conclusion of a report that has no heading for it, in UTF-16 units.
const conclusionUnits = 600

// These match the beginning of advice that nobody asked for, and a line of a report that gives a place in a file.
var (
	advises = text.Pattern(`(?i)^(?:if you (?:need|want|plan|wish|prefer)|next steps?)\b`)
	placed  = text.Pattern(`\w\.\w{1,6}:\d+|\blines? ~?\d+`)
)

// conclusion returns the part of a report below the last heading of a conclusion, else the end of the report. It leaves out advice in
// the last paragraph of that. Behind a short conclusion stand the lines before it that give a place in a file and introduce nothing.
func conclusion(report string) string {
	report = text.Trimmed(report)
	all := concludes().FindAllStringIndex(report, -1)
	if len(all) == 0 || all[len(all)-1][1] >= len(report) {
		return ending(report, conclusionUnits)
	}
	before, found := report[:all[len(all)-1][0]], report[all[len(all)-1][1]:]
	for _, end := range sentences().FindAllStringIndex(found, -1) {
		advice := strings.TrimSpace(strings.TrimLeft(found[end[1]:], " *_"))
		if advises().MatchString(advice) && !strings.Contains(advice, "\n\n") {
			found = found[:end[1]]
			break
		}
	}
	if text.Units(found) > conclusionUnits {
		return found
	}
	lines, fenced := []string{strings.TrimSpace(found)}, false
	for line := range strings.Lines(before) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if !fenced && placed().MatchString(line) && !strings.HasSuffix(line, ":") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Call is the newest tool call of the running turn, or one that ran beside it. State is its outcome.
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
		switch {
		case c.Outcome == projections.CallRefused:
			it.Detail = "" // the person's words are an item of their own
		case c.Error != "" && c.Tool == "" && len(tasks(c.Target)) > 0:
			it.Detail = "" // it is listed among the failures
		case c.Error != "" && c.Tool == "":
			it.Detail = howFailed(c.Target, c.Error, "")
		}
		items := []Item{it}
		for i, call := range c.Parallel {
			items = append(items, Item{Kind: Call, Seq: c.Seq, Part: i + 1, Text: call, State: c.Outcome})
		}
		return items
	},
	Text: Text{
		Form: Line, Units: 160, Detail: 120, DetailCap: 160, Tiers: Tiers{Best: Vital, First: 3, Second: 10}, Unasked: true,
	},
})

// noCall is the State of the item that stands for no call since the request.
const noCall = "none"

// nothingSince returns the newest request if the agent has neither acted nor spoken since; else nothing is false.
func nothingSince(f *projections.Fold) (request uint64, nothing bool) {
	prompt, ok := projections.Prompts.In(f).Request()
	said, call := projections.Said.In(f), projections.LastCall.In(f)
	if !ok || call.Seq > 0 || call.Noted || said.Text != "" || said.Thought != "" || projections.LastAnswer.In(f).Seq > prompt.Seq {
		return 0, false
	}
	if command, ran := projections.Commands.In(f).Last(); ran && command.Seq > prompt.Seq {
		return 0, false
	}
	for file := range projections.Files.In(f).All() {
		if file.LastSeq > prompt.Seq {
			return 0, false
		}
	}
	return prompt.Seq, true
}

// maxTitle bounds the title of a plan, in UTF-16 units.
const maxTitle = 120

// Approved is the person's approval of a plan since the request. Text is empty: the plan is an item of its own. Detail is
// the title of a plan of several lines, or the plan's file if its text is unknown.
const Approved Kind = "approved"

var _ = declare(Def{
	Kind: Approved, Needs: []projections.Projection{projections.Plan, projections.Prompts},
	Items: func(f *projections.Fold) []Item {
		plan := projections.Plan.In(f)
		if r, ok := projections.Prompts.In(f).Request(); !ok || plan.Seq < r.Seq {
			return nil
		}
		approved := Item{Kind: Approved, Tier: Vital, Seq: plan.Seq}
		switch title := titleOf(plan.Text); {
		case plan.Text == "":
			approved.Detail = plan.File
		case title != strings.TrimSpace(plan.Text):
			approved.Detail = text.CutLine(strings.TrimLeft(title, "# "), maxTitle)
		}
		return []Item{approved}
	},
	Text: Text{Form: Line, Units: 40, Detail: 200, Tiers: Tiers{Best: Vital, First: 1}, Unasked: true},
})
