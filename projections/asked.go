package projections

import (
	"regexp"
	"slices"
	"strings"

	"journal/events/text"
)

// Bounds of a reply, of a prompt that may need context, of one that may name an option, and of the context: the end of
// an answer, the first line before it, one with all its options, an option of it, and all that the prompt names. They are UTF-16 units.
const (
	maxReply   = 24
	maxTerse   = 110
	maxNaming  = 500
	maxBefore  = 240
	maxHead    = 110
	maxOptions = 600
	maxOption  = 400
	maxChoice  = 1200
)

// maxAnswer bounds the answer that is kept for the next prompt, in UTF-16 units: questions stand at its end.
const maxAnswer = 6000

// labels are the names of an option: a number, a letter, a number in a circle.
const labels = `[0-9]{1,2}|[A-Za-z]|[①-⑨]`

var (
	// optionLine matches the first line of an option: "2. …", "**Option B: …", "(c) …", "2안: …", "| A | …".
	optionLine = text.Pattern(`^(\s*)(?:[-*+>|]\s+)?(#{1,6}\s+)?(\*\*|__)?(?i:(option|approach|choice|alternative|옵션|선택지|방안|案|選択肢|オプション)\s*)?[(（]?(` + labels + `)\s?(?:안|案|번|番)?(?:\*\*|__)?(?:(?:[.):：、）]|\s*[—–|-])(?:\s|\*\*|[^\x00-\x7f]|$)|\s+[(（]|$)`)
	// inlineOption matches the mark of an option within a line: "(a) …", "B) …".
	inlineOption = text.Pattern(`(?:^|[\s,;:：、])[(（]?([0-9A-Za-z])[)）]\s*`)

	// namedFirst, namedNext and named match the options that a prompt names: at its beginning, after one of these, and
	// anywhere.
	namedFirst = text.Pattern(`^(?i:(?:yes|yeah|yep|ok|okay|네|응|はい|うん)[\s,.、]+)?[("'*]*(` + labels + `)(?:[.,):;=+&/!?"'*—–、。]|\s*$|\s*(?:번|안|案|番)|\s+(?i:and|or|then|please|pls|with|but|is|sounds|looks|it|for now|seems)\b|\s*[+&—–]|[^\x00-\x7f])`)
	namedNext  = text.Pattern(`^[.)\s]*(?:[+&,/、]|(?i:and)\s|와|과|하고|と|や)\s*(` + labels + `)(?:[^0-9A-Za-z]|$)`)
	named      = text.Pattern(`(?i:option|approach|choice|alternative|number|skip|except|옵션|선택지|방안|選択肢|オプション)\s*#?([0-9]{1,2}|[A-Za-z])(?:[^0-9A-Za-z]|$)` +
		`|(?i:with|pick|choose|try|take|do|prefer)\s+([0-9]{1,2}|[A-HJ-Zb-hj-z])(?:\s*[,.;:!?=+&)—–]|\s*$|\s+(?i:and|then|please|pls|but|first|since|because)\b)` +
		`|(?:^|[^0-9A-Za-z])(` + labels + `)\s?(?:번|안|案|番)`)
	namedAll = text.Pattern(`(?i)^\W*(?:both|all of (?:them|these)|둘 ?다|모두|両方|全部)(?:\W|[^\x00-\x7f]|$)|\b(?:them all|all of (?:them|these)|the rest|the others?|everything else|the remaining)\b|나머지|残り`)
	ordinal  = text.Pattern(`(?i)\bthe (first|second|third)(?: (?:one|option|approach|way))?\W*(?:$|[,.;:—–-])|(첫|두|세) ?번째|(?:([1-3一二三])つ目)`)
	ordinals = map[string]string{"first": "1", "첫": "1", "一": "1", "second": "2", "두": "2", "二": "2", "third": "3", "세": "3", "三": "3"}

	// asksAtEnd matches a line that asks.
	asksAtEnd = text.Pattern(`[?？]|(?:까요|나요|ですか|ますか|しょうか)[.。]?\W*$`)
)

// option is one of the things to choose from that an answer lists.
type option struct {
	label, text string
	from, to    int // lines of the answer
	depth       int // of its indentation
}

// asking returns what a prompt replies to in an answer, and the options of it that the prompt names; both are empty for
// a prompt that needs neither.
func asking(prompt, answer string) (asked, choice string) {
	units := text.Units(prompt)
	if answer == "" || units > maxNaming {
		return "", ""
	}
	lines := slices.DeleteFunc(strings.Split(text.Trimmed(answer), "\n"), isRule)
	if len(lines) == 0 {
		return "", ""
	}
	options := optionsOf(lines)
	named := namedIn(prompt, options)
	for _, label := range named {
		i := slices.IndexFunc(options, func(o option) bool { return o.label == label })
		choice = strings.TrimSpace(choice + "\n" + text.CutUnits(options[i].text, min(maxOption, maxChoice/len(named))))
	}
	switch {
	case choice != "":
		return questionOf(lines, options), choice
	case units > maxTerse:
		return "", ""
	}
	return endOf(lines, options), ""
}

// isRule reports whether a line only separates the head of a table from its rows.
func isRule(line string) bool {
	return strings.Contains(line, "|-") && strings.Trim(line, "|-: ") == ""
}

