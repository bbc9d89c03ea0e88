package projections

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"journal/events/text"
)

// Bounds, in UTF-16 units where no other unit is named.
const (
	maxReply   = 24   // of a prompt that only replies, as PromptState.Reply
	maxTerse   = 110  // of a prompt that may need the question before it
	maxPointer = 350  // of a prompt that may point to something before it
	maxNaming  = 500  // of a prompt that may name an option
	maxAnswer  = 6000 // of the end of an answer, which has the questions to which the next prompt may reply
	maxBefore  = 360  // of a question or the end of an answer
	maxHead    = 160  // of the line that lineAbout returns, in front of the end of an answer
	maxOptions = 600  // of a question with all its options
	maxOption  = 400  // of one named option
	maxChoice  = 900  // of all named options
	maxNamed   = 30   // options that a prompt names: more would leave each of them too few of the units of maxChoice
	minID      = 4    // bytes of a label that needs no word beside it, such as the id of a comment
)

// labelPattern matches the label of an option: a number, a letter, a number in a circle.
const labelPattern = `[0-9]{1,2}|[A-Za-z]|[①-⑨]`

var (
	// optionLine matches the first line of an option: "2. …", "**Option B: …", "(c) …", "2안: …", "| A | …". Its groups are the
	// indentation, the marks of a heading, those of bold text, a word such as "option", and the label.
	optionLine = text.Pattern(`^(\s*)(?:[-*+>|]\s+)?(#{1,6}\s+)?(\*\*|__)?(?i:(option|approach|choice|alternative|옵션|선택지|방안|案|選択肢|オプション)\s*)?[(（]?(` + labelPattern + `)\s?(?:안|案|번|番)?(?:\*\*|__)?(?:(?:[.):：、）]|\s*[—–|-])(?:\s|\*\*|[^\x00-\x7f]|$)|\s+[(（]|$)`)
	// inlineOption matches the mark of an option within a line: "(a) …", "B) …", "#2 (…)".
	inlineOption = text.Pattern(`(?:^|[\s,;:：、])(?:[(（]?([0-9A-Za-z])[)）]\s*|#([0-9]{1,2})\s)`)

	// The patterns below match the options that a prompt names: namedFirst at its beginning, namedNext after another option,
	// namedAnywhere with a word such as "option". namedAll matches words for all options or all others, ordinal a position.
	namedFirst    = text.Pattern(`^(?i:(?:yes|yeah|yep|ok|okay|no|nope|sorry|actually|wait|네|응|아니|아니요|はい|うん|いや|いいえ)[\s,.、]+)*(?i:i (?:think|guess|believe|prefer|like) )?[("'*]*(` + labelPattern + `)(?:[.,):;=+&/!?"'*—–、。]|\s*$|\s*(?:번|안|案|番)|\s+(?i:and|or|then|please|pls|with|but|is|sounds|looks|it|for now|seems)\b|\s*[+&—–]|[^\x00-\x7f])`)
	namedNext     = text.Pattern(`^[.)\s]*(?:[+&,/、]|(?i:and)\s|와|과|하고|と|や)\s*(` + labelPattern + `)(?:[^0-9A-Za-z]|$)`)
	namedAnywhere = text.Pattern(`(?i:option|approach|choice|alternative|number|skip|except|옵션|선택지|방안|選択肢|オプション)\s*#?([0-9]{1,2}|[A-Za-z])(?:[^0-9A-Za-z]|$)` +
		`|(?i:with|pick|choose|try|take|do|prefer|tackle|fix|handle|address|implement)\s+([0-9]{1,2}|[A-HJ-Zb-hj-z])(?:\s*[,.;:!?=+&)—–]|\s*$|\s+(?i:and|then|please|pls|but|first|since|because)\b)` +
		`|(?:^|[^0-9A-Za-z])(` + labelPattern + `)\s?(?:번|안|案|番)`)
	namedAll = text.Pattern(`(?i)^\W*(?:both|all of (?:them|these)|둘 ?다|모두|両方|全部)(?:\W|[^\x00-\x7f]|$)|\b(?:them all|all of (?:them|these)|everything else|the others|the (?:other|remaining) (?:ones|items|points|options|comments|tasks))\b|\bthe rest(?:\W*$|[^\w\s]|\s+(?:and|then|too|as|please|pls|now|later|first|but|after)\b)|나머지|残り`)
	ordinal  = text.Pattern(`(?i)\bthe (first|second|third)(?: (?:one|option|approach|way))?\W*(?:$|[,.;:—–-])|(첫|두|세) ?번째|(?:([1-3一二三])つ目)`)
	ordinals = map[string]string{"first": "1", "첫": "1", "一": "1", "second": "2", "두": "2", "二": "2", "third": "3", "세": "3", "三": "3"}

	// pointer matches words that point to something before a prompt.
	pointer = text.Pattern(`(?i)\b(?:it|this|that|those|these|them|both|same|current|again)\b|(?:그|이)(?:거|것|걸|게|건)|それ|これ|その|この|同じ`)

	// asking matches a text that asks: it has a question mark, or the ending of a question in Korean or Japanese without a Latin
	// letter or digit behind it. askingLine matches a line with a sentence or word that ends with a question mark, and wantsOutput a
	// text that asks the person to run or show something.
	asking      = text.Pattern(`[?？]|(?:까요|나요|ですか|ますか|しょうか)[.。]?\W*$`)
	askingLine  = text.Pattern(`[?？][*_"'’”)）]*(?:\s|$)`)
	wantsOutput = text.Pattern(`(?i)\b(?:run|try|paste|share|send|show|tell|let me know|let's see|check)\b|(?:실행|확인|붙여|알려)\S*[.。]?$|(?:実行|確認|貼|教え)\S*[.。]?$`)
)

