package knowledge

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"journal/events"
	"journal/events/text"
	"journal/projections"
)

// Prompt is the newest request of the person, with the text that it replies to.
const Prompt Kind = "prompt"

// promptAudit is the Audit of all kinds of prompts.
var promptAudit = Audit{
	Match: ByWords, Title: "Prompts", Rate: ratePrompt,
	Subject: subject(func(e events.PromptSubmitted) string { return text.Linked(e.Text) }),
}

var _ = declare(Def{
	Kind: Prompt, Needs: []projections.Projection{
		projections.Prompts, projections.Plan, projections.Todos, projections.Git, projections.Files, projections.SubagentFiles,
	},
	Items: prompts,
	Text: Text{
		Form: Quote, Units: 300, Whole: 1000, Detail: 1000, KeepBothEnds: true, Outline: true, Reserve: 6200, Top: true,
		Tiers: Tiers{Best: Vital, First: 1}, Unasked: true,
	},
	Audit: promptAudit,
})

// repliesTo returns the text that a request of the event seq replies to. It is empty for the plan that the request
// approved, which is an item of its own. asked is the text of replied.
func repliesTo(f *projections.Fold, seq uint64, asked string) string {
	plan := projections.Plan.In(f)
	title := titleOf(plan.Text)
	if title != "" && plan.Seq > seq && strings.Contains(text.Line(asked), text.Line(title)) {
		return ""
	}
	return asked
}

// prompts lists the prompts of the newest turn, then the newest earlier requests, then the other ones by length, because
// short ones cost little. A repeated prompt, such as "go on", is listed at its last repetition.
//
// A reply that chose an option is also listed as an Answer. Replies to an unknown question are Unlisted.
func prompts(f *projections.Fold) []Item {
	all := projections.Prompts.In(f)
	request, _ := all.Request()
	var turn, choices []Item
	items := make([]Item, 0, all.Len())
	index := map[[2]string]int{} // text and what it replies to → position in items
	newer := ""                  // text of the next prompt
	task, begin := taskOf(f), firstRequest(all)
	for p := range all.Backward() {
		words := [2]string{strings.ToLower(text.Line(p.Text))}
		retyped := strings.HasPrefix(newer, words[0]) && text.Units(p.Text) > briefWords // and perhaps continued
		newer = words[0]
		if p.Seq == task.Seq || p.Text == task.Text || retyped && p.Seq != request.Seq && p.Seq != begin {
			continue
		}
		if it, ok := ofTurn(f, all, request.Seq, p); ok {
			turn = append(turn, it)
			continue
		}
		if p.Reply() || p.Choice != "" {
			words[1] = replied(p)
		}
		i, listed := index[words]
		if !listed {
			if p.Text == request.Text && words[1] == "" {
				continue
			}
			i = len(items)
			index[words] = i
			items = append(items, Item{Kind: Earlier, Seq: p.Seq, Text: p.Text, Detail: words[1]})
		}
		it := &items[i]
		it.Times++
		if !listed && p.Stopped {
			it.State = stopped
		}
		it.Most = maxEarlier
		if Own(p.Text) != p.Text {
			it.Most = maxPasted
		}
		switch {
		case p.Seq == begin:
			it.Kind, it.Tier, it.Most = First, 0, 0
			if isPast(f, p.Seq, request) {
				it.Most = First.Def().Text.Units
			}
		case listed: // by a newer repetition
		case p.Choice != "" && text.Units(p.Text) <= shortReply:
			choices = append(choices, Item{
				Kind: Answer, Tier: Likely, Seq: p.Seq, At: p.At, Text: p.Text + ": " + text.Line(p.Choice), Detail: p.Asked, Weak: true, Holds: []string{it.ID()},
			})
			it.Tier = Unlisted
		case p.Asked == "" && promptsRead.get(p.Text).reply && !accepts(p.Text):
			it.Tier = Unlisted // its question is unknown
		case promptsRead.get(p.Text).holds && !isLifted(p.Text, all, p.Seq):
			it.Kind = Standing
		}
	}
	return slices.Concat(turn, shortenOlder(items), choices)
}

