package knowledge

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"journal/events"
	"journal/events/text"
	"journal/projections"
)

// Prompt is the newest request of the person, with the text that it replies to.
const Prompt Kind = "prompt"

// promptAudit serves the newest request and the earlier ones.
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
		Form: Quote, Units: 300, Whole: 1000, Detail: 640, Ends: true, Reserve: 6200, Top: true,
		Tiers: Tiers{Best: Vital, First: 1}, Summary: true,
	},
	Audit: promptAudit,
})

// repliesTo returns the text that a request replies to. It is empty for the plan that the request approved: that is an
// item of its own.
func repliesTo(f *projections.Fold, request uint64, asked string) string {
	plan := projections.Plan.In(f)
	title, _, _ := strings.Cut(strings.TrimSpace(plan.Text), "\n")
	if title != "" && plan.Seq > request && strings.Contains(text.Line(asked), text.Line(title)) {
		return ""
	}
	return asked
}

// prompts lists the request of the turn and later prompts of the turn, then the newest earlier requests, then the
// others by length: short ones cost little. Replies to an unknown question are in no text. A reply that chose an option
// is an answer, and a standing instruction has a kind of its own. A repeated prompt, such as "go on", is listed at its
// last repetition. So has the very first prompt that asks for something: it often states the purpose of all work.
func prompts(f *projections.Fold) []Item {
	all := projections.Prompts.In(f)
	request, _ := all.Request()
	var turn, choices []Item
	items := make([]Item, 0, all.Len())
	index := map[[2]string]int{} // text and what it replies to → position in items
	left, newer := all.Len(), ""
	task, begin := taskOf(f), firstRequest(all)
	for p := range all.Backward() {
		left--
		words := [2]string{strings.ToLower(text.Line(p.Text))}
		again := strings.HasPrefix(newer, words[0]) && text.Units(p.Text) > briefWords // typed again, or with more words
		newer = words[0]
		switch {
		case p.Seq == task.Seq || p.Text == task.Text, again && p.Seq != request.Seq && p.Seq != begin:
			continue
		case p.Compact && left+1 == all.Len():
			turn = append(turn, Item{Kind: WithCompact, Seq: p.Seq, Text: p.Text, Times: 1})
			continue
		case p.Seq > request.Seq:
			turn = append(turn, Item{Kind: Since, Seq: p.Seq, Text: p.Text, Times: 1})
			continue
		case p.Seq == request.Seq:
			turn = append(turn, Item{
				Kind: Prompt, Seq: p.Seq, Text: p.Text, Open: openParts(f, p.Text, p.Seq), Detail: repliesTo(f, p.Seq, replied(p)), Times: 1,
			})
			continue
		}
		if p.Reply() || p.Choice != "" {
			words[1] = replied(p)
		}
		i, listed := index[words]
		if !listed && p.Text == request.Text && words[1] == "" {
			continue
		}
		if !listed {
			i = len(items)
			index[words] = i
			items = append(items, Item{Kind: Earlier, Seq: p.Seq, Text: p.Text, Detail: words[1]})
		}
		it := &items[i]
		it.Times++
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
		case listed:
		case p.Choice != "" && text.Units(p.Text) <= shortReply:
			choices = append(choices, Item{
				Kind: Answer, Tier: Likely, Seq: p.Seq, At: p.At, Text: p.Text + ": " + text.Line(p.Choice), Detail: p.Asked, Weak: true, Holds: []string{it.ID()},
			})
			it.Tier = Unlisted
		case p.Asked == "" && promptsRead.get(p.Text).reply && !accepts(p.Text):
			it.Tier = Unlisted // nobody knows what it replies to
		case promptsRead.get(p.Text).holds && !isLifted(p.Text, all, p.Seq):
			it.Kind = Standing
		}
	}
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
	return slices.Concat(turn, items, choices)
}

// endWords returns the end of a text in whole words.
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

// replied returns what a prompt replies to: the question, and the options that it names.
func replied(p projections.PromptState) string { return strings.TrimSpace(p.Asked + "\n" + p.Choice) }

// WithCompact is what the person said with the command that compacted, if they said nothing since. It comes with the
// items of Prompt.
const WithCompact Kind = "with-compact"

var _ = declare(Def{
	Kind: WithCompact, CountedAs: Prompt, ID: string(Earlier),
	Text: Text{
		Form: Quote, Units: 300, Whole: 1000, Ends: true, Reserve: 3000, Top: true, Tiers: Tiers{Best: Vital, First: 1}, Summary: true,
	},
	Audit: promptAudit,
})