// option is an alternative that an answer offers.
type option struct {
	label, text string
	from, to    int // index of the option's first line in the answer, and of the line behind its last; len(lines) for an inline option
	depth       int // bytes of the option's indentation
}

// replyContext returns the passage of the agent's answer to which a prompt replies, and the options in it that the prompt names.
// Both are empty if the prompt can be understood without them.
func replyContext(prompt, answer string) (asked, choice string) {
	units := text.Units(prompt)
	lines := slices.DeleteFunc(strings.Split(text.Trimmed(answer), "\n"), isRule)
	if answer == "" || len(lines) == 0 {
		return "", ""
	}
	if units > maxNaming {
		return askedFor(prompt, lines), ""
	}
	options := optionsOf(lines)
	choices := options
	if len(options) == 0 {
		choices = tableRows(lines)
	}
	named := namedIn(prompt, choices)
	named = named[:min(len(named), maxNamed)]
	for _, label := range named {
		var texts []string // several rows of a table can have the label
		for _, o := range choices {
			if o.label == label {
				texts = append(texts, o.text)
			}
		}
		choice = strings.TrimSpace(choice + "\n" + text.CutUnits(strings.Join(texts, "\n"), min(maxOption, maxChoice/len(named))))
	}
	switch {
	case choice != "":
		return questionOf(lines, choices), choice
	case units > maxTerse && !pointsBack(prompt):
		return "", ""
	}
	return endOf(lines, options, prompt), ""
}

// minPasted is the fewest line ends of a long prompt that is probably something pasted.
const minPasted = 8

// askedFor returns the end of an answer that asks something of the person, if a long prompt was probably pasted in reply.
func askedFor(prompt string, answer []string) string {
	end := text.EndUnits(text.Line(strings.Join(answer, "\n")), maxBefore)
	pasted := strings.Count(prompt, "\n") >= minPasted
	if pasted && (asking().MatchString(end) || wantsOutput().MatchString(end)) {
		return end
	}
	return ""
}

// pointsBack reports whether a prompt is short and points to something before it, such as "those".
func pointsBack(prompt string) bool {
	return text.Units(prompt) <= maxPointer && pointer().MatchString(prompt)
}

// isRule reports whether a line is the rule of a table between its head and its rows.
func isRule(line string) bool {
	return strings.Contains(line, "|") && strings.Contains(line, "-") && strings.Trim(line, "|-: ") == ""
}

