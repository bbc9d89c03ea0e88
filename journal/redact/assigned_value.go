package redact

import "strings"

// This file finds the values that a sign such as a colon joins to a name, and decides whether they are secrets.

// namedValue is a name in a text, and its value.
type namedValue struct {
	text string
	name
	value int // index in text at which the value begins, or the blanks before it
	sense sense
}

// find returns the span of the value if it is a secret, else -1, -1.
func (n namedValue) find() (from, to int) {
	if n.sense.how == byScheme {
		return n.credentials()
	}
	s := n.text
	value, below := n.value, false
	if !n.cell {
		value, below = nextLine(s, n.value)
	}
	if first, paragraph, end := blockScalar(s, n.start, n.value); first >= 0 {
		if from, to = n.sense.judge(s, first, paragraph); from >= 0 {
			to = end
		}
		return from, to
	}
	from = value + constructor(s[value:])
	q, width := opening(s[from:])
	bracketed := false // the value is a list
	if _, w := opening(s[min(len(s), from+1):]); q.close == "" && w > 0 && s[from] == '[' {
		from, bracketed = from+1, true
		q, width = opening(s[from:])
	}
	switch from += width; {
	case n.tag, n.sense.how != byShape && inElement(s[from:]):
		return n.element(from - width)
	case q.close != "":
		return n.quoted(q, from, bracketed)
	case strings.HasPrefix(s[from:], "{{"), strings.HasPrefix(s[from:], ")") && !alnum.has(s[min(from+1, len(s)-1)]), n.query && strings.HasPrefix(s[from:], "${"):
		return -1, -1 // a template, or the end of a group in a pattern
	case n.call, strings.HasPrefix(s[from:], "{") && !n.isBracedPassword(from), strings.HasPrefix(s[from:], "process.env."):
		return findBehind(s, n.start, n.stop)
	case below:
		return n.onNextLine(from)
	case n.cell:
		return n.inCell(from)
	}
	return n.bare(from)
}

// isBracedPassword reports whether the value at from is that of a constant, and a password that begins with a brace.
func (n namedValue) isBracedPassword(from int) bool {
	line := n.text[from:lineEnd(n.text, from)]
	return n.tight() && n.capitals() && !n.flag && (unclosed(line, "{", "}") || scrambled(clip(line, judged)))
}

// judge returns from and to if text[from:to] is a secret as the value of a name with this sense, else -1, -1.
func (s sense) judge(text string, from, to int) (int, int) {
	v := clip(text[from:to], judged)
	return placeIf(len(v) >= shortestEntry && s.isSecret(v), from, to)
}

// inElement reports whether s begins with an element of HTML in which people write values.
func inElement(s string) bool {
	return s != "" && s[0] == '<' && prefixOf(s, "<b>", "<code>", "<strong>", "<em>", "<kbd>", "<span") > 0
}

const cdata = "<![CDATA["

// element finds the text of the XML element whose start tag ends before from, or of the element at from. A name in brackets without an
// end tag is no element.
func (n namedValue) element(from int) (int, int) {
	s, end := n.text, "<\r\n"
	if i := from + leading(clip(s[from:], longestBlank), " \t\r\n"); i+1 < len(s) && s[i] == '<' && (lower | upper).has(s[i+1]) {
		from = min(len(s), i+1+indexOr(s[i:], ">")) // the text is in another element within
	}
	if strings.HasPrefix(s[from:], cdata) {
		from, end = from+len(cdata), "]\r\n"
	}
	from += leading(clip(s[from:], longestBlank), " \t\r\n")
	to := from + indexOr(s[from:], end)
	if end == "<\r\n" && !strings.HasPrefix(strings.TrimLeft(clip(s[to:], longestBlank), " \t\r\n"), "</") {
		return -1, -1
	}
	return n.senseAsWritten().judge(s, from, to)
}