// Standing is an earlier prompt with an instruction that holds until the person lifts it. Its items come with those of
// Prompt.
const Standing Kind = "standing"

// shortReply bounds a reply that is part of an answer, in UTF-16 units.
const shortReply = 100

var _ = declare(Def{
	Kind: Standing, CountedAs: Prompt, ID: string(Earlier),
	Text: Text{
		Form: Saying, Units: 150, Ends: true, Newest: true, Tiers: Tiers{Best: Vital, First: 4, Second: 20}, Summary: true,
	},
	Audit: promptAudit,
})

// Since is a prompt of the turn after its request. Its items come with those of Prompt.
const Since Kind = "since"

var _ = declare(Def{
	Kind: Since, CountedAs: Prompt,
	Text: Text{
		Form: Saying, Units: 150, Whole: 300, Ends: true, Tiers: Tiers{Best: Vital, First: 3, Second: 100}, Summary: true,
	},
	Audit: promptAudit,
})

// First is the person's very first request: it often states the purpose of all work. Its items come with those of
// Prompt.
const First Kind = "first"

var _ = declare(Def{
	Kind: First, CountedAs: Prompt,
	Text: Text{
		Form: Quote, Units: 300, Ends: true, Reserve: 2000, Tiers: Tiers{Best: Likely, First: 1}, Summary: true,
	},
	Audit: promptAudit,
})

// Earlier is an earlier request of the person. Its items come with those of Prompt.
const Earlier Kind = "earlier"

var earlier = declare(Def{
	Kind: Earlier, CountedAs: Prompt,
	Text: Text{
		Form: Saying, Units: 150, Ends: true, Newest: true, Summary: true,
		Tiers: Tiers{Best: Likely, First: 3, Second: 200},
	},
	Audit: promptAudit,
})

// Bounds of an earlier request, of one that is mostly a pasted output, and of those before the newest ones, in UTF-16
// units.
const (
	maxEarlier = 300
	maxPasted  = 200
	maxOlder   = 140
)

// Brief is an earlier request with little content: a reply, a few words, an answered question. Its items come with
// those of Prompt.
const Brief Kind = "brief"

// briefUnits bounds a Brief in a text; a request of at most briefWords has little content by itself. Both are UTF-16
// units.
const (
	briefUnits = 64
	briefWords = 25
)

var _ = declare(Def{
	Kind: Brief, CountedAs: Prompt, ID: string(Earlier),
	Text: Text{
		Form: Saying, Units: briefUnits, Cap: briefUnits, Newest: true, Summary: true,
		Tiers: Tiers{Best: Spare},
	},
	Audit: promptAudit,
})

// isBrief reports whether an earlier request has little content left.
func isBrief(prompt string) bool {
	p := promptsRead.get(prompt)
	return !p.standing && (p.reply || text.Units(prompt) <= briefWords || p.asks && !p.objects)
}

// Measures of a pasted output, in UTF-16 units, and of a line of prose.
const (
	minOutput   = 300
	outputShare = 0.6  // of the text
	proseShare  = 0.85 // share of the space-separated fields that are words
)

// Own returns the person's own words in a prompt that is mostly a pasted output: the prose before and after it. It
// returns other prompts whole.
func Own(prompt string) string {
	if len(prompt) < minOutput {
		return prompt
	}
	var lines []string
	units, first, last, fenced := 0, -1, -1, false
	for line := range strings.Lines(prompt) {
		line = strings.TrimSpace(line)
		mark := strings.HasPrefix(line, "```")
		isOutput := fenced || mark || line != "" && !isProse(line)
		fenced = fenced != mark
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
	behind := lines[last+1:]
	for len(behind) > 0 && behind[0] != "" { // the end of the output itself
		behind = behind[1:]
	}
	return strings.TrimSpace(strings.Join(append(lines[:first:first], behind...), "\n"))
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

// isProse reports whether a line is prose: words and punctuation, with hardly any numbers or names of programs.
func isProse(line string) bool {
	fields := strings.Fields(line)
	words := 0
	for _, f := range fields {
		f = strings.TrimFunc(f, func(r rune) bool { return strings.ContainsRune(".,;:!?()\"'`*…。、！？「」", r) })
		if f != "" && !strings.ContainsFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("'’-.、。！？「」", r) }) {
			words++
		}
	}
	return float64(words) >= proseShare*float64(len(fields))
}