// optionsOf lists the options of an answer. Of several options with one label it lists the least indented, and of equally indented
// ones the last.
func optionsOf(lines []string) (all []option) {
	var found []option
	for i, line := range lines {
		if m := optionLine().FindStringSubmatch(line); m != nil {
			indent, titled, label := m[1], m[2] != "" || m[3] != "" || m[4] != "", m[5]
			end := optionEnd(lines, i, indent, titled)
			found = append(found, option{labelOf(label), strings.TrimSpace(strings.Join(lines[i:end], "\n")), i, end, len(indent)})
		}
	}
	if len(found) == 0 {
		found = inlineOptions(lines)
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

// tableRows lists the rows of the last table of an answer, labelled by their first cells, such as the ids of comments. It leaves out a
// row whose first cell is empty.
func tableRows(lines []string) (all []option) {
	for i, line := range lines {
		switch {
		case !strings.HasPrefix(line, "|"):
		case i == 0 || !strings.HasPrefix(lines[i-1], "|"): // the head of a table
			all = nil
		default:
			label, _, _ := strings.Cut(strings.TrimLeft(line, "| "), "|")
			if label = strings.ToLower(strings.Trim(label, " *#`")); label != "" {
				all = append(all, option{label, line, i, i + 1, 0})
			}
		}
	}
	return all
}

// optionEnd returns the index of the line behind the last line of the option that begins at line i. titled is set if line i looks
// like a title: the option can then have several paragraphs, up to one that asks.
func optionEnd(lines []string, i int, indent string, titled bool) int {
	afterBlank := false
	for end := i + 1; end < len(lines); end++ {
		line := lines[end]
		nextOption := optionLine().MatchString(line) && !strings.HasPrefix(line, indent+" ")
		inner := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ")
		nextParagraph := afterBlank && !inner && (!titled || asking().MatchString(line))
		if nextOption || nextParagraph || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "---") {
			return end
		}
		afterBlank = strings.TrimSpace(line) == ""
	}
	return len(lines)
}

// inlineOptions lists the options within the last line of an answer.
func inlineOptions(lines []string) (all []option) {
	last := lines[len(lines)-1]
	marks := inlineOption().FindAllStringSubmatchIndex(last, -1)
	for i, m := range marks {
		end := len(last)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		label := last[max(m[2], m[4]):max(m[3], m[5])] // -1 for the group that did not match
		all = append(all, option{labelOf(label), strings.Trim(last[m[0]:end], " ,;"), len(lines), len(lines), 0})
	}
	return all
}

// labelOf returns a label in the form in which labels are compared: in lower case, and a number instead of one in a circle.
func labelOf(label string) string {
	if r := []rune(label)[0]; '①' <= r && r <= '⑨' {
		return string('1' + r - '①')
	}
	return strings.ToLower(label)
}

// namedIn lists the labels of the options that a prompt names, each once. With fewer than two options there is no choice, and the
// list is empty.
func namedIn(prompt string, options []option) (labels []string) {
	if len(options) < 2 {
		return nil
	}
	add := func(label string) {
		label = labelOf(label)
		if !slices.Contains(labels, label) && slices.ContainsFunc(options, func(o option) bool { return o.label == label }) {
			labels = append(labels, label)
		}
	}
	addMatch := func(pattern *regexp.Regexp, s string) (behind string) { // empty for no match
		m := pattern.FindStringSubmatchIndex(s)
		if m == nil {
			return ""
		}
		add(s[m[2]:m[3]])
		return s[m[3]:]
	}
	addNext := func(behind string) { // "5, 7 and 8"
		for behind != "" {
			behind = addMatch(namedNext(), behind)
		}
	}
	prompt = strings.TrimSpace(prompt)
	addNext(addMatch(namedFirst(), prompt))
	for _, m := range namedAnywhere().FindAllStringSubmatchIndex(prompt, -1) {
		for group := 2; group < len(m); group += 2 {
			if m[group] >= 0 {
				add(prompt[m[group]:m[group+1]])
				addNext(prompt[m[group+1]:])
			}
		}
	}
	for _, o := range options {
		if len(o.label) >= minID && text.HasWords(prompt, o.label) {
			add(o.label)
		}
	}
	for _, m := range ordinal().FindAllStringSubmatch(prompt, -1) { // only the first counts, and only without a label
		word := strings.ToLower(m[1] + m[2] + m[3])
		if n, ok := ordinals[word]; ok {
			word = n
		}
		if n := int(word[0] - '1'); len(labels) == 0 && n < len(options) {
			add(options[n].label)
		}
	}
	if namedAll().MatchString(prompt) { // also for "skip 2 and do the rest"
		labels = nil
		for _, o := range options {
			add(o.label)
		}
	}
	return labels
}

// questionOf returns the last question of an answer outside of its options, else the last line before the options.
func questionOf(lines []string, options []option) (question string) {
	found := false
	for i, line := range lines {
		within := slices.ContainsFunc(options, func(o option) bool { return o.from <= i && i < o.to })
		before := len(options) > 0 && i < options[0].from && strings.TrimSpace(line) != ""
		switch {
		case !within && asking().MatchString(line):
			question, found = line, true
		case before && !found:
			question = line
		}
	}
	return text.EndUnits(text.Line(strings.TrimLeft(question, "# ")), maxBefore)
}

// endOf returns the last lines of an answer, joined to one line: an agent puts its question there. If they ask nothing, and the answer
// asked shortly before, endOf returns everything from that question on. If the answer did not ask either, the line of the answer that
// is about the prompt stands before the last lines. If they ask and options begin before them, endOf returns the question and all
// options.
func endOf(lines []string, options []option, prompt string) string {
	endAt, room := len(lines)-1, maxBefore-text.Units(lines[len(lines)-1])
	for ; endAt > 0 && text.Units(lines[endAt-1]) < room; endAt-- {
		room -= text.Units(lines[endAt-1]) + 1
	}
	optionsAt := endAt
	if len(options) > 1 && slices.ContainsFunc(options, func(o option) bool { return o.to >= endAt }) {
		for _, o := range options {
			optionsAt = min(optionsAt, o.from)
		}
	}
	end := text.EndUnits(text.Line(strings.Join(lines[endAt:], "\n")), maxBefore)
	asks := asking().MatchString(end)
	asksAt := len(lines) - 1
	for asksAt > 0 && !askingLine().MatchString(lines[asksAt]) {
		asksAt--
	}
	asked := text.Line(strings.Join(lines[asksAt:], "\n"))
	switch {
	case !asks && askingLine().MatchString(lines[asksAt]) && text.Units(asked) <= maxOptions:
		return asked
	case !asks && endAt > 0:
		head := text.CutUnits(text.Line(strings.TrimLeft(lineAbout(prompt, lines[:endAt]), "# ")), maxHead)
		return head + " … " + strings.TrimLeft(text.EndUnits(end, maxBefore-maxHead), "… ")
	case !asks || optionsAt == endAt:
		return end
	}
	question := questionOf(lines, options)
	return text.CutUnits(text.Line(question+"\n"+strings.Replace(strings.Join(lines[optionsAt:], "\n"), question, "", 1)), maxOptions)
}

// A line is about a prompt if they share at least minShared words of at least minWord bytes: shorter words are frequent.
const (
	minWord   = 5
	minShared = 2
)

// lineAbout returns the line of an answer that shares the most words with a prompt, or the first line if none is about the prompt.
func lineAbout(prompt string, lines []string) string {
	words := strings.FieldsFunc(strings.ToLower(prompt), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(words)
	words = slices.DeleteFunc(slices.Compact(words), func(w string) bool { return len(w) < minWord })
	best, most := lines[0], minShared-1
	for _, line := range lines {
		shared, small := 0, strings.ToLower(line)
		for _, w := range words {
			if strings.Contains(small, w) {
				shared++
			}
		}
		if shared > most {
			best, most = line, shared
		}
	}
	return best
}
