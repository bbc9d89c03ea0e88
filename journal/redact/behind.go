package redact

import "strings"

// behind finds the value of the name s[start:stop] that no colon or equals sign joins to it: an argument, a default, a quoted
// word, a cell, the end of a sentence. What joins them says little, so the value must look like a secret.
func behind(s string, start, stop int) (from, to int) {
	if !promising(s[stop:]) {
		return -1, -1
	}
	said := assignment{}.senseOf(s, start, stop)
	if !said.strong() && said.how != byChance && said.how != byToken || stop-start == len("pass") && said == passSense && !strings.HasPrefix(s[stop:], "</") && !foldContains(s[lineBegin(s, start):start], logins) {
		return -1, -1 // pass is what callers do
	}
	if stop < len(s) && strings.IndexByte("./", s[stop]) >= 0 || start > 0 && s[start-1] == '/' && !strings.HasPrefix(s[stop:], " '") && !strings.HasPrefix(s[stop:], " \"") && !strings.HasPrefix(s[stop:], " - ") || strings.HasPrefix(s[stop:], "화") {
		return -1, -1 // a part of a longer name, or of a path
	}
	b := beyond{text: s, start: start, stop: stop, sense: said}
	for _, way := range [...]func(beyond) (from, to int, likely bool){argumentOf, elementAfter, blockDefault, cellAfter} {
		if from, to, likely := way(b); from >= 0 {
			if v := clip(s[from:to], judged); b.sense.sure(v) || likely && b.sense.tells(v) {
				return from, to
			}
		}
	}
	return near(b)
}

// promising reports whether something on the line, or on those that a colon or an arrow announces, may be a secret: a digit, a
// quote, what joins the words of a phrase, or a long word. It is asked at every telling word of a text.
func promising(s string) bool {
	const far = 96
	run := 0 // letters and signs of ASCII since the last blank
	for i := range min(len(s), far) {
		if run++; s[i] >= 0x80 {
			run = 0
		}
		switch c := s[i]; {
		case digit.has(c), c == '"', c == '\'', c == '`', c == '-', c == '>', run > longWord:
			return true
		case c == ' ':
			run = 0
			if strings.HasPrefix(s[i:], " is ") || strings.HasPrefix(s[i:], "  ") {
				return true
			}
		case c == '\n':
			return i > 0 && s[i-1] == ':'
		}
	}
	return false
}

// beyond is a name in a text and what it says.
type beyond struct {
	text        string
	start, stop int
	sense       sense
}

// strong reports whether the name decides nearly alone.
func (s sense) strong() bool { return s.how == byName || s.how == byShape || s.how == byPass }

// sure reports whether v is a secret even where it may not be the value of the name.
func (s sense) sure(v string) bool {
	if len(v) < shortestPassword || filler(v) || harmless(v) {
		return false
	}
	if s.strong() && s.rule != namedToken && s.rule != namedKey {
		return made(v) || chance(v)
	}
	return chance(v)
}

// argumentOf finds the first argument of a function with the name: setPassword("…"). A function that sets is given the secret.
func argumentOf(b beyond) (from, to int, likely bool) {
	s := b.text
	if b.stop == len(s) || s[b.stop] != '(' {
		return -1, -1, false
	}
	from = b.stop + 1 + blanks(s[b.stop+1:])
	if n := dotted.run(s[from:]); n > 0 && strings.HasPrefix(s[from+n:], "(") {
		from += n + 1 // what is given is encoded first
	}
	from, to = literalAt(s, from)
	name := s[b.start:b.stop]
	likely = b.sense.strong() && (lower.in(name) == 0 || b.start > 0 && b.text[b.start-1] == '.') // of SQL, of a builder
	for _, verb := range [...]string{"set", "Set", "with", "With", "use", "update", "change", "check", "verify"} {
		likely = likely || strings.HasPrefix(name, verb) && b.sense.strong()
	}
	return from, to, likely
}

