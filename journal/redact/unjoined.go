package redact

import (
	"strings"
	"unicode/utf8"
)

// This file finds the value of a name that no colon or equals sign joins to it: in a call, a block, an element, a table, a list, a
// comment. sentence.go finds values in sentences, printed.go those that a command prints.

// findUnjoined finds the value of the name s[start:stop], which no colon or equals sign follows: in the next item of a list, behind the
// name, before it, on the next line, and at last anywhere on the line of the name.
func findUnjoined(s string, start, stop int) (from, to int) {
	if from, to = nextItem(s, start, stop); from >= 0 {
		return from, to
	}
	promising, ahead := scanLine(clip(s[stop:], far))
	if promising || strings.HasPrefix(s[stop:], "(") { // a function may return the value on a later line
		if from, to = findBehind(s, start, stop); from >= 0 {
			return from, to
		}
	}
	begin := oddTextBefore(s, start)
	if begin < start {
		if from, to = usedAs(s, start); from >= 0 {
			return from, to
		}
	}
	if from, to = belowCommand(s, start, stop); from >= 0 {
		return from, to
	}
	if stop == len(s) || strings.IndexByte("()\r\n", s[stop]) >= 0 {
		if from, to = literalBefore(s, start, stop); from >= 0 {
			return from, to
		}
	}
	if ahead > 0 || begin < start {
		return findLone(s, begin, start, stop, ahead)
	}
	return -1, -1
}

// oddTextBefore returns the index at which the text before a name begins, on the line of the name, if that text may hold a value. Else
// it returns start, where the name begins.
func oddTextBefore(s string, start int) int {
	if start < 2 {
		return start
	}
	before, last := s[start-2], s[start-1]
	// Scripts outside of ASCII may write a word and the name without a blank between them.
	followsWord := last >= utf8.RuneSelf || last == ' ' && (word.has(before) || before >= utf8.RuneSelf)
	if !followsWord {
		return start
	}
	begin := max(0, start-far)
	begin += strings.LastIndexByte(s[begin:start], '\n') + 1
	if _, odd := scanLine(s[begin:start]); odd == 0 {
		return start
	}
	return begin
}

// nextItem finds the value of the name s[start:stop] if the name is an item of a list and the value the next item, on a line below.
func nextItem(s string, start, stop int) (from, to int) {
	comma := prefixOf(s[stop:], `",`, "',")
	value, below := nextLine(s, stop+comma)
	if comma == 0 || !below || strings.IndexByte("\"'", s[min(value, len(s)-1)]) < 0 {
		return -1, -1
	}
	n := namedValue{text: s, name: name{start: start, stop: stop}, value: value, sense: senseAt(s, start, stop)}
	from, to = n.find()
	if from < 0 {
		return -1, -1
	}
	v := clip(s[from:to], judged)
	codeName := strings.Contains(v, "_") && (lower | digit | underscore).only(v)
	return placeIf(n.sense.how == byScheme || !codeName && n.sense.isSecretAnywhere(v), from, to)
}

// findBehind finds the value of the name s[start:stop] behind the name, without a colon or equals sign between them: what a function
// returns, an argument, a default, a cell, the end of a sentence. Such a place is weak evidence, so the value must look like a secret.
func findBehind(s string, start, stop int) (from, to int) {
	rest := s[stop:]
	isFunction := strings.HasPrefix(rest, "(") && strings.Contains(clip(rest, usualWindow/2), "return")
	argumentBelow := prefixOf(rest, "(\n", "(\r\n") > 0
	if promising, _ := scanLine(clip(rest, far)); !isFunction && !promising && !argumentBelow {
		return -1, -1
	}
	n := namedValue{text: s, name: name{start: start, stop: stop}, sense: senseAt(s, start, stop)}
	if isFunction && n.sense.strong() {
		if end := returnOpener().FindStringIndex(rest); end != nil {
			if from, to = literalAt(s, stop+end[1]); from >= 0 && n.sense.isSecret(clip(s[from:to], judged)) {
				return from, to
			}
		}
	}
	if !n.promisesUnjoined() || n.hasNoValue() {
		return -1, -1
	}
	for _, find := range [...]func(namedValue) (from, to int){argumentOrDefault, cellBehind} {
		if from, to := find(n); from >= 0 && n.sense.isSecret(clip(s[from:to], judged)) {
			return from, to
		}
	}
	return findInSentence(n)
}