// quoted finds the value in quotes whose text begins at from. If it is in brackets, the secret reaches up to the last value in
// quotes on the line.
func (n namedValue) quoted(q quote, from int, bracketed bool) (int, int) {
	s := n.text
	if len(q.close) == 3 {
		from += leading(clip(s[from:], 2), "\r\n")
	}
	to := from + q.value(s[from:])
	if bracketed {
		line := clip(s[to:], usualWindow)
		line = line[:indexOr(line, "]\r\n")]
		to += max(0, strings.LastIndex(line, q.close))
	}
	if member := s[n.stop] == q.close[0] && n.start > 0 && s[n.start-1] == s[n.stop]; !member && q.escapes == 0 && n.openQuote() == q.close[0] {
		return -1, -1 // the end of a literal that the name is in: "password=" + x
	}
	onlyBlank := s[n.stop] == ' ' && n.value == n.stop+1 // between name and value
	switch v, rest := clip(s[from:to], judged), clip(s[to:], 3); {
	case onlyBlank && !n.flag && len(rest) == 3 && rest[1] == ' ' && lower.has(rest[2]) && !unmistakablePassword(v), // a sentence
		n.call && wordCount(v) > 1 && !isPhrase(v), // a message
		(onlyBlank || n.tight() && n.start > 0 && s[n.start-1] == '{') && isResource(n.nameText(), v):
		return -1, -1
	}
	return n.senseAsWritten().judge(s, from, to)
}