// elementAfter finds the text of the element behind the one that holds the name: <key>token</key><string>…</string>.
func elementAfter(b beyond) (from, to int, likely bool) {
	rest := clip(b.text[b.stop:], usualWindow)
	before := b.text[max(0, b.start-longestName):b.start]
	before = strings.TrimRight(before, ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if !strings.HasPrefix(rest, "</") || !strings.HasSuffix(before, ">") {
		return -1, -1, false
	}
	before = before[:len(before)-1]
	if !labelling().has(before[strings.LastIndexByte(before, '<')+1:]) {
		return -1, -1, false
	}
	i := strings.IndexByte(rest, '>') + 1
	i += leading(rest[i:], " \t\r\n")
	if i == 0 || i+1 >= len(rest) || rest[i] != '<' || rest[i+1] == '/' {
		return -1, -1, false
	}
	n := strings.IndexByte(rest[i:], '>')
	if n < 0 {
		return -1, -1, false
	}
	from = b.stop + i + n + 1
	to = from + indexOr(b.text[from:], "<\r\n")
	return from, to, true
}

// labelling are elements whose text says what the one behind them is.
var labelling = words("key name dt td th label field b strong code param-name")

// blockDefault finds the value of a block that the name is the label of: variable "password" { default = "…" }.
func blockDefault(b beyond) (from, to int, likely bool) {
	s := b.text
	i := b.stop + leading(clip(s[b.stop:], longestBlank), `\" :`)
	if i == len(s) || s[i] != '{' || i == b.stop {
		return -1, -1, false
	}
	block := clip(s[i:], usualWindow)
	block = block[:indexOr(block, "}")]
	for _, member := range [...]string{"default", "alue"} {
		if n := strings.Index(block, member); n >= 0 {
			n += len(member)
			n += leading(block[n:], "Value")
			n += leading(clip(block[n:], 1), `"`)
			from, to = literalAt(s, i+n+leading(block[n:], " \t=:"))
			return from, to, true
		}
	}
	return -1, -1, false
}

// cellAfter finds the one word behind a name that begins its line: the cell of a column, the argument of a directive.
func cellAfter(b beyond) (from, to int, likely bool) {
	s := b.text
	n := blanks(s[b.stop:])
	from = b.stop + n
	to = from + indexOr(s[from:], "\r\n")
	if f, t := literalAt(s, from); f >= 0 && strings.TrimSpace(s[t+1:max(t+1, to)]) == "" {
		from, to = f, t
	}
	v := strings.TrimRight(s[from:to], " \t")
	head := s[lineBegin(s, b.start):b.start]
	alone := strings.Trim(head[:len(head)-trailing(head, dotted)], " \t") == ""
	capital := lower.in(s[b.start:b.stop]) == 0 && b.stop-b.start > len("SECRET")
	if n == 0 || v == "" || fields(v) > 1 || alnum.in(v) < shortestEntry || v[0] == '[' || coded(v) || !alone && !capital {
		return -1, -1, false
	}
	word := selector(v)
	return from, from + len(v), capital || (n > 1 || digit.in(v) > 0) && !(word && (n == 1 || site{text: s, start: b.start, stop: b.stop, value: from}.code()))
}

// tellers are the words after which a sentence says what the secret is.
var tellers = words("is was are to be as with ist lautet es est e und and set now mot auf fill type sendkeys send_keys setvalue value")

// near finds what stands behind the name on its line, or alone in the paragraph that a colon announces: a literal that looks
// like a secret, or a word that nothing parts from the name but signs, words that tell, and letters of a script in which no
// passwords are written.
func near(b beyond) (from, to int) {
	const mostGlue, mostWords, longest = 96, 7, 14
	s := b.text
	end := min(len(s), b.stop+mostGlue)
	told, words := true, 0
	for i := b.stop; i < end; {
		c := s[i]
		q, width := opening(s[i:])
		begins := i > b.stop && !(alnum | underscore).has(s[i-1]) && !strings.HasSuffix(s[:i], "]")
		if begins && told && strings.IndexByte(" \t\r\n(|{=", c) < 0 && s[i-1] != ':' && !(s[i-1] == '(' && alnum.has(s[i-2])) {
			if from, to = b.given(i, words > 0); from >= 0 {
				return from, to
			}
		}
		switch {
		case c == '\'' && alnum.has(s[i-1]) && i+1 < end && alnum.has(s[i+1]):
			return -1, -1 // an apostrophe
		case q.close != "" && i > b.stop+1:
			if s[i-1] == '=' && trailing(s[b.stop:i-1], word) > 0 && !valueName(s[i-1-trailing(s[b.stop:i-1], word):i-1]) {
				return -1, -1 // of another name
			}
			from = i + width
			to = from + q.run(s[from:])
			v := clip(s[from:to], judged)
			if v != "" && to < len(s) && s[to] != '\n' && !joined(v, true) && !pathlike(v) && (b.sense.sure(v) || (told || b.sense.strong()) && b.gives(v, true)) {
				return from, to
			}
			if next := to + width; word.only(v) && next < len(s) && strings.IndexByte(":=", s[next]) >= 0 {
				return -1, -1 // another name
			}
			i += width
		case word.has(c):
			n := bareRun(s[i:])
			if v := clip(s[i:i+n], judged); begins && i > b.stop+1 && strings.IndexByte(">[(<:", s[i-1]) >= 0 && b.sense.sure(v) && !pathlike(v) && (mingled(v) || enclosed(s[i-1], s[i+n:])) {
				return i, i + n
			}
			w := word.run(s[i:])
			if words++; words > mostWords || w > longest || digit.in(s[i:i+w]) > 2 {
				return -1, -1
			}
			if s[i:i+w] == "to" && b.sense.rule == namedSecret {
				return -1, -1 // the secret to good bread
			}
			told = tellers().has(s[i:i+w]) || told && w == 1 && (digit|hyphen).has(c)
			i += w
		case c == '\n':
			if strings.HasSuffix(s[b.stop:i], ":") {
				return paragraphAt(s, i)
			}
			if words++; !strings.HasSuffix(s[b.stop:i], "=>") {
				return -1, -1
			}
			i++
		case c == ';' && !strings.Contains(s[b.stop:i], "{"), c == ',' && strings.IndexByte("\"'", s[i-1]) < 0, c == '#', c == '.' && i+1 < end && s[i+1] == ' ' && s[i-1] != '.', c == '?' && i+1 < end && s[i+1] != '?' && s[i+1] != ':' && s[i-1] != '?', c == '!':
			return -1, -1
		default:
			told = told && strings.IndexByte("|=&>/+,", c) < 0 || c == ':' || c == '>' && strings.IndexByte("-=", s[i-1]) >= 0 || c >= 0x80 // an arrow, a verb
			i++
		}
	}
	return -1, -1
}

// given returns the word at i, which a sentence gives for the name, when it is a secret. A user may stand before it.
func (b beyond) given(i int, told bool) (from, to int) {
	if from, to = sentenceWord(b.text, i); from < 0 {
		user := word.run(b.text[i:])
		if b.sense.rule != namedCredential || user == 0 || strings.IndexByte("/:", b.text[min(i+user, len(b.text)-1)]) < 0 {
			return -1, -1
		}
		return sentenceWord(b.text, i+user+1)
	}
	if b.gives(clip(b.text[from:to], judged), told) {
		return from, to
	}
	return -1, -1
}

// gives reports whether v is a secret where nothing but what tells stands between it and the name.
func (b beyond) gives(v string, told bool) bool {
	return chance(v) || mingled(v) && !phrase(v) && digit.in(v) > 1 || told && chosenWord(v) || b.sense.strong() && (b.sense.rule == namedPassword || told && b.sense.rule != namedToken && b.sense.rule != namedKey || chosenWord(v)) && (made(v) || chosenWord(v))
}

// paragraphAt finds what looks made by a machine and stands alone in the paragraph that a colon announces.
func paragraphAt(s string, i int) (from, to int) {
	from = i + leading(clip(s[i:], longestBlank), " \t\r\n")
	to = from + indexOr(s[from:], "\r\n")
	if v := clip(s[from:to], judged); !chance(v) && !mingled(v) || fields(v) > 1 {
		return -1, -1
	}
	return from, to
}

// enclosed reports whether what stands around a word shows that it is the text of an element or the cell of a table.
func enclosed(before byte, after string) bool {
	return before == '>' && strings.HasPrefix(after, "</") || strings.HasPrefix(strings.TrimLeft(clip(after, longestBlank), " "), "│")
}

// pathlike reports whether v has parts as the names of files have them.
func pathlike(v string) bool {
	if i := strings.LastIndexByte(v, '.'); i > 0 && len(v)-i > 2 && len(v)-i < 6 && lower.only(v[i+1:]) && (dotted | slash).only(v) {
		return true // with the ending of a file
	}
	return strings.Contains(v, "/") && !chance(v) || strings.Contains(v, "://") || path(v) || strings.HasPrefix(v, ".") || strings.HasPrefix(v, "#")
}

// literalAt returns where the text of a literal is whose quote stands at i, or -1, -1. It ends on its line.
func literalAt(s string, i int) (from, to int) {
	if i >= len(s) {
		return -1, -1
	}
	i += constructor(s[i:])
	q, width := opening(s[i:])
	if q.close == "" {
		return -1, -1
	}
	from = i + width
	to = from + q.value(s[from:])
	if to == from || to == len(s) || s[to] == '\n' || joined(s[from:to], true) {
		return -1, -1
	}
	return from, to
}