// ofTurn returns the item of a prompt of the newest turn, whose request is the event request. ok is false for a prompt
// before that.
func ofTurn(f *projections.Fold, all projections.PromptsState, request uint64, p projections.PromptState) (it Item, ok bool) {
	newest, _ := all.Last()
	it = Item{Kind: Since, Seq: p.Seq, Text: p.Text, Times: 1}
	switch {
	case p.Compact && p.Seq == newest.Seq:
		it.Kind = WithCompact
	case p.Seq == request:
		it.Kind, it.Open, it.Detail = Prompt, openParts(f, p.Text, p.Seq), repliesTo(f, p.Seq, replied(p))
		if logs := shortLogs(p.Text); it.Open == "" && logs != "" {
			it.Open, it.Most = logs, maxLogs
		}
	}
	return it, p.Seq >= request
}

// shortenOlder makes a Brief of each earlier request with little content. It bounds the requests that are not among the newest, and
// sorts these by tier and length. items are sorted, newest first.
func shortenOlder(items []Item) []Item {
	for i, it := range items {
		if it.Kind == Earlier && isBrief(it.Text) {
			items[i].Kind, items[i].Detail = Brief, ""
			if it.Tier == 0 && it.Detail != "" && promptsRead.get(it.Text).reply && !strings.HasPrefix(it.Text, "/") {
				items[i].Tier, items[i].Detail = Useful, endWords(it.Detail, maxDetail)
			}
		}
	}
	others := items[min(len(items), earlier.Text.Tiers.First):]
	for i := range others {
		if others[i].Kind == Earlier {
			others[i].Most = maxOlder
		}
	}
	slices.SortStableFunc(others, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(text.Units(a.Text), text.Units(b.Text)))
	})
	return items
}

// endWords returns the end of a text within some UTF-16 units. It begins with a whole word if one begins near there.
func endWords(s string, units int) string {
	end := text.EndUnits(s, units)
	if first := strings.IndexByte(end, ' '); end != s && first > 0 && first < units/4 {
		return "…" + end[first:]
	}
	return end
}

// firstRequest returns the sequence of the first prompt that is more than a reply, a greeting or a command of the
// client; 0 for none.
func firstRequest(all projections.PromptsState) uint64 {
	for p := range all.All() {
		if !promptsRead.get(p.Text).reply {
			return p.Seq
		}
	}
	return 0
}

// stopped is the State of an earlier request whose turn the person interrupted.
const stopped = "stopped"

// replied returns the text that a prompt replies to: the question, and the options that the prompt names.
func replied(p projections.PromptState) string { return strings.TrimSpace(p.Asked + "\n" + p.Choice) }

// declarePrompts declares a kind of prompts whose items come with those of Prompt. id is the prefix of their ids.
func declarePrompts(kind, id Kind, text Text) *Def {
	return declare(Def{Kind: kind, CountedAs: Prompt, ID: string(id), Text: text, Audit: promptAudit})
}

// WithCompact is the prompt that came with the command that compacted, if it is the newest. It comes with the items of
// Prompt.
const WithCompact Kind = "with-compact"

var _ = declarePrompts(WithCompact, Earlier, Text{
	Form: Quote, Units: 300, Whole: 1000, KeepBothEnds: true, Reserve: 3000, Top: true, Tiers: Tiers{Best: Vital, First: 1}, Unasked: true,
})

// Standing is an earlier prompt with an instruction that holds until the person lifts it. Its items come with those of
// Prompt.
const Standing Kind = "standing"

// shortReply bounds a reply that is the text of an Answer, in UTF-16 units.
const shortReply = 100

var _ = declarePrompts(Standing, Earlier, Text{
	Form: Saying, Units: 150, KeepBothEnds: true, Newest: true, Tiers: Tiers{Best: Vital, First: 4, Second: 20}, Unasked: true,
})

// Since is a prompt of the newest turn after its request, or the words of a refusal in it. Its items come with those of
// Prompt and Refusal.
const Since Kind = "since"

var _ = declarePrompts(Since, Since, Text{
	Form: Saying, Units: 150, Whole: 300, KeepBothEnds: true, Tiers: Tiers{Best: Vital, First: 3, Second: 100}, Unasked: true,
})

// First is the person's first request, which often states the purpose of all work. Its items come with those of Prompt.
const First Kind = "first"

