package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file finds the value of a name that no colon or equals sign joins to it.

// findUnjoined finds the value of the name s[start:stop], which no colon or equals sign follows: behind the name, before it, elsewhere
// on its line, or on the next line.
func findUnjoined(s string, start, stop int) (from, to int) {
	promising, ahead := scanLine(clip(s[stop:], far))
	begin := start // index from which the value may stand before the name
	// Scripts outside ASCII may write a word and the name without a blank between them.
	followsWord := start > 1 && (s[start-1] == ' ' && (word.has(s[start-2]) || s[start-2] >= utf8.RuneSelf) || s[start-1] >= utf8.RuneSelf)
	if followsWord {
		near := max(0, start-far)
		near += strings.LastIndexByte(s[near:start], '\n') + 1
		if _, oddLine := scanLine(s[near:start]); oddLine > 0 {
			begin = near
		}
	}
	from, to = nextItem(s, start, stop)
	if from < 0 && (promising || strings.HasPrefix(s[stop:], "(")) { // a function may return the value on a later line
		from, to = findBehind(s, start, stop)
	}
	if from < 0 && begin < start {
		from, to = usedAs(s, start)
	}
	if from < 0 {
		from, to = belowCommand(s, start, stop)
	}
	if from < 0 && (stop == len(s) || strings.IndexByte("()\r\n", s[stop]) >= 0) {
		from, to = beforeRemark(s, start, stop)
	}
	if from < 0 && (ahead > 0 || begin < start) {
		from, to = findLone(s, begin, start, stop, ahead)
	}
	return from, to
}