// promisesUnjoined reports whether the name promises a value even if no sign joins the two. The name "pass", which is also a verb, does
// so only at the end of an element, before "is" or "for", or behind words about a login.
func (n namedValue) promisesUnjoined() bool {
	s, rest := n.text, n.text[n.stop:]
	switch n.sense.how {
	case unnamed, meta, byCookies, byCookie, byScheme:
		return false
	case byPass:
		return prefixOf(rest, "</", " is ", " for ") > 0 || foldContains(s[lineBegin(s, n.start):n.start], parts("logins")) ||
			strings.HasPrefix(rest, ` "`) && foldContains(s[max(0, n.start-2*longestName):n.start], parts("logins"))
	}
	return true
}

// hasNoValue reports whether the text around the name shows that the name has no value behind it.
func (n namedValue) hasNoValue() bool {
	before, after := n.text[:n.start], n.text[n.stop:]
	line := strings.TrimLeft(n.text[lineBegin(n.text, n.start):], " \t")
	switch {
	case after != "" && strings.IndexByte("./{}[@", after[0]) >= 0 && prefixOf(after[1+blanks(after[1:]):], `"`, "'") == 0:
		return true // the name is a part of a longer name or of a path
	case strings.HasPrefix(strings.TrimLeft(clip(after, 4), " "), "}}"), strings.HasSuffix(before, "$"):
		return true // a variable
	case strings.HasSuffix(before, "=") && strings.HasPrefix(after, " ") && n.capitals():
		return true // a constant, which is the value of another name
	case prefixOf(line, "import ", "from ", "package ", "func ", "def ", "class ", "interface ", "fn ", "pub ") > 0, strings.HasSuffix(before, " get "):
		return true // a declaration
	case prefixOf(after, "화", "策略") > 0:
		return true // only the beginning of a word: 암호화 is encryption, 密码策略 a policy for passwords
	}
	return strings.HasSuffix(before, "/") && prefixOf(after, " '", ` "`, " - ") == 0 // the end of a path
}

// These expressions match the text between a name and its value.
var (
	// def password(): return '…'
	returnOpener = lazily(`^\([^()\n]*\)[^\n(]{0,40}[:{]\s*return +`)
	// variable "password" { default = "…" }
	blockOpener = lazily(`^[\\": ]+(?:[\w-]+\\*" *)?\{[^}]*?(?:default|alue|result)(?:Value)?"?[ \t=:]+`)
	// <key>token</key><string>…
	elementOpener = lazily(`^(?i:</(?:key|name|d[td]|t[hd]|label|field|b|strong|code|param-name)>|"(?: [\w:]+="[^"]*")*>)\s*(?:<\w[^>]*>)+`)
)

// argumentOrDefault finds the last argument of a call of a function with the name, as in setPassword("…"), the default value in a block,
// or the text of an element.
func argumentOrDefault(n namedValue) (from, to int) {
	s := clip(n.text, n.stop+usualWindow)
	rest := s[n.stop:]
	bracket := strings.IndexAny(clip(rest, longestBlank), "({<") // in rest
	switch {
	case strings.HasPrefix(rest, "("):
		return lastArgument(s, n.stop+1)
	case bracket >= 0 && rest[bracket] == '{':
		if end := blockOpener().FindStringIndex(rest); end != nil {
			return literalAt(s, n.stop+end[1])
		}
	case strings.HasPrefix(rest, "</"), n.start > 0 && strings.IndexByte("/#-", s[n.start-1]) < 0 && prefixOf(rest, `">`, `" `) > 0:
		if end := elementOpener().FindStringIndex(rest); end != nil {
			from = n.stop + end[1]
			return from, from + indexOr(s[from:], "<\r\n")
		}
	}
	return -1, -1
}