var _ = declarePrompts(First, First, Text{
	Form: Quote, Units: 300, KeepBothEnds: true, Reserve: 2000, Tiers: Tiers{Best: Likely, First: 1}, Unasked: true,
})

// Earlier is an earlier request of the person. Its items come with those of Prompt.
const Earlier Kind = "earlier"

var earlier = declarePrompts(Earlier, Earlier, Text{
	Form: Saying, Units: 150, KeepBothEnds: true, Newest: true, Tiers: Tiers{Best: Likely, First: 3, Second: 200}, Unasked: true,
})

// Bounds of requests in a text, in UTF-16 units.
const (
	maxEarlier = 300  // of an earlier one
	maxPasted  = 200  // of one that is mostly a pasted output
	maxLogs    = 2500 // of the newest one with a structured log
	maxOlder   = 110  // of one that is not among the newest
)

// Brief is an earlier request with little content: a reply, a few words, an answered question. Its items come with
// those of Prompt.
const Brief Kind = "brief"

const (
	briefUnits = 64 // bounds a Brief in a text, in UTF-16 units
	briefWords = 25 // length up to which a request has little content by itself, in UTF-16 units
)

var _ = declarePrompts(Brief, Earlier, Text{
	Form: Saying, Units: briefUnits, Cap: briefUnits, Newest: true, Tiers: Tiers{Best: Spare}, Unasked: true,
})

// isBrief reports whether an earlier request has little content: it is a reply, a few words, or a question without an
// objection. A standing instruction is never brief.
func isBrief(prompt string) bool {
	p := promptsRead.get(prompt)
	return !p.standing && (p.reply || text.Units(prompt) <= briefWords || p.asks && !p.objects)
}

// Bounds that tell a pasted output from a person's own words.
const (
	minOutput   = 300  // least length of a pasted output, in UTF-16 units
	outputShare = 0.6  // least share of the output in the prompt
	proseShare  = 0.85 // least share of words among the space-separated fields of a line of prose
)

// Own returns the person's own words in a prompt that is mostly a pasted output: the prose before and after it. It returns
// other prompts whole.
func Own(prompt string) string {
	if len(prompt) < minOutput {
		return prompt
	}
	var lines []string
	units, first, last, fenced := 0, -1, -1, false // first and last are indexes in lines of the output
	for line := range strings.Lines(prompt) {
		line = strings.TrimSpace(line)
		mark := strings.HasPrefix(line, "```")
		isOutput := fenced || mark || line != "" && !isProse(line)
		if mark {
			fenced = !fenced
		}
		if isOutput {
			units += text.Units(line)
			if first < 0 {
				if lead := leading(line); lead != "" {
					lines = append(lines, lead)
				}
				first = len(lines)
			}
			last = len(lines)
		}
		lines = append(lines, line)
	}
	if units < minOutput || float64(units) < outputShare*float64(text.Units(prompt)) {
		return prompt
	}
	after := lines[last+1:]
	for len(after) > 0 && after[0] != "" { // the output ends at an empty line
		after = after[1:]
	}
	return strings.TrimSpace(strings.Join(append(lines[:first:first], after...), "\n"))
}

// leading returns the words before an output on its first line: "it fails: {".
func leading(line string) string {
	end := strings.IndexAny(line, "{[<")
	if end < 0 {
		return ""
	}
	lead := strings.TrimSpace(line[:end])
	if !strings.HasSuffix(lead, ":") || !isProse(lead) {
		return ""
	}
	return lead
}

// isProse reports whether a line is prose: most of its fields are words. An empty line is prose.
func isProse(line string) bool {
	fields := strings.Fields(line)
	words := 0
	for _, f := range fields {
		f = strings.TrimFunc(f, func(r rune) bool { return strings.ContainsRune(".,;:!?()\"'`*…。、！？「」", r) })
		if f != "" && !strings.ContainsFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("'’-.、。！？「」", r) }) || isUnspaced(f) {
			words++
		}
	}
	return float64(words) >= proseShare*float64(len(fields))
}

// isUnspaced reports whether a field is prose of a language without spaces: more than half of it are Han or Kana letters. Such a field is
// a sentence, with any punctuation and numbers.
func isUnspaced(field string) bool {
	letters := 0
	for _, r := range field {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー' {
			letters++
		}
	}
	return letters > utf8.RuneCountInString(field)/2
}