// nextItem finds the value of the name s[start:stop] if both are items of an array, with a line each.
func nextItem(s string, start, stop int) (from, to int) {
	comma := stop + prefixOf(s[stop:], `",`, "',")
	value, below := nextLine(s, comma)
	if comma == stop || !below || strings.IndexByte("\"'", s[min(value, len(s)-1)]) < 0 {
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

// findBehind finds the value of the name s[start:stop] behind the name, without a colon or equals sign between them: an argument, a
// default, a quoted word, a cell, the end of a sentence. Such a place is weak evidence, so the value must look like a secret.
func findBehind(s string, start, stop int) (from, to int) {
	rest := s[stop:]
	isFunction := strings.HasPrefix(rest, "(") && strings.Contains(clip(rest, usualWindow/2), "return")
	opened := prefixOf(rest, "(\n", "(\r\n") > 0 // the argument is on the next line
	if promising, _ := scanLine(clip(rest, far)); !isFunction && !promising && !opened {
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
	if !n.needsNoSign() || hasNoValue(s, start, stop) {
		return -1, -1
	}
	for _, find := range [...]func(namedValue) (from, to int){argumentOrDefault, cellAfter} {
		if from, to := find(n); from >= 0 && n.sense.isSecret(clip(s[from:to], judged)) {
			return from, to
		}
	}
	return findNear(n)
}

// needsNoSign reports whether the name promises a value that no sign joins to it. The name "pass", which is also a verb, promises
// one only at the end of an element, before "is" or "for", or near words for a login.
func (n namedValue) needsNoSign() bool {
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

// hasNoValue reports whether the name s[start:stop] has no value, because of what stands before or behind it.
func hasNoValue(s string, start, stop int) bool {
	before, after := s[:start], s[stop:]
	switch {
	case after != "" && strings.IndexByte("./{}[@", after[0]) >= 0 && prefixOf(after[1+blanks(after[1:]):], `"`, "'") == 0:
		return true // a part of a longer name or of a path
	case strings.HasPrefix(strings.TrimLeft(clip(after, 4), " "), "}}"), strings.HasSuffix(before, "$"):
		return true // a variable
	case strings.HasSuffix(before, "=") && strings.HasPrefix(after, " ") && lower.in(s[start:stop]) == 0:
		return true // a constant, which is itself the value of another name
	case prefixOf(strings.TrimLeft(s[lineBegin(s, start):], " \t"), "import ", "from ", "package ", "func ", "def ", "class ", "interface ", "fn ", "pub ") > 0, strings.HasSuffix(before, " get "):
		return true // a declaration
	case prefixOf(after, "화", "策略") > 0:
		return true // the words go on: Korean for encryption, Chinese for a password policy
	}
	return strings.HasSuffix(before, "/") && prefixOf(after, " '", ` "`, " - ") == 0
}

// The openers match the text between a name and its value in another structure.
var blockOpener = lazily(`^[\\": ]+(?:[\w-]+\\*" *)?\{[^}]*?(?:default|alue|result)(?:Value)?"?[ \t=:]+`)                                    // variable "password" { default = "…" }
var returnOpener = lazily(`^\([^()\n]*\)[^\n(]{0,40}[:{]\s*return +`)                                                                        // def password(): return '…'
var elementOpener = lazily(`^(?i:</(?:key|name|d[td]|t[hd]|label|field|b|strong|code|param-name)>|"(?: [\w:]+="[^"]*")*>)\s*(?:<\w[^>]*>)+`) // <key>token</key><string>…

// argumentOrDefault finds the only argument of a function with the name, as in setPassword("…"), the default value in a block, or the
// text of an element.
func argumentOrDefault(n namedValue) (from, to int) {
	s := clip(n.text, n.stop+usualWindow)
	rest := s[n.stop:]
	bracket := strings.IndexAny(clip(rest, longestBlank), "({<") // in rest
	switch {
	case strings.HasPrefix(rest, "("):
		from, to = literalAt(s, n.stop+1+leading(clip(rest[1:], longestBlank), " \t\r\n"))
		if from < 0 || pathlike(s[from:to]) {
			return -1, -1
		}
		behind := clip(s[to:], longestBlank)
		closedBelow := strings.HasPrefix(strings.TrimLeft(strings.TrimLeft(behind, "\"'`,"), " \t\r\n"), ")")
		return placeIf(closedBelow || strings.Contains(clip(behind, 4), ")"), from, to)
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

// strong reports whether the name decides nearly alone that a value is a secret.
func (s sense) strong() bool { return s.how == byName || s.how == byShape || s.how == byPass }

// isSecretAnywhere reports whether v looks so much like a secret that it is one even if it may not be the value of the name.
func (s sense) isSecretAnywhere(v string) bool {
	if len(v) < shortestPassword || harmless(v) || uuidLike(v) && !s.strong() || s.how == byKey && (!isMachineKey(v) || hex.only(v) || isStoreKey(v)) {
		return false
	}
	if s.strong() && s.rule != namedToken && s.rule != namedKey {
		return passwordLike(v) || looksRandom(v)
	}
	return looksRandom(v)
}

// cellAfter finds the only word behind a name that begins its line, or that a command sets: a cell of a table, a setting.
func cellAfter(n namedValue) (from, to int) {
	s := n.text
	width := blanks(s[n.stop:])
	from = n.stop + width
	to = lineEnd(s, from)
	if f, t := literalAt(s, from); f >= 0 && strings.Trim(s[t+1:max(t+1, to)], " \t;/M") == "" {
		from, to = f, t
	}
	v := strings.TrimRight(s[from:to], " \t;")
	if wordCount(v) != 1 || alnum.in(v) < shortestEntry || v[len(v)-1] == '.' || v[0] == '[' || v[0] == '.' || isCode(v) {
		return -1, -1
	}
	head := strings.TrimRight(s[lineBegin(s, n.start):n.start], " \t")
	column := width > 1 && dotted.only(head)
	command := head[strings.LastIndexAny(head, " \t")+1:]
	set := width == 1 && (inList("assigning", command) || n.capitals() && mingled(v) ||
		head == "" && n.sense.isSecretAnywhere(v) && !isSelector(strings.TrimRight(v, ",;")))
	return placeIf((column || set) && !inColumn(s, from, from+len(v)), from, from+len(v))
}

// findNear finds the value behind the name on its line, or in a paragraph that the line announces: a literal that looks like a secret,
// or a word. Between the name and the word may stand only signs, words such as "is", and letters of a script in which no passwords
// are written.
func findNear(n namedValue) (from, to int) {
	const mostGlue, longest = 96, 32
	s, end := n.text, min(len(n.text), n.stop+mostGlue)
	mayFollow, words := true, 0 // whether the value may begin at i, and how many words stand before i
	for i := n.stop; i < end; {
		q, width := opening(s[i:])
		if rest := s[i+width:]; width == 1 && uuidLike(clip(rest, 36)) && strings.HasPrefix(rest[36:], `":`) {
			i += width + 36 // the name of a member
			continue
		}
		if mayFollow && n.wordBegins(i) {
			if from, to = n.sentenceValue(i, words > 0); from >= 0 {
				return from, to
			}
		}
		switch c := s[i]; {
		case q.close != "" && i > n.stop:
			other, ok := strings.CutSuffix(strings.TrimRight(s[n.stop:i], " "), `":`)
			if ok && strings.Contains(other, ",") && !inList("valueNames", other[strings.LastIndexByte(other, '"')+1:]) {
				return -1, -1 // the value of another member
			}
			from = i + width
			if to = from + q.run(s[from:]); n.acceptsLiteral(i, from, to) {
				return from, to
			}
			i += width
		case word.has(c):
			w := s[i : i+word.run(s[i:])]
			rest := s[i+len(w):]
			words++
			if len(w) > longest || digestNamed(s[i:]) || lower.has(c) && strings.HasPrefix(rest, ": ") && !inList("valueNames", w) && strings.TrimSpace(s[lineBegin(s, i):i]) == "" {
				return -1, -1 // a long word or a digest, or the next line has a name of its own
			}
			number := len(w) < 3 && (digit | hyphen).only(w)
			preposition := w == "a" && words == 1 && n.sense.rule == namedPassword && !namesSecret(n.nameText()) // in Spanish: la contraseña a …
			mayFollow = n.leadsToValue(w, rest) || mayFollow && number || preposition
			i += len(w)
		case c == '\n':
			if form, listed, ok := n.announces(i); ok {
				return n.paragraphAt(i, form, listed)
			}
			if glue := s[n.stop:i]; strings.Trim(glue, " ?") != "" && !strings.HasSuffix(glue, "=>") && !strings.HasSuffix(glue, "?") {
				return -1, -1
			}
			words++
			mayFollow = mayFollow && s[i-1] != ' ' && i > n.stop
			i++
		default:
			mayFollow = n.isJoint(i) || mayFollow && strings.IndexByte("|=&>/+,", c) < 0
			i++
		}
	}
	return -1, -1
}

// wordBegins reports whether a word that may be the value begins at i: behind a blank, a sign, or a letter of a script in which
// no passwords are written.
func (n namedValue) wordBegins(i int) bool {
	s := n.text
	if i == n.stop || strings.IndexByte(" \t\r\n(|{=", s[i]) >= 0 || escaped(s, i) || s[i-1] == '(' && alnum.has(s[i-2]) {
		return false
	}
	if before, _ := utf8.DecodeLastRuneInString(s[:i]); before >= utf8.RuneSelf {
		return wide(before) || !unicode.IsLetter(before)
	}
	return !(alnum | underscore | dot | colon).has(s[i-1]) && strings.IndexByte("#]", s[i-1]) < 0
}

// acceptsLiteral reports whether the literal s[from:to], whose quote stands at i, is a secret: it looks like one, or it is the name's
// default value in code.
func (n namedValue) acceptsLiteral(i, from, to int) bool {
	s, v := n.text, clip(n.text[from:to], judged)
	if v == "" || to == len(s) || s[to] == '\n' || pathlike(v) || n.sense.rule == namedSecret && digit.in(v) > 0 && isResource("secret", v) {
		return false
	}
	if (strings.HasSuffix(s[:i], "?? ") || strings.HasSuffix(s[:i], "|| ") || strings.HasSuffix(s[:i], ") or ")) && n.sense.isSecret(v) && (digit.in(v) > 1 && !isCodeName(v) || isChosenWord(v)) {
		return true
	}
	if i <= n.stop+len(" to ") && wordCount(v) > 2 && isPhrase(v) && n.sense == (sense{namedPassword, byName}) {
		return !harmless(v) // PASSWORD '…', password to "…"
	}
	if i == n.stop+1 {
		return false // sentenceValue has judged it
	}
	random := mingled(v) && wordCount(v) == 1 && !letters.only(v) || looksRandom(v) || isChosenWord(v)
	return random && !strings.HasPrefix(s[min(len(s), to+from-i):], " {") && (n.sense.isSecretAnywhere(v) || n.sense.strong() && n.acceptsInSentence(v, true))
}

// leadsToValue reports whether the value can follow the word w, as in "password is …". rest is the text behind w.
func (n namedValue) leadsToValue(w, rest string) bool {
	switch {
	case !inList("tellers", w), w == "string" && !strings.HasPrefix(rest, "("):
		return false
	case w == "with", w == "to" && n.sense.rule != namedPassword:
		return foldContains(n.text[lineBegin(n.text, n.start):n.start], parts("changing"))
	}
	return true
}

// isJoint reports whether the value can follow the sign at i: a colon, an arrow, a letter of another script.
func (n namedValue) isJoint(i int) bool {
	s := n.text
	switch s[i] {
	case '(':
		return s[i-1] == ' ' && n.sense.rule == namedPassword && strings.IndexByte("\"'`", s[min(i+1, len(s)-1)]) >= 0
	case '=':
		return strings.HasPrefix(s[i-1:], " = ")
	case '>':
		return strings.IndexByte("-=", s[i-1]) >= 0
	}
	return s[i] == ':' || s[i] >= utf8.RuneSelf
}

// announces reports whether the line that ends at i announces the value below it: it ends with a colon, is the field of a form,
// or is a title that ends with the name. form is true for a field. listed is true if the line may be an item of a list of names.
func (n namedValue) announces(i int) (form, listed, ok bool) {
	bare, glue := strings.TrimLeft(n.text[lineBegin(n.text, n.start):i], "#* "), n.text[n.stop:i]
	several := strings.Contains(bare, " ")
	// A title has only letters, and little before the name. If it is one word, it is no name of code.
	title := strings.Trim(glue, "*") == "" && i-n.start+longestWord > len(bare) && (letters | gap).only(strings.TrimRight(bare, "*")) && (several || caseChanges(bare) < 3)
	form = strings.HasSuffix(n.text[:n.start], `name="`) && strings.TrimSpace(glue) == `"`
	return form, title && !several && lower.has(bare[0]), form || title || strings.HasSuffix(glue, ":")
}

// sentenceValue returns the bounds of the word at i if it is a secret as the value of the name in a sentence, else -1, -1. If the name
// is that of credentials, the word may have the form user/password or user:password. announced reports that words before i promise a
// value.
func (n namedValue) sentenceValue(i int, announced bool) (from, to int) {
	if from, to = sentenceWord(n.text, i); from < 0 {
		user := word.run(n.text[i:])
		if n.sense.rule != namedCredential || user == 0 || strings.IndexByte("/:", n.text[min(i+user, len(n.text)-1)]) < 0 {
			return -1, -1
		}
		return sentenceWord(n.text, i+user+1)
	}
	digest := inColumn(n.text, from, to) || hex.only(n.text[from:to]) && to-from <= leastRandom && strings.HasPrefix(n.text[to:], "  ") // a checksum and a file
	quoted := from > i
	announced = announced || quoted && !isResource(n.nameText(), n.text[from:to])
	return placeIf(!digest && n.acceptsInSentence(clip(n.text[from:to], judged), announced), from, to)
}

// acceptsInSentence reports whether v is a secret as the value of the name in a sentence. announced is as in sentenceValue.
func (n namedValue) acceptsInSentence(v string, announced bool) bool {
	if n.sense.how == byKey {
		return n.sense.isSecretAnywhere(v) || announced && len(v) >= 10 && unmistakable(v) && !hex.only(v) && !uuidLike(v)
	}
	if uuidLike(v) && !n.sense.strong() && !(announced && n.sense.rule == namedToken) {
		return false
	}
	if looksRandom(v) {
		return true
	}
	noSecret := harmless(v) || numeric(v) || lower.in(v) == 0 && len(v) < longWord || strings.Contains(v, `\`) || (!announced || n.sense.rule == namedSecret) && digit.in(v) > 0 && isResource("secret", v)
	if noSecret {
		return false
	}
	rule, chosen := n.sense.rule, isChosenWord(v)
	switch {
	case mingled(v) && !isPhrase(v) && (announced || digit.in(v) > 1), announced && chosen && n.sense.how != byRandom:
		return true
	case !n.sense.strong() || !passwordLike(v) && !chosen:
		return false
	}
	// The name of a password is enough for such a value. Others must be announced, or look like a passphrase.
	return rule == namedPassword || announced && rule != namedToken && rule != namedKey || rule != namedSecret && chosen && !strings.ContainsAny(v, "-_")
}

// paragraphAt finds the value below the line that ends at i, which announces it. The value is alone on its line. form and listed are
// the results of announces: in a list of names a value must look random.
func (n namedValue) paragraphAt(i int, form, listed bool) (from, to int) {
	for range 2 {
		from = textBelow(n.text, i+leading(clip(n.text[i:], longestBlank), " \t\r\n"))
		to = lineEnd(n.text, from)
		if f, t := literalAt(n.text, from); f >= 0 {
			from, to = f, t
		}
		v, rule := clip(n.text[from:to], judged), n.sense.rule
		if wordCount(v) != 1 {
			break
		}
		random := looksRandom(v) || mingled(v) || uuidLike(v) && rule == namedToken
		written := form && n.sense.isSecret(v) && !strings.Contains(v, `="`)
		chosen := !listed && ((rule == namedPassword || rule == namedCredential) && unmistakablePassword(v) || isChosenWord(v)) ||
			rule == namedPassword && n.text[i-1] == ':' && digit.in(v) > 1 && isPassword(v)
		hasNames := prefixOf(v, `{"`, `["`, "[{") > 0 || namesSecret(v[:max(strings.IndexByte(v, '='), 0)])
		if !hasNames && v[len(v)-1] != ':' && (random || written || chosen) {
			return from, to
		}
		i = to
		if rule != namedCredential {
			break // only credentials have a second line, behind the user's
		}
	}
	return -1, -1
}

// beforeRemark finds the literal before a comment that ends with the name, as in "…"  # .token, or the literal with which a test
// compares the value of the name, as in assertEquals("…", c.getPassword()) and in pytest's "where '…' = c.password".
func beforeRemark(s string, start, stop int) (from, to int) {
	begin := lineBegin(s, start)
	line := strings.TrimRight(s[begin:start], " .")
	code := strings.TrimRight(line, "#/") // without the sign of the comment
	where, compared, _ := strings.Cut(line, "+ ")
	switch {
	case code == line && foldContains(line, []string{"assert", "equal", "expect"}):
		code = strings.TrimSuffix(line, dotted.tail(line)) // without c.get in assertEquals("…", c.getPassword())
	case strings.HasPrefix(strings.TrimLeft(compared, " "), "where ") && strings.TrimSpace(where) == "E":
		code = line[:max(0, strings.LastIndex(line, " = "))]
	}
	if code == line {
		return -1, -1
	}
	code = strings.TrimRight(code, " \t,;)=")
	if code == "" || strings.IndexByte("\"'", code[len(code)-1]) < 0 || lineEnd(s, stop) > stop+longestBlank {
		return -1, -1
	}
	to = len(code) - 1
	from = strings.LastIndexByte(code[:to], code[to]) + 1
	v := clip(code[from:to], judged)
	fits := unmistakablePassword
	if line[0] == 'E' {
		fits = isPassword // pytest printed a value of the name
	}
	return placeIf(from > 0 && senseAt(s, start, stop).how >= byKey && fits(v), begin+from, begin+to)
}

// longKey is the length from which a word that a command prints counts as a key if it has some digits, even with = or a colon in it.
const longKey = 40

// belowCommand finds the value on the line below a command that prints it: echo $DB_PASSWORD, cat password.txt, or the variable alone in
// a console or a debugger. A user may stand before the value, on its line or on the line above it.
func belowCommand(s string, start, stop int) (from, to int) {
	begin := lineBegin(s, start)
	if !lower.has(s[begin]) && prefixOf(s[begin:], "(Pdb) ", "(dlv) ", `C:\`) == 0 && strings.IndexByte(" $#%>", s[begin]) < 0 {
		return -1, -1
	}
	end := lineEnd(s, stop)
	line := s[begin:end]
	console := line[0] == '>'
	if n := prefixOf(line, "(Pdb) ", "(dlv) ", "ipdb> "); n > 0 {
		line, console = line[n+prefixOf(line[n:], "p ", "pp ", "print "):], true
	} else if strings.HasPrefix(line, `C:\`) {
		line = line[strings.IndexByte(line, '>')+1:]
	}
	line = strings.TrimPrefix(strings.TrimLeft(line, " $#%>"), "sudo ")
	program, _, _ := strings.Cut(line, " ")
	variable, _ := expression(line)
	prints := console && variable == "" || inList("printing", program[strings.LastIndexByte(program, '/')+1:])
	if end == len(s) || !prints || senseOf(s[start:stop]).rule == nil || !strings.HasPrefix(s[stop:], ".txt") && strings.IndexByte(" \"'`}%\n\r", s[stop]) < 0 {
		return -1, -1
	}
	from = end + prefixOf(s[end:], "\r\n", "\n", "\r")
	from += blanks(s[from:])
	to = lineEnd(s, from)
	if f, t := literalAt(s, from); f >= 0 && t+1 == to {
		from, to = f, t
	}
	v := clip(s[from:to], judged)
	if next := to + prefixOf(s[to:], "\r\n", "\n"); v != "" && word.only(v) && !unmistakablePassword(v) && next > to {
		if end := lineEnd(s, next); unmistakablePassword(clip(s[next:end], judged)) {
			return next, end // the first line is the user
		}
	}
	if user := strings.LastIndexAny(v, " :") + 1; user > 0 && wordCount(v) < 3 && strings.Contains(v[:user], "@") && unmistakablePassword(v[user:]) {
		return from + user, to
	}
	bare := strings.TrimRight(v, "=") // which ends base64
	assigns := indexOr(bare, "=:") < len(bare) && word.only(bare[:indexOr(bare, "=:")])
	secret := sense{namedPassword, byName}.isSecretAnywhere(v) || isChosenWord(v) || len(v) >= longKey && digit.in(v) >= shortestEntry
	return placeIf(wordCount(v) < 2 && !strings.ContainsAny(clip(v, 1), "{[<\"'`") && (!assigns || len(v) >= longKey) && secret, from, to)
}
