package knowledge

import (
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
)

// Checkpoint is the newest summary that somebody wrote for a checkpoint (S0.3). Summaries of automatic checkpoints are
// left out: they are derived from the session.
const Checkpoint Kind = "checkpoint"

var _ = declare(Def{
	Kind: Checkpoint, Needs: []projections.Projection{projections.Checkpoints},
	Items: func(f *projections.Fold) []Item {
		for _, c := range slices.Backward(projections.Checkpoints.In(f).List) {
			if c.Summary != "" && !c.Derived {
				return []Item{{Kind: Checkpoint, Seq: c.Seq, Text: c.Summary}}
			}
		}
		return nil
	},
	Text: Text{Form: Line, Units: 600, Tiers: Tiers{Best: Vital, First: 1}},
})

// Bounds of an answer after which the agent worked on, in UTF-16 units.
const (
	maxPastAnswer = 600
	maxListAnswer = 1200 // of one with a list to which the request points back without a quotation
	maxOldAnswer  = 260  // if the agent edited files since
)

// LastAnswer is the agent's text at the end of the turn before the newest request. What the request has of it as the passage to which
// it replies is not shown again. State is interrupted if the person stopped the agent after the text: short texts then also list the
// end of the turn before that.
const LastAnswer Kind = "last-answer"

var _ = declare(Def{
	Kind: LastAnswer, Needs: []projections.Projection{projections.LastAnswer, projections.Prompts, projections.Files, projections.SubagentFiles},
	Items: func(f *projections.Fold) (items []Item) {
		request, asked := projections.Prompts.In(f).Request()
		a := projections.LastAnswer.In(f)
		if before := a.Before || a.Seq < request.Seq; a.Text == "" || !asked || !before {
			return nil
		}
		if a.Finished != "" {
			items = []Item{{Kind: LastAnswer, Seq: a.FinishedSeq, Text: a.Finished, Tier: Spare, OnlyShort: true}}
		}
		if text.Line(a.Text) == request.Asked { // the request shows it, or the plan that it is
			return items
		}
		it := Item{Kind: LastAnswer, Seq: a.Seq, Text: a.Text}
		switch rest := withoutEnd(a.Text, repliesTo(f, request.Seq, replied(request))); rest {
		case a.Text:
		case "":
			return items
		default:
			it.Open = rest
		}
		if a.Stopped {
			it.State = "interrupted"
		}
		if _, nothing := nothingSince(f); nothing {
			it.Tier = Vital // the agent has done nothing since
		} else {
			it.Most = maxPastAnswer
			switch listed, edited := request.PointsBack() && hasList(a.Text) && !quotes(request.Text, a.Text), len(editsOf(f).after(request.Seq)) > 0; {
			case listed && !edited:
				it.Most = maxListAnswer
			case edited && !listed:
				it.Most = maxOldAnswer
				if it.Open != "" && text.Units(a.Text)-text.Units(it.Open) > maxOldAnswer { // the reply has as much as it would show
					it.Tier, it.OnlyShort = Spare, true
				}
			}
		}
		return append([]Item{it}, items...)
	},
	Text: Text{
		Form: Quote, Units: 200, Cap: 900, KeepEnd: true, Tiers: Tiers{Best: Likely, First: 1}, Unasked: true,
	},
})

// hasList reports whether an answer has a list or a table.
func hasList(answer string) bool {
	lines := 0
	for line := range strings.Lines(answer) {
		if listLine().MatchString(line) || strings.HasPrefix(line, "|") {
			lines++
		}
	}
	return lines > 1
}

// minQuoted is the length of a line that nobody types by chance, in UTF-16 units.
const minQuoted = 20

// quotes reports whether a prompt has a line of an answer: then it is about that line, and not about all of a list.
func quotes(prompt, answer string) bool {
	unmarked := strings.NewReplacer("`", "", "*", "")
	prompt = unmarked.Replace(text.Line(prompt))
	for line := range strings.Lines(answer) {
		line = strings.Trim(unmarked.Replace(line), "-•0123456789.)#>| \t\r\n")
		if text.Units(line) >= minQuoted && strings.Contains(prompt, line) {
			return true
		}
	}
	return false
}

// withoutEnd returns an answer without its last lines that a passage of it, joined to one line, has too, "" if it has all of them.
// Other answers are returned as they are.
func withoutEnd(answer, passage string) string {
	lines := strings.Split(text.Trimmed(answer), "\n")
	passage = text.Line(passage)
	kept := len(lines)
	for kept > 0 && strings.Contains(passage, text.Line(lines[kept-1])) {
		kept--
	}
	switch kept {
	case len(lines):
		return answer
	case 0:
		return ""
	}
	return strings.TrimSpace(strings.Join(append(lines[:kept:kept], "…"), "\n"))
}