// onNextLine finds the value at from, on a line below its name. Several words are no value, and neither is a word of prose.
func (n namedValue) onNextLine(from int) (int, int) {
	s := n.text
	to := lineEnd(s, from)
	if n.openQuote() != 0 || n.flag || strings.HasPrefix(s[n.value:], `\`) {
		to = n.wordEnd(from)
	}
	v := clip(strings.TrimRight(s[from:to], " \t"), judged)
	if v == "" || strings.ContainsAny(v, " \t") {
		return findBehind(s, n.start, n.stop)
	}
	name, value, assigns := strings.Cut(v, "=")
	inCode := isSelector(strings.TrimRight(value, ",)")) && isCodeName(name)
	assignment := value != "" && value[0] != '=' && word.only(name) && (lower.in(name) == 0 || value[0] == '"' || inCode)
	shortWord := letters.only(v) && len(v) < longWord
	setting := assigns && (dotted | slash).only(name) && !strings.ContainsAny(value, "()")
	doubtful := shortWord || setting || strings.IndexByte(":#$>{[,;", v[len(v)-1]) >= 0
	if assignment || isCode(v) || v[0] == '@' && isLabel(v) || doubtful && !n.sense.isSecretAnywhere(v) {
		return findBehind(s, n.start, n.stop)
	}
	return n.senseAsWritten().judge(s, from, from+len(strings.TrimRight(s[from:to], " \t")))
}

// nextLine returns the index at which the value of a name begins: i or, if the rest of the line from i on is blank, an index on the
// next line that is not blank. below reports the latter. A backslash, an open parenthesis or the start of a here-document counts as
// blank.
func nextLine(s string, i int) (value int, below bool) {
	rest := clip(s[i:], longestBlank)
	n := leading(rest, " \t")
	if here := strings.TrimPrefix(rest[n:], "$(cat "); strings.HasPrefix(here, "<<") && !strings.HasPrefix(here, "<<<") {
		n += indexOr(rest[n:], "\r\n") // a here-document
	} else if strings.HasPrefix(rest[n:], "\\\n") || strings.HasPrefix(rest[n:], "\\\r\n") || strings.HasPrefix(rest[n:], "(\n") {
		n++
	}
	if n == len(rest) || rest[n] != '\n' && rest[n] != '\r' {
		return i, false
	}
	m := n + leading(rest[n:], " \t\r\n")
	return textBelow(s, i+m), true
}

// textBelow returns the index at which the text of the line at i begins: behind the sign of a quotation or of a list's item, or on the
// next line if the line at i opens a block of code.
func textBelow(s string, i int) int {
	const codeFence = "```"
	if strings.HasPrefix(s[i:], codeFence) {
		i = min(len(s), i+1+indexOr(s[i:], "\n"))
	} else if prefixOf(s[i:], "> ", "- ", ": ") > 0 {
		i += len("> ")
	}
	return i
}

// senseAsWritten returns the sense of the name, adjusted to how the name is written. The names token, pass and auth promise a secret
// less than others do, except as an option, or with nothing but a sign before the value.
func (n namedValue) senseAsWritten() sense {
	result := n.sense
	direct := n.flag || n.tight() && (n.query || n.capitals())
	switch {
	case result.how == byToken && direct, result.how == byPass && (direct || strings.ContainsAny(n.text[n.stop:n.value], "=:|>")):
		result.how = byName
	case result.rule == namedAuth && result.how == byRandom && direct && strings.EqualFold(n.text[max(n.start, n.stop-len("auth")):n.stop], "auth") && !n.query && !n.flag:
		result.how = byPass
	}
	return result
}

// nameText returns the name as it is written.
func (n namedValue) nameText() string { return n.text[n.start:n.stop] }

// capitals reports whether the name has no small letter, as that of a constant.
func (n namedValue) capitals() bool { return lower.in(n.nameText()) == 0 }

// tight reports whether nothing but an equals sign stands between name and value.
func (n namedValue) tight() bool { return n.text[n.stop] == '=' && n.value == n.stop+1 }

// bare finds the value at from, which has no quotes. It ends with the line if the line holds nothing but the name and the value,
// else at the next blank.
func (n namedValue) bare(from int) (int, int) {
	s := n.text
	core := strings.TrimRight(s[from:from+indexOr(s[from:], " \t\r\n")], ",;})")
	if n.isNoValue(core) || strings.IndexFunc(clip(core, 4), wide) == 0 && !n.lineHasQuote(from) {
		return -1, -1 // also prose in a script that passwords do not have
	}
	sense := n.senseAsWritten()
	to, whole := n.bareEnd(from)
	v := clip(s[from:to], judged)
	if whole && v != "" && (isReference(v) || isFiller(v) && (v[0] == '$' || !strings.Contains(v, " -"))) {
		return -1, -1
	}
	several := strings.ContainsAny(strings.TrimSpace(v), " \t")
	if whole && several {
		constant := prefixOf(s[n.stop:], "=", " =") > 0 && n.capitals()
		arguments := strings.Contains(v, " -")
		if _, end := sense.judge(s, from, to); end > 0 && !arguments && (isPhrase(v) || constant && !isCode(v) && !isSentence(v)) {
			return from, end // a passphrase in a file of settings
		}
		if v = strings.TrimRight(s[from:from+indexOr(s[from:to], " \t")], ",;"); !isCode(clip(v, judged)) {
			v = strings.TrimRight(v, ".:)") // the end of a sentence
		}
		to, v = from+len(v), clip(v, judged)
	}
	switch {
	case to == from, isCode(v):
		if n.lineHasQuote(from) {
			return findBehind(s, n.start, n.stop)
		}
		return -1, -1
	case n.flag && n.isDescription(v):
		return -1, -1
	case !n.flag && (n.sense.how == byPass && upper.only(n.nameText()) && !n.tight() || !n.acceptsBare(v, whole && !several)):
		return -1, -1 // also PASS: TestX
	}
	return sense.judge(s, from, to)
}

// isNoValue reports whether the word behind the sign is no value: too short, a UUID as the key of a store, or the next of several
// names.
func (n namedValue) isNoValue(core string) bool {
	if len(core) < shortestEntry || core[0] == '<' && letters.only(core[1:]) {
		return true
	}
	storeKey := n.text[n.stop] == ':' && n.value == n.stop+1 && uuidLike(core) && !n.isGoField(core)
	next, _, assigns := strings.Cut(core, "=")
	nextName := assigns && n.text[n.stop] == '=' && n.value > n.stop+1 && (lower | underscore).only(next)
	return storeKey || nextName
}

// bareEnd returns the index at which a value without quotes ends. whole is true if the line holds nothing but the name and the value.
func (n namedValue) bareEnd(from int) (to int, whole bool) {
	to = n.wordEnd(from)
	if !n.beginsLine() {
		return to, false
	}
	end := n.valueEnd(from)
	if i := proseAfter(n.text[from:end]); i >= 0 {
		return min(to, from+len(strings.TrimRight(n.text[from:from+i], " \t("))), false
	}
	return end, true
}

// isDescription reports whether v, which follows an option, describes the option, as in [--token TOKEN].
func (n namedValue) isDescription(v string) bool {
	s := n.text
	switch {
	case n.start > 0 && s[n.start-1] == '[', strings.ContainsAny(s[n.stop:n.value], "\"'"), strings.HasPrefix(s[n.stop:], "  "):
		return true
	case v[0] == '-' && isMachineKey(v[1:]):
		return false
	case prefixOf(v, "-", "(") > 0, v[0] == '[' && letters.only(v[1:]), inList("aboutFlags", strings.TrimRight(v, ".,:")):
		return true
	}
	return !n.tight() && len(v) < longWord && (lower|underscore|hyphen).only(v) || n.sense.rule == namedSecret && letters.only(v) && !isChosenWord(v)
}

// lineHasQuote reports whether there is a quote on the line of the value at from.
func (n namedValue) lineHasQuote(from int) bool {
	return strings.ContainsAny(clip(n.text[from:lineEnd(n.text, from)], judged), "\"'`")
}

// acceptsBare reports whether v, which has no quotes, can be the value. It must look like a secret, or be no code and either the
// rest of the line (whole) or joined to the name by an equals sign alone.
func (n namedValue) acceptsBare(v string, whole bool) bool {
	core := strings.TrimRight(v, ",;")
	word := isSelector(core)
	switch {
	case n.isGoField(v), n.isPlainWord(core) && n.inFlowMapping(), n.particle && uuidLike(v), n.sense.rule == namedPassword && isWordWithNumber(core):
		return true
	case !n.sense.strong() && n.sense.how != byToken && !n.tight():
		return !word || !hasCodeWord(core) // the sense decides about the rest
	case word && lower.has(core[0]) && alnum.only(core) && len(core) < shortestKey && digit.in(core) == 0 && !n.tight():
		return false // a short word
	case n.query, n.sense.rule == namedPassword && digit.only(core) && len(core) >= shortestPassword, n.tight() && n.capitals():
		return true
	case word && (core != v || strings.Count(core, ".") > 1 || strings.HasPrefix(n.text[n.value+len(v):], " | ")): // such as a.b.c, or c.Value,
		return n.sense.isSecretAnywhere(core) && !isCodeName(core) && senseOf(core).rule == nil && core == v
	case word && !n.tight() && strings.Contains(core, ".") && (digit.in(core) == 0 && isCodeName(core) || hasCodeWord(core)):
		return false // c.Value
	case whole || n.tight():
		return true
	}
	return n.sense.isSecretAnywhere(v) && (digit.in(v) > 0 || isPhrase(v)) || isChosenWord(v) || mingled(v) && !isPhrase(v)
}

// isGoField reports whether Go printed the name and v as a member of a map or a struct: map[token:…], {User:bob Password:… Port:1}.
// In such texts a blank, and no comma, stands between the members.
func (n namedValue) isGoField(v string) bool {
	s := n.text
	if joined := s[n.stop] == ':' && n.value == n.stop+1 && strings.HasPrefix(s[n.value:], v); !joined || strings.ContainsAny(v, "([{") {
		return false
	}
	head, rest := s[lineBegin(s, n.start):n.start], s[n.value+len(v):]
	open := strings.LastIndexAny(head, "{[")
	if open < 0 || rest == "" || strings.IndexByte(" }]", rest[0]) < 0 || strings.ContainsAny(head[open:], ",;\"'`(") {
		return false
	}
	before := strings.HasSuffix(head, " ") && goField().MatchString(head[open+1:])
	behind := strings.HasSuffix(head, "{") && rest[0] == ' ' && goField().MatchString(rest[1:])
	return before || behind || strings.HasSuffix(head, "map[")
}

// goField matches a member of a map or a struct that Go printed.
var goField = lazily(`^\w+:[^ ]`)

// inFlowMapping reports whether the line is a mapping of YAML, and the name a member of it: db: {user: bob, password: …}.
func (n namedValue) inFlowMapping() bool {
	begin := lineBegin(n.text, n.start)
	line := strings.TrimSpace(n.text[begin:lineEnd(n.text, n.start)])
	before, members, ok := strings.Cut(line, "{")
	before = strings.TrimLeft(before, " -[")
	key := dotted.run(before)
	begins := before == "" || key > 0 && strings.TrimRight(before[key:], " ") == ":"
	ends := strings.HasSuffix(strings.TrimRight(members, "]"), "}")
	return ok && begins && ends && !strings.ContainsAny(members, "();=`$") // a comma or a semicolon ends such a line in code
}

// isPlainWord reports whether v is a word of small letters that a person may have chosen, and not the name of a variable.
func (n namedValue) isPlainWord(v string) bool {
	return n.sense.strong() && len(v) >= shortestPassword && lower.only(v) && !inList("ordinary", v) && !inList("messageWords", v) && !namesSecret(v)
}

// longWord is the length from which a run of letters is not taken for a word.
const longWord = 12

// inCell finds the value of a table's cell, which contains from.
func (n namedValue) inCell(from int) (int, int) {
	s := n.text
	line := s[from:lineEnd(s, from)]
	end := indexOr(line, "|")
	v := strings.Trim(line[:end], " \t`*")
	if v == "" || n.sense.how == byPass && upper.only(n.nameText()) || strings.Contains(v, " ") && !isPhrase(v) || numeric(v) && strings.ContainsAny(v, "-:/") {
		return -1, -1
	}
	from += strings.Index(line, v)
	return n.sense.judge(s, from, from+len(v))
}

// blockScalar returns the bounds of the indented lines of a YAML block scalar, "secret: |", and the end of their first paragraph, or
// -1 for each. The name begins at start, and the bar would stand at from.
func blockScalar(s string, start, from int) (first, paragraph, end int) {
	if from == len(s) || s[from] != '|' && s[from] != '>' {
		return -1, -1, -1
	}
	i := from + 1 + leading(clip(s[from+1:], 3), "+-123456789")
	if blank := gap.run(s[i:]); blank > 0 && strings.HasPrefix(s[i+blank:], "#") {
		i += indexOr(s[i:], "\r\n") // a comment
	} else {
		i += blank
	}
	if strings.HasPrefix(s[i:], "\r\n") {
		i++
	}
	if i == len(s) || s[i] != '\n' {
		return -1, -1, -1
	}
	head := s[lineBegin(s, start):]
	indent := gap.run(head)
	for strings.HasPrefix(head[indent:], "- ") { // the next names of a list's item are below its first one
		indent += 1 + gap.run(head[indent+1:])
	}
	first, paragraph, end = -1, -1, -1
	for i < len(s) {
		begin := i + 1
		i = begin + indexOr(s[begin:], "\n")
		line := strings.TrimRight(s[begin:i], "\r")
		n := gap.run(line)
		if n == len(line) { // the block may go on behind a blank line
			if paragraph < 0 {
				paragraph = end
			}
			continue
		}
		if n <= indent {
			break
		}
		if first < 0 {
			first = begin + n
		}
		end = begin + len(line)
	}
	if paragraph < 0 {
		paragraph = end
	}
	return first, paragraph, end
}