// lastArgument returns the bounds of the literal behind the blanks at i if a parenthesis closes the call behind it, else -1, -1.
func lastArgument(s string, i int) (from, to int) {
	from, to = literalAt(s, i+leading(clip(s[i:], longestBlank), " \t\r\n"))
	if from < 0 || pathlike(s[from:to]) {
		return -1, -1
	}
	behind := clip(s[to:], longestBlank)
	closedBelow := strings.HasPrefix(strings.TrimLeft(strings.TrimLeft(behind, "\"'`,"), " \t\r\n"), ")")
	return placeIf(closedBelow || strings.Contains(clip(behind, 4), ")"), from, to)
}

// cellBehind finds the only word behind a name that begins its line or that a command sets: a cell of a table, a setting.
func cellBehind(n namedValue) (from, to int) {
	s := n.text
	width := blanks(s[n.stop:])
	from = n.stop + width
	to = lineEnd(s, from)
	const ends = " \t;/M" // a semicolon, or the option /M of setx
	if f, t := literalAt(s, from); f >= 0 && strings.Trim(s[t+1:max(t+1, to)], ends) == "" {
		from, to = f, t
	}
	v := strings.TrimRight(s[from:to], " \t;")
	if wordCount(v) != 1 || alnum.in(v) < shortestEntry {
		return -1, -1
	}
	if v[len(v)-1] == '.' || v[0] == '[' || v[0] == '.' || isCode(v) {
		return -1, -1 // the end of a sentence, or code
	}
	head := strings.TrimRight(s[lineBegin(s, n.start):n.start], " \t") // of the line, before the name
	command := head[strings.LastIndexAny(head, " \t")+1:]
	cell := width > 1 && dotted.only(head)
	setting := width == 1 && (inList("assigning", command) || n.capitals() && mingled(v) ||
		head == "" && n.sense.isSecretAnywhere(v) && !isSelector(strings.TrimRight(v, ",;")))
	return placeIf((cell || setting) && !inColumn(s, from, from+len(v)), from, from+len(v))
}

// literalBefore finds the literal on the line before the name: before a comment that ends with the name, as in "…"  # .token, or where a
// test compares the literal with the value of the name, as in assertEquals("…", c.getPassword()) and in pytest's where '…' = c.password.
func literalBefore(s string, start, stop int) (from, to int) {
	begin := lineBegin(s, start)
	line := strings.TrimRight(s[begin:start], " .")
	head := strings.TrimRight(line, "#/") // up to the literal; here without the sign of the comment
	mark, explained, _ := strings.Cut(line, "+ ")
	switch {
	case head == line && foldContains(line, []string{"assert", "equal", "expect"}):
		head = strings.TrimSuffix(line, dotted.tail(line)) // without c.get in assertEquals("…", c.getPassword())
	case strings.HasPrefix(strings.TrimLeft(explained, " "), "where ") && strings.TrimSpace(mark) == "E":
		head = line[:max(0, strings.LastIndex(line, " = "))] // E  +  where '…' = …
	}
	if head == line {
		return -1, -1
	}
	head = strings.TrimRight(head, " \t,;)=")
	if head == "" || strings.IndexByte("\"'", head[len(head)-1]) < 0 || lineEnd(s, stop) > stop+longestBlank {
		return -1, -1
	}
	to = len(head) - 1
	from = strings.LastIndexByte(head[:to], head[to]) + 1
	accept := unmistakablePassword
	if line[0] == 'E' {
		accept = isPassword // pytest printed the value of the name
	}
	return placeIf(from > 0 && senseAt(s, start, stop).how >= byKey && accept(clip(head[from:to], judged)), begin+from, begin+to)
}
