package match

import (
	"slices"
	"strings"

	"journal/events/text"
)

// quotation is an entry of a summary's list of the person's messages, or a text between quotation marks.
type quotation struct {
	listed bool
	parts  []span   // its words, split where something was left out
	about  []string // what the summary says about the parts left out
}

// span is a run of tokens of a summary.
type span struct{ from, to int }

// messages matches the heading of the list of the person's messages.
var messages = text.Pattern(`(?i)(user|human|person)('s)? (messages|prompts|requests|said|asked)|messages (of|from) the user|사용자 ?(메시지|메세지|요청)|ユーザー?の?(メッセージ|発言|要求)`)

// omission matches a mark for words that were left out of a quotation.
var omission = text.Pattern(`\.\.\.+|…|\[[^\]\n]*\]`)

// quotationsOf lists the quotations of a summary.
func (s *summary) quotationsOf() (all []quotation) {
	text := s.text[s.from:s.to]
	under := -1 // the section's heading
	for i, l := range s.lines {
		body := text[l.from:l.to]
		if l.code || body == "" {
			continue
		}
		if under >= 0 && l.depth <= s.lines[under].depth {
			under = -1
		}
		if under < 0 && len(body) < 80 && messages().MatchString(body) {
			under = i
			continue
		}
		quotes := quotesIn(body)
		if under >= 0 && len(quotes) == 0 {
			quotes = []span{{0, len(body)}}
		}
		for _, q := range quotes {
			all = append(all, s.quotation(l.from+q.from, l.from+q.to, under >= 0))
		}
	}
	return all
}

// quotesIn finds the quotations of a line, in bytes, by English, Korean and Japanese marks.
func quotesIn(line string) (all []span) {
	from := -1
	for i, r := range line {
		switch {
		case compatible(r) != '"':
		case from < 0:
			from = i + len(string(r))
		default:
			all = append(all, span{from, i})
			from = -1
		}
	}
	return all
}

func (s *summary) quotation(from, to int, listed bool) quotation {
	text := s.text[s.from:s.to]
	q := quotation{listed: listed}
	at := from
	part := func(end int) {
		first, _ := slices.BinarySearchFunc(s.tokens, at, func(t token, n int) int { return t.from - n })
		last := first
		for last < len(s.tokens) && s.tokens[last].to <= end {
			last++
		}
		if last > first {
			q.parts = append(q.parts, span{first, last})
		}
	}
	for _, cut := range omission().FindAllStringIndex(text[from:to], -1) {
		part(from + cut[0])
		at = from + cut[1]
		q.about = append(q.about, strings.Trim(text[from+cut[0]:at], ".…[]"))
	}
	part(to)
	return q
}

// The fewest words with weight
const (
	minQuoted   = 3 // of a shortened quotation
	distinctive = 5 // of one that fits no other text
)

// quoted matches a text that the summary quotes, whole or shortened.
func (m *Matcher) quoted(it *said) *Match {
	var at []int
	for _, t := range it.tokens {
		at = append(at, m.summary.quoting[t.form]...)
	}
	slices.Sort(at)
	for _, i := range slices.Compact(at) {
		q := m.summary.quotations[i]
		if !m.quotes(q, it) {
			continue
		}
		first, last := q.parts[0], q.parts[len(q.parts)-1]
		return m.summary.match("quoted", m.summary.tokens[first.from].from, m.summary.tokens[last.to-1].to, 1)
	}
	return nil
}

func (m *Matcher) quotes(q quotation, it *said) bool {
	whole := len(q.parts) == 1 && len(q.about) == 0
	at, weight, n := 0, 0, 0
	for i, p := range q.parts {
		words := m.summary.tokens[p.from:p.to]
		found := indexForms(it.tokens[at:], words, len(q.about) > i)
		if found < 0 || i == 0 && found > 0 && found != it.title {
			return false
		}
		at += found + len(words)
		n += len(words)
		for _, t := range words {
			if !weightless(t) {
				weight++
			}
		}
	}
	switch {
	case whole && n == len(it.tokens):
		return q.listed || weight >= minQuoted
	case weight < minQuoted || whole && !it.endsAt(at, n):
		return false
	}
	return weight >= distinctive || it.describes(q.about)
}

// endsAt reports whether n words that end before the at-th one stand for the whole text: they are nearly all of it, or
// end with a clause.
func (it *said) endsAt(at, n int) bool {
	share := float64(n) / float64(len(it.tokens))
	border := at < len(it.tokens) && it.tokens[at].clause != it.tokens[at-1].clause
	return share >= enough || border
}

// describes reports whether the summary's words about the parts left out fit a text: "[plan for the notifier]" is no
// plan for the export.
func (it *said) describes(about []string) bool {
	words, in := 0, 0
	for _, a := range about {
		for _, t := range tokens(a) {
			if weightless(t) || describing.has(t) {
				continue
			}
			words++
			if slices.ContainsFunc(it.tokens, func(o token) bool { return same(t, o) || same(o, t) }) {
				in++
			}
		}
	}
	return 2*in >= words
}

// indexForms returns the index of words among others, -1 for none. If cut is set, the last word may be shortened.
func indexForms(all, words []token, cut bool) int {
	for i := 0; i+len(words) <= len(all); i++ {
		last := len(words) - 1
		if sameForms(all[i:], words, true) || cut && last > 0 && sameForms(all[i:], words[:last], true) && strings.HasPrefix(all[i+last].form, words[last].form) {
			return i
		}
	}
	return -1
}

// minTyped is the fewest bytes of a word that is still known with a typing error.
const minTyped = 6

// mistyped reports whether one letter of a word is wrong, missing or too many.
func mistyped(word, right token) bool {
	a, b := word.form, right.form
	if word.script != latin || right.script != latin || min(len(a), len(b)) < minTyped {
		return false
	}
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return a[min(1, len(a)):] == b[min(1, len(b)):] || a == b[min(1, len(b)):] || b == a[min(1, len(a)):]
}

// sameForms reports whether words begin with some others. If quoted is set, those may correct typing errors.
func sameForms(words, others []token, quoted bool) bool {
	for i := range others {
		if words[i].form != others[i].form && !(quoted && mistyped(words[i], others[i])) {
			return false
		}
	}
	return true
}

// titled matches a pasted text by its title.
func (m *Matcher) titled(it *said) *Match {
	for line := range strings.Lines(it.text) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			found := m.text(m.keep.said(title), -1, Item{})
			if found != nil {
				found.Rule = "title"
			}
			return found
		}
	}
	return nil
}