// optionsOf lists the options of an answer, each label once: the last of those that are indented least.
func optionsOf(lines []string) (all []option) {
	var found []option
	for i, line := range lines {
		m := optionLine().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		titled := m[2] != "" || m[3] != "" || m[4] != ""
		end := i + 1
		for blank := false; end < len(lines); end++ {
			next := lines[end]
			inner := strings.HasPrefix(next, " ") || strings.HasPrefix(next, "\t") || strings.HasPrefix(next, "- ") || strings.HasPrefix(next, "* ")
			if optionLine().MatchString(next) && !strings.HasPrefix(next, m[1]+" ") || strings.HasPrefix(next, "#") || strings.HasPrefix(next, "---") ||
				blank && !inner && (!titled || asksAtEnd().MatchString(next)) {
				break
			}
			blank = strings.TrimSpace(next) == ""
		}
		found = append(found, option{labelOf(m[5]), strings.TrimSpace(strings.Join(lines[i:end], "\n")), i, end, len(m[1])})
	}
	if len(found) == 0 && len(lines) > 0 {
		last := lines[len(lines)-1]
		marks := inlineOption().FindAllStringSubmatchIndex(last, -1)
		for i, m := range marks {
			end := len(last)
			if i+1 < len(marks) {
				end = marks[i+1][0]
			}
			found = append(found, option{labelOf(last[m[2]:m[3]]), strings.Trim(last[m[0]:end], " ,;"), len(lines), len(lines), 0})
		}
	}
	for _, o := range found {
		i := slices.IndexFunc(all, func(other option) bool { return other.label == o.label })
		switch {
		case i < 0:
			all = append(all, o)
		case o.depth <= all[i].depth:
			all[i] = o
		}
	}
	return all
}

// labelOf returns a label as it is compared: in lower case, and a plain number for one in a circle.
func labelOf(label string) string {
	if r := []rune(label)[0]; r >= '①' {
		return string('1' + r - '①')
	}
	return strings.ToLower(label)
}

// namedIn lists the labels of the options that a prompt names, in its order, each once.
func namedIn(prompt string, options []option) (names []string) {
	if len(options) < 2 {
		return nil
	}
	name := func(label string) {
		label = labelOf(label)
		if !slices.Contains(names, label) && slices.ContainsFunc(options, func(o option) bool { return o.label == label }) {
			names = append(names, label)
		}
	}
	after := func(mark *regexp.Regexp, s string) string {
		m := mark.FindStringSubmatchIndex(s)
		if m == nil {
			return ""
		}
		name(s[m[2]:m[3]])
		return s[m[3]:]
	}
	prompt = strings.TrimSpace(prompt)
	for rest := after(namedFirst(), prompt); rest != ""; {
		rest = after(namedNext(), rest)
	}
	for _, m := range named().FindAllStringSubmatchIndex(prompt, -1) {
		for group := 2; group < len(m); group += 2 {
			if m[group] < 0 {
				continue
			}
			name(prompt[m[group]:m[group+1]])
			for rest := prompt[m[group+1]:]; rest != ""; { // "skip 5, 7 and 8"
				rest = after(namedNext(), rest)
			}
		}
	}
	for _, m := range ordinal().FindAllStringSubmatch(prompt, -1) {
		word := strings.ToLower(m[1] + m[2] + m[3])
		if n, ok := ordinals[word]; ok {
			word = n
		}
		if n := int(word[0] - '1'); len(names) == 0 && n < len(options) {
			name(options[n].label)
		}
	}
	if namedAll().MatchString(prompt) { // "skip 2 and do the rest": all of them
		names = nil
		for _, o := range options {
			name(o.label)
		}
	}
	return names
}

// questionOf returns the last question of an answer outside of its options, else the line before these.
func questionOf(lines []string, options []option) (question string) {
	asks := false
	for i, line := range lines {
		within := slices.ContainsFunc(options, func(o option) bool { return o.from <= i && i < o.to })
		before := !asks && len(options) > 0 && i < options[0].from && strings.TrimSpace(line) != ""
		if ask := !within && asksAtEnd().MatchString(line); ask || before {
			question, asks = line, asks || ask
		}
	}
	return text.EndUnits(text.Line(strings.TrimLeft(question, "# ")), maxBefore)
}

// endOf returns the end of an answer on one line, in whole lines: an agent puts its question there. If the options to
// choose from begin before it, they are all returned, behind the question.
func endOf(lines []string, options []option) string {
	from, room := len(lines)-1, maxBefore-text.Units(lines[len(lines)-1])
	for ; from > 0 && text.Units(lines[from-1]) < room; from-- {
		room -= text.Units(lines[from-1]) + 1
	}
	first := from
	if len(options) > 1 && slices.ContainsFunc(options, func(o option) bool { return o.to >= from }) {
		for _, o := range options {
			first = min(first, o.from)
		}
	}
	end := text.EndUnits(text.Line(strings.Join(lines[from:], "\n")), maxBefore)
	if !asksAtEnd().MatchString(end) && from > 0 { // it reports something: its first line says what
		head := text.CutUnits(text.Line(strings.TrimLeft(lines[0], "# ")), maxHead)
		return head + " … " + strings.TrimLeft(text.EndUnits(end, maxBefore-maxHead), "… ")
	}
	if first == from || !asksAtEnd().MatchString(end) {
		return end
	}
	question := questionOf(lines, options)
	return text.CutUnits(text.Line(question+"\n"+strings.Replace(strings.Join(lines[first:], "\n"), question, "", 1)), maxOptions)
}
