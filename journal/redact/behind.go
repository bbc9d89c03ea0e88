package redact

import "strings"

// behind finds the value of the name s[start:stop] that no colon or equals sign joins to it: an argument, a default, a quoted
// word, a cell, the end of a sentence. What joins them says little, so the value must look like a secret.
func behind(s string, start, stop int) (from, to int) {
	if !promising(s[stop:]) {
		return -1, -1
	}
	said := senseOf(s[start:stop])
	if !said.strong() && said.how != byChance && said.how != byToken || stop-start == len("pass") && said == passSense && !strings.HasPrefix(s[stop:], "</") {
		return -1, -1 // pass is what callers do
	}
	if stop < len(s) && strings.IndexByte("./", s[stop]) >= 0 || start > 0 && s[start-1] == '/' {
		return -1, -1 // a part of a longer name, or of a path
	}
	b := beyond{text: s, start: start, stop: stop, sense: said}
	for _, way := range [...]func(beyond) (from, to int, likely bool){argumentOf, elementAfter, blockDefault, cellAfter, toldAfter, literalAfter} {
		if from, to, likely := way(b); from >= 0 {
			if v := clip(s[from:to], judged); b.sense.sure(v) || likely && b.sense.tells(v) {
				return from, to
			}
		}
	}
	return -1, -1
}

