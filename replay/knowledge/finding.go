package knowledge

import (
	"cmp"
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
)

// Finding is what the agent wrote earlier in the turn about something that it found out. It comes with the items of Said.
const Finding Kind = "finding"

// minFinding is the least length of a finding without the agent's intentions, in UTF-16 units, and minVerdict that of one
// that names nothing: "Good, that was the only one."
const (
	minFinding = 15
	minVerdict = 60
)

// naming matches the name of a thing in a finding: code, a file, a number.
var naming = text.Pattern("[`\"/#_0-9]|\\w\\.\\w|\\p{Ll}\\p{Lu}|[\\p{Han}\\p{Hangul}\\p{Hiragana}\\p{Katakana}]")

// isShort reports whether a finding means nothing alone.
func isShort(found string) bool {
	n := text.Units(found)
	return n < minFinding || n < minVerdict && !naming().MatchString(found)
}

// checkFails matches a finding about a check that fails.
var checkFails = text.Pattern(`(?i)\b(?:tests?|lint(?:er)?|builds?|compil\w+|vet)\b[^.\n]{0,40}\b(?:fail\w*|errors?|broken)\b|\b(?:fail\w*|errors?)\b[^.\n]{0,20}\b(?:tests?|lint(?:er)?|builds?)\b`)

// findings lists the newest finding, then the newest one spoken to the person, then the newest one that proves something, then
// the first one of the turn, which often answers the request, then the others. Texts list two of them, all that are Likely, and up to
// maxCauses of the Spare ones. While the agent has edited nothing, its findings are all that the turn has achieved: then texts list
// investigated in place of two.
func findings(f *projections.Fold, s projections.SaidState) []Item {
	spoken := map[int]bool{} // by Item.Part
	for _, i := range s.SpokenFindings {
		spoken[i+1] = true
	}
	items, acted := validFindings(f, s, spoken)
	unordered := items[min(1, len(items)):]
	for _, isBetter := range []func(Item) bool{
		func(i Item) bool { return spoken[i.Part] && !i.Gone },
		func(i Item) bool { return proving().MatchString(cmp.Or(i.Open, i.Text)) && !i.Gone },
		func(i Item) bool { return i.Part == firstFinding(s, spoken)+1 },
	} {
		if best := slices.IndexFunc(unordered, isBetter); best >= 0 {
			item := unordered[best]
			copy(unordered[1:], unordered[:best])
			unordered[0] = item
			unordered = unordered[1:]
		}
	}
	listed := 2
	if s.Acted == 0 {
		listed = investigated
	}
	causes := 0 // Spare ones that are listed beyond these
	for i := listed; i < len(items); i++ {
		switch {
		case items[i].Tier == Likely: // listed
		case items[i].Tier == Spare && causes < maxCauses:
			causes++ // listed
		default:
			items[i].Tier = Unlisted
		}
	}
	return append(items, acted[:min(len(acted), maxActed)]...)
}

// maxActed bounds the findings upon which the agent acted that a short text lists.
const maxActed = 6

// maxCauses bounds the findings with a proof from before the newest edit that texts list beside others.
const maxCauses = 2

