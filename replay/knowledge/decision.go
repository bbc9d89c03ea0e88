package knowledge

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"journal/events/text"
	"journal/projections"
)

// Decision is a choice that was recorded on purpose or found in prose.
const Decision Kind = "decision"

// decisionAudit is the Audit of decisions and answers.
var decisionAudit = Audit{
	Match: ByWords, Title: "Decisions",
	Rate: func(*projections.Fold) func(Item) Worth { return rateDecision },
}

var (
	decided  = worthKeeping(20, "decisions, and answers that are no question")
	inferred = worthKeeping(99, "inferred decisions")
)

// goingOn matches a question whether to go on.
var goingOn = text.Pattern(`(?i)\bor (?:(?:move|go)(?: on)? to (?:the )?next\b|are we done\b|is that all\b)`)

// rateDecision rates decisions and answers. An answer that is a question, or to a question whether to go on, decides
// nothing.
func rateDecision(i Item) Worth {
	switch {
	case i.Weak:
		return inferred
	case i.Kind == Answer && (goingOn().MatchString(i.Detail) || strings.HasSuffix(i.Text, "?") || strings.HasSuffix(i.Text, "？")):
		return other
	}
	return decided
}

var _ = declare(Def{
	Kind: Decision, Needs: []projections.Projection{projections.Decisions}, Items: decisions,
	Text:  Text{Form: Dated, Units: 300, Tiers: Tiers{Best: Vital, First: 4, Second: 12}},
	Audit: decisionAudit,
})

const maxForeign = 20 // bounds the decisions of other sessions

// decisions lists the decisions that still hold: the session's own deliberate ones, its own ones read out of prose, then
// deliberate ones of other sessions of the project, each group newest first. A text lists each wording once.
func decisions(f *projections.Fold) []Item {
	var own, weak, others []Item
	for d := range projections.Decisions.In(f).List.Backward() {
		if !d.Holds() {
			continue
		}
		item := Item{Kind: Decision, Seq: d.Seq, At: d.At, Text: d.Text, Weak: d.Weak, Foreign: d.Session != f.Target().Session}
		if d.Question != "" {
			item.Kind, item.Detail = Answer, d.Question
		}
		switch {
		case !item.Foreign && !d.Weak:
			own = append(own, item)
		case !item.Foreign:
			weak = append(weak, item)
		case !d.Weak && len(others) < maxForeign:
			others = append(others, item)
		}
	}
	all := slices.Concat(own, weak, others)
	listed := map[[2]string]bool{}
	for i := range all {
		words := [2]string{all[i].Text, all[i].Detail}
		if listed[words] {
			all[i].Tier = Unlisted
		}
		listed[words] = true
	}
	return all
}

// Answer is the person's answer to a question of the agent, with the question: the surest kind of decision. Its items
// come with those of Decision.
const Answer Kind = "answer"

var _ = declare(Def{
	Kind: Answer, CountedAs: Decision,
	Text:  Text{Form: Reply, Units: 300, Tiers: Tiers{Best: Vital, First: 4, Second: 40}},
	Audit: decisionAudit,
})

// TeamDecision is a team member's decision in the same repository, read from another log. No fold of this log has it,
// so the caller passes it to WithTheirs; audits do not look for it.
const TeamDecision Kind = "team-decision"

var _ = declare(Def{
	Kind: TeamDecision,
	Text: Text{Form: Theirs, Units: 300, Tiers: Tiers{Best: Useful, First: 8}},
})

// Bounds of the members' decisions in a text.
const (
	maxTheirs = 30 // of all members
	maxEach   = 3  // of one member
)

// MemberDecision is a decision of another member of the team.
type MemberDecision struct {
	Member   string
	Seq      uint64            // in the member's log
	At       projections.Stamp // by the clock of the team's hub
	Question string            // that it answered; may be empty
	Text     string
}

// Day returns the day of the decision, in UTC.
func (c MemberDecision) Day() string { return c.At.Time().Format(time.DateOnly) }

// WithQuestion returns the decision, after the question that it answered.
func (c MemberDecision) WithQuestion() string {
	if c.Question == "" {
		return c.Text
	}
	return c.Question + " → " + c.Text
}

// namePattern matches a text that names one of the files. It returns nil if all names are too short to be found.
func namePattern(files []string) *regexp.Regexp {
	var names []string
	for _, f := range files {
		if base := path.Base(f); len(base) > 3 {
			names = append(names, regexp.QuoteMeta(base))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return regexp.MustCompile(`(?:^|[^\w-])(?:` + strings.Join(names, "|") + `)(?:$|[^\w-])`)
}

// SelectTheirs returns the members' decisions for a text: first those that name one of the files, then the others, each
// group in the order of theirs. It returns each wording once, and at most maxEach decisions of a member, so that nobody
// crowds out the rest.
func SelectTheirs(theirs []MemberDecision, files []string) (chosen []MemberDecision) {
	var named, others []MemberDecision
	names := namePattern(files)
	for _, t := range theirs {
		if names != nil && names.MatchString(t.WithQuestion()) {
			named = append(named, t)
		} else {
			others = append(others, t)
		}
	}
	each, listed := map[string]int{}, map[string]bool{}
	for _, t := range append(named, others...) {
		if len(chosen) == maxTheirs || each[t.Member] == maxEach || listed[t.WithQuestion()] {
			continue
		}
		each[t.Member]++
		listed[t.WithQuestion()] = true
		chosen = append(chosen, t)
	}
	return chosen
}

// WithTheirs returns items and the decisions of other members together, most needed first; the sort is stable. It skips a
// decision in the exact words of one among the items.
func WithTheirs(items []Item, theirs []MemberDecision) []Item {
	all := slices.Clone(items)
	var files []string
	for _, i := range items {
		if i.Kind.Def().countedAs() == File {
			files = append(files, i.Text)
		}
	}
	theirs = slices.DeleteFunc(slices.Clone(theirs), func(t MemberDecision) bool {
		return slices.ContainsFunc(items, func(i Item) bool {
			return (i.Kind == Decision || i.Kind == Answer) && i.Text == t.Text && i.Detail == t.Question
		})
	})
	for n, t := range SelectTheirs(theirs, files) {
		all = append(all, Item{
			Kind: TeamDecision, Seq: t.Seq, Part: n + 1, At: t.At, Text: t.Member + ": " + t.WithQuestion(), Foreign: true, Tier: TeamDecision.Def().Text.tier(n),
		})
	}
	return Listed(all)
}