// promising reports whether something on the line, or on those that a colon or an arrow announces, may be a secret: a digit, a
// quote, or what joins the words of a phrase. It is asked at every telling word of a text.
func promising(s string) bool {
	const far = 96
	for i := range min(len(s), far) {
		switch c := s[i]; {
		case digit.has(c), c == '"', c == '\'', c == '`', c == '-', c == '>':
			return true
		case c == ' ' && (strings.HasPrefix(s[i:], " is ") || strings.HasPrefix(s[i:], "  ")):
			return true
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
	from, to = literalAt(s, from)
	name := s[b.start:b.stop]
	for _, verb := range [...]string{"set", "Set", "with", "With", "use", "update", "change"} {
		likely = likely || strings.HasPrefix(name, verb) && b.sense.strong()
	}
	return from, to, likely
}

// elementAfter finds the text of the element behind the one that holds the name: <key>token</key><string>…</string>.
func elementAfter(b beyond) (from, to int, likely bool) {
	rest := clip(b.text[b.stop:], usualWindow)
	if !strings.HasPrefix(rest, "</") || b.start == 0 || b.text[b.start-1] != '>' {
		return -1, -1, false
	}
	before := b.text[max(0, b.start-longestWord) : b.start-1]
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

// blockDefault finds the default of a block that the name is the label of: variable "password" { default = "…" }.
func blockDefault(b beyond) (from, to int, likely bool) {
	s := b.text
	i := b.stop + leading(clip(s[b.stop:], 2), `\"`)
	i += blanks(s[i:])
	if i == len(s) || s[i] != '{' || i == b.stop {
		return -1, -1, false
	}
	block := clip(s[i:], usualWindow)
	block = block[:indexOr(block, "}")]
	n := strings.Index(block, "default")
	if n < 0 {
		return -1, -1, false
	}
	n += len("default")
	n += leading(block[n:], " \t=")
	from, to = literalAt(s, i+n)
	return from, to, true
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
var tellers = words("is was are to lautet ist es est e as")

// toldAfter finds what a sentence says the secret is: the password of the database is …, token …
func toldAfter(b beyond) (from, to int, likely bool) {
	const mostWords = 7
	s := b.text
	i := b.stop
	for range mostWords {
		n := blanks(s[i:])
		if n == 0 && (i == b.stop || s[i-1] != ' ') {
			return -1, -1, false
		}
		i += n
		w := letters.run(s[i:])
		if !tellers().has(s[i : i+w]) {
			q, width := opening(s[i:])
			from = i + width
			to = from + bareRun(s[from:])
			if q.close == "" {
				to = from + len(strings.TrimRight(s[from:to], ".,;:!?*"))
			}
			if v := clip(s[from:to], judged); to > from && (i == b.stop+n || q.close != "") && b.sense.sure(v) && (!codeName(v) || b.sense.rule == namedPassword && phrase(v)) && (digit.in(v) > 0 || q.close != "") && (b.sense.rule == namedPassword || q.close != "" || mingled(v)) {
				return from, to, false
			}
			if w > 0 && i+w < len(s) && s[i+w] == ':' {
				return paragraphAt(s, i+w+1)
			}
			if w == 0 || i+w < len(s) && s[i+w] != ' ' {
				return -1, -1, false
			}
			i += w
			continue
		}
		i += w
		i += blanks(s[i:])
		if strings.HasPrefix(s[i:], ":") {
			i++
		}
		i += blanks(s[i:])
		if from, to = sentenceWord(s, i); from >= 0 && (b.sense.strong() || chance(clip(s[from:to], judged))) {
			return from, to, true
		}
	}
	return -1, -1, false
}

// paragraphAt finds what looks made by a machine and stands alone in the paragraph that a colon announces.
func paragraphAt(s string, i int) (from, to int, likely bool) {
	n := leading(clip(s[i:], longestBlank), " \t\r\n")
	if !strings.Contains(s[i:i+n], "\n") {
		return -1, -1, false
	}
	from = i + n
	to = from + indexOr(s[from:], "\r\n")
	if !chance(clip(s[from:to], judged)) {
		return -1, -1, false
	}
	return from, to, false
}

// literalAfter finds the first literal on the line that looks like a secret, where nothing stands between it and the name but
// signs and a few words: 'password').fill('…', password <- "…", password[] = "…", <password type="x">….
func literalAfter(b beyond) (from, to int, likely bool) {
	const mostGlue, longestGlue, mostWords = 56, 14, 4
	s := b.text
	end := min(len(s), b.stop+mostGlue)
	lines, words := 0, 0
	for i := b.stop; i < end; {
		switch c := s[i]; {
		case c == '\'' && alnum.has(s[i-1]) && i+1 < end && alnum.has(s[i+1]):
			return -1, -1, false // an apostrophe
		case strings.IndexByte("\"'`", c) >= 0 && i > b.stop+1:
			q, width := opening(s[i:])
			from = i + width
			to = from + q.run(s[from:])
			if v := clip(s[from:to], judged); to > from && to < len(s) && s[to] != '\n' && !joined(v, true) && b.sense.sure(v) && !pathlike(v) {
				return from, to, false
			}
			if next := to + width; to > from && word.only(s[from:to]) && next < len(s) && strings.IndexByte(":=", s[next]) >= 0 {
				return -1, -1, false // another name
			}
			i++
		case word.has(c):
			n := bareRun(s[i:])
			v := clip(s[i:i+n], judged)
			if i-b.stop > 1 && strings.IndexByte(">:[(-<\x82", s[i-1]) >= 0 || i > b.stop+2 && s[i-1] == ' ' && strings.IndexByte(">-:<\x82", s[i-2]) >= 0 {
				if b.sense.sure(v) && !pathlike(v) && (mingled(v) || enclosed(s[i-1], s[i+n:])) {
					return i, i + n, false
				}
			}
			w := word.run(s[i:])
			if words++; words > mostWords || w > longestGlue || digit.in(s[i:i+w]) > 2 {
				return -1, -1, false
			}
			i += w
		case c == '\n':
			if lines++; lines > 1 || !strings.HasSuffix(s[b.stop:i], "=>") {
				return -1, -1, false
			}
			i++
		case c == ';' && !strings.Contains(s[b.stop:i], "{"), c == ',' && strings.IndexByte("\"'", s[i-1]) < 0, c == '#', c == '.' && i+1 < end && s[i+1] == ' ', c == '?', c == '!':
			return -1, -1, false
		default:
			i++
		}
	}
	return -1, -1, false
}

// enclosed reports whether what stands around a word shows that it is the text of an element or the cell of a table.
func enclosed(before byte, after string) bool {
	return before == '>' && strings.HasPrefix(after, "</") || strings.HasPrefix(strings.TrimLeft(clip(after, longestBlank), " "), "│")
}

// pathlike reports whether v has parts as the names of files have them.
func pathlike(v string) bool {
	return strings.Contains(v, "/") && !chance(v) || path(v) || strings.HasPrefix(v, ".") || strings.HasPrefix(v, "#")
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
	to = from + q.run(s[from:])
	if to == from || to == len(s) || s[to] == '\n' || joined(s[from:to], true) {
		return -1, -1
	}
	return from, to
}