// validFindings lists the findings that probably still hold, newest first. Of those from before the agent's newest edit, items has the
// first of the turn if it has a conclusion, a fresh design, the newest proof if it is fresh, and other proofs, which are Spare. acted
// has what only short texts list: the others, reasoning that the words after it sum up, and guesses before a conclusion. That a check
// fails no longer holds if the newest check since the request passed. spoken has the Item.Part of those spoken to the person.
func validFindings(f *projections.Fold, s projections.SaidState, spoken map[int]bool) (items, acted []Item) {
	if len(s.Findings) == 0 {
		return nil, nil
	}
	passes, pointsBack := checkPassedAfter(f, newestRequest(f)), asksBack(f)
	first := firstFinding(s, spoken)
	var newer newerFindings
	for i, words := range slices.Backward(s.Findings) {
		words, _ = splitPlan(unretracted(words), pointsBack)
		if isShort(words) || passes && checkFails().MatchString(words) {
			continue
		}
		item := itemOf(s, i, Finding, words)
		fresh := 0 < item.Calls && item.Calls <= freshDesign // 0 is also an unknown number
		found := foundWords{
			proves: proving().MatchString(words), concludes: hasConclusion(words), verdicts: hasVerdicts(words), summedUp: isSummedUp(s, i, spoken), fresh: fresh,
			inWork: item.Gone && fresh && isDesign(words) && (spoken[item.Part] || !newer.replace),
		}
		found.answers = i == first && (found.concludes || first > 0)
		if (len(items) == 0 || found.verdicts) && (found.inWork || !item.Gone) {
			item.Most = newestCap
		}
		item.Open = opening(words, spoken[item.Part], cmp.Or(item.Most, findingCap))
		item.Guess = isGuess(cmp.Or(item.Open, words))
		item.Doubted = newer.prove && (found.proves || found.concludes)
		item.Tier, item.OnlyShort = found.need(item, newer)
		if item.OnlyShort {
			acted = append(acted, item)
		} else {
			items = append(items, item)
		}
		newer.add(found, item.Gone)
	}
	return items, acted
}

// foundWords holds what decides how much a finding is needed.
type foundWords struct {
	proves    bool // it has a proof
	concludes bool // it has a conclusion
	verdicts  bool // it is a list of verdicts
	summedUp  bool // see isSummedUp
	fresh     bool // the agent made at most freshDesign calls since
	inWork    bool // it is a design that the agent's edits have probably dealt with in part
	answers   bool // it is the first of the turn, and answers the request
}

// newerFindings describes the findings after another one.
type newerFindings struct {
	prove    bool // one has a proof
	conclude bool // one has a conclusion
	replace  bool // one is a design in work, or has a conclusion from before the newest edit: it replaces an older design
}

// add adds a finding. gone is set if edits followed it.
func (n *newerFindings) add(found foundWords, gone bool) {
	n.prove = n.prove || found.proves
	n.conclude = n.conclude || found.concludes
	n.replace = n.replace || found.inWork || found.concludes && gone
}

// need returns the tier of a finding, 0 for the tier of its position, and whether only short texts list it.
func (found foundWords) need(item Item, newer newerFindings) (t Tier, onlyShort bool) {
	switch {
	case item.Guess && newer.conclude, found.summedUp && !found.verdicts: // newer words replace it
		return Spare, true
	case !item.Gone:
		return 0, false
	case found.inWork, found.fresh && found.proves && !newer.prove, found.answers && !item.Doubted:
		return Likely, false
	case found.proves, found.answers:
		return Spare, false
	}
	return Spare, true
}

// firstFinding returns the index of the first finding of a turn: 1 if those words sum up the reasoning before them.
func firstFinding(s projections.SaidState, spoken map[int]bool) int {
	if len(s.Findings) > 1 && isSummedUp(s, 0, spoken) {
		return 1
	}
	return 0
}

// isSummedUp reports whether a finding is reasoning after which, before any call, the agent said a result: the next finding, or its last
// words.
func isSummedUp(s projections.SaidState, i int, spoken map[int]bool) bool {
	switch {
	case spoken[i+1] || len(s.FindingCalls) != len(s.Findings):
		return false
	case i+1 < len(s.Findings):
		return spoken[i+2] && s.FindingCalls[i+1] == s.FindingCalls[i]
	}
	return s.Calls == s.FindingCalls[i] && hasConclusion(s.Text)
}

// opening returns the Item.Open of a finding: from its last conclusion on, "" for all of it. Of reasoning that goes on too long after a
// conclusion without a proof, it is the last paragraphs: they have what the agent decided. most is the room of the finding.
func opening(found string, spoken bool, most int) string {
	if most > findingCap && text.Units(found) <= most { // newestCap leaves room for all of it
		return ""
	}
	short := fromConclusion(found, findingUnits)
	if !spoken && text.Units(short) > most && !proving().MatchString(short) {
		short = ending(found, most)
	}
	if short == found {
		return ""
	}
	return short
}

