package redact

import (
	_ "embed" // of the table of formats
	"math"
	"strconv"
	"strings"
)

// This file finds tokens by their shapes. formats.txt lists the shapes, and describes their syntax.

//go:embed formats.txt
var formatTable string

// alphabets are the sets of bytes that formats.txt names by a letter.
var alphabets = [128]charset{
	'd': digit, 'x': hex, 'X': hex | upper, 'n': lower | digit, 'N': upper | digit, 'U': upper, 'a': alnum, '_': alnum | underscore,
	'w': word, '.': dotted, 'p': dotted | percent, 'b': base64, 'B': base64 | word, 's': dotted | base64Sign | percent,
	't': dotted | tilde, 'c': alnum | dot | slash, 'i': word | slash, '3': upper | base32Digit, 'u': hex | hyphen,
}

// formats adds a rule for each line of formats.txt. A shape is parsed each time one of its keywords has occurred.
func formats(add func(*Rule) *Rule) {
	lines := strings.Count(formatTable, "\n")
	rules, keywords := make([]Rule, lines), make([]string, 0, 3*lines)
	for line := range strings.Lines(formatTable) {
		kind, rest, ok := strings.Cut(line, "\t")
		if !ok || line[0] == '#' {
			continue
		}
		shape, _, _ := strings.Cut(rest, "\t")
		r := add(&rules[0])
		rules = rules[1:]
		r.Name, r.Kind, r.format = shape, kind, format(shape)
		lead, words, _ := r.format.cut()
		r.leads = lead.least
		before := len(keywords)
		for word := range strings.SplitSeq(words, ",") {
			keywords = append(keywords, strings.Replace(word, "^", "", 1))
		}
		r.Keywords = keywords[before:]
		switch {
		case r.leads > 0, !alnum.has(words[0]): // any byte may stand before the token
		case indexOr(words, ",") < 5 && !strings.HasSuffix(shape, "!"): // so short a text also ends words and names of files
			r.apart = word | dot | slash
		default:
			r.apart = alnum
		}
	}
}

// format is the shape of a token, as it stands in formats.txt.
type format string

// segment is a part of a shape: <SET COUNT>.
type segment struct {
	set         charset
	least, most int // most is math.MaxInt without a bound
}

// cut splits a shape into the segment before the token's literal text, the spellings of that text, and the shape behind it.
func (f format) cut() (lead segment, words, behind string) {
	shape := string(f)
	if last := shape[len(shape)-1]; strings.IndexByte("!?~", last) >= 0 {
		shape = shape[:len(shape)-1]
	}
	if shape[0] == '<' {
		lead, shape = cutSegment(shape)
	}
	n := indexOr(shape, "<")
	return lead, shape[:n], shape[n:]
}

// cutSegment reads the segment that a shape begins with.
func cutSegment(shape string) (g segment, rest string) {
	text, rest, _ := strings.Cut(shape[1:], ">")
	count, open := strings.CutSuffix(text[1:], "+")
	g = segment{set: alphabets[text[0]], most: math.MaxInt}
	g.least, _ = strconv.Atoi(count)
	if !open {
		g.most = g.least
	}
	return g, rest
}

// find returns the bounds of the token whose literal text is s[at:end], or -1, -1.
func (f format) find(s string, at, end int) (from, to int) {
	lead, words, shape := f.cut()
	sign := f[len(f)-1] // !, ? or ~; any other byte for none
	if from = at - lead.least; !lead.set.only(s[from:at]) {
		return -1, -1
	}
	if strings.HasSuffix(words, "^") {
		from = end
	} else {
		from += max(0, strings.IndexByte(words, '^'))
	}
	uuid := shape == "<u36>"
	for to = end; shape != ""; {
		var g segment
		g, shape = cutSegment(shape)
		n := g.set.run(s[to:])
		if n > g.most && shape == "" && sign != '!' && !looksRandom(clip(s[from:to+n], judged)) {
			return -1, -1 // the beginning of something else
		}
		if n > g.most && (shape != "" || uuid) {
			n = g.most
		}
		text := shape[:indexOr(shape, "<")]
		if n < g.least || !strings.HasPrefix(s[to+n:], text) {
			return -1, -1
		}
		shape = shape[len(text):]
		to += n + len(text)
	}
	token, filling := clip(s[from:to], judged), clip(s[end:to], judged) // filling is the part behind the literal text
	switch {
	case sign == '~':
		return placeIf(digit.in(filling) > 2 || caseChanges(filling) > 4, from, to)
	case !genuine(token), uuid && !uuidLike(filling):
		return -1, -1
	case sign == '?':
		return placeIf(looksRandom(token) && !uuidLike(token) && (digit.in(token) > 1 || caseChanges(filling) > 4), from, to)
	}
	return placeIf(sign == '!' || uuid || hasRandomFilling(filling), from, to)
}

// hasRandomFilling reports whether the part of a token behind its literal text looks random, and not like words.
func hasRandomFilling(v string) bool {
	return digit.groups(v) > 3 || inWords(v)*2 <= len(v) && (digit.in(v) > 0 || caseChanges(v) > 2 || hasRandomLetters(v))
}