// itemOf returns an item with a text from the finding at an index of s.Findings.
func itemOf(s projections.SaidState, i int, kind Kind, words string) Item {
	item := Item{Kind: kind, Seq: s.Seq, Part: i + 1, Text: words, Gone: i < s.Acted}
	if len(s.FindingCalls) == len(s.Findings) {
		item.Calls = s.FindingCalls[i]
	}
	return item
}

// asksBack reports whether the request points to something before it, and what it replies to is unknown. Then what the agent
// wrote about the request explains it.
func asksBack(f *projections.Fold) bool {
	request, _ := projections.Prompts.In(f).Request()
	return request.Asked == "" && request.PointsBack()
}

// investigated bounds the findings in a text of a turn in which the agent edited nothing.
const investigated = 8

// freshDesign is the greatest age of a design of which the agent's edits have probably dealt with a part only, in tool calls.
const freshDesign = 15

// isDesign reports whether a finding has several points, or a drawing or example in a block without a language.
func isDesign(found string) bool {
	points, fenced := 0, false
	for line := range strings.Lines(found) {
		switch line = strings.TrimSpace(line); {
		case line == "```" && !fenced:
			return true
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case listLine().MatchString(line):
			points++
		}
	}
	return points > 1
}

var _ = declare(Def{
	Kind: Finding,
	Text: Text{Form: Quote, Units: findingUnits, Cap: findingCap, Ample: newestCap, Reserve: 700, Most: investigated, Tiers: Tiers{Best: Vital, First: 1, Second: 1}, Unasked: true},
})

// EarlierFinding is a finding from before the request, of the newest turn that has one. It comes with the items of Said, and only short
// texts list it.
const EarlierFinding Kind = "earlier-finding"

var _ = declare(Def{
	Kind: EarlierFinding,
	Text: Text{Form: Quote, Units: findingUnits, Cap: findingCap, Ample: newestCap, Unasked: true},
})

// earlierFindings lists the findings from before the request, the newest first.
func earlierFindings(s projections.SaidState) (items []Item) {
	for i, found := range slices.Backward(s.EarlierFindings) {
		found, _ = splitPlan(unretracted(found), false)
		if isShort(found) {
			continue
		}
		open := opening(found, false, findingCap)
		items = append(items, Item{
			Kind: EarlierFinding, Seq: s.Seq, Part: i + 1, Text: found, Open: open, Guess: isGuess(cmp.Or(open, found)), Gone: i < s.EarlierActed, Tier: Spare, OnlyShort: true,
		})
	}
	return items
}

// findingUnits is the room of a finding in every text, findingCap that to which free room lengthens it, in UTF-16 units. newestCap is that
// in short texts, and of the newest one and of lists of verdicts if the agent has edited nothing since, or edits what it designs.
const (
	findingUnits = 200
	findingCap   = 450
	newestCap    = 2000 // all that an event has
)

// Planned is the newest list of steps in the agent's own words of the turn. It comes with the items of Said.
const Planned Kind = "planned"

var _ = declare(Def{
	Kind: Planned,
	Text: Text{Form: Quote, Units: 300, Cap: 700, Ample: 1500, Most: 1, Tiers: Tiers{Best: Vital, First: 1}, Unasked: true},
})

// maxPlanAge is the greatest age of a list of steps that are probably not all done, in tool calls.
const maxPlanAge = 30

// planned returns the newest list of steps, unless the agent's last words or thoughts have one. It is needed less beside
// open tasks.
func planned(f *projections.Fold, s projections.SaidState) []Item {
	for _, newer := range []string{s.Text, s.Thought} {
		if _, plan := splitPlan(newer, false); plan != "" {
			return nil
		}
	}
	for i, words := range slices.Backward(s.Findings) {
		_, plan := splitPlan(words, false)
		if plan == "" {
			continue
		}
		item := itemOf(s, i, Planned, plan)
		switch {
		case item.Calls > maxPlanAge:
			return nil
		case len(projections.Todos.In(f).Open()) > 0:
			item.Tier = Likely
		}
		return []Item{item}
	}
	return nil
}
