package redact

import "strings"

// This file decides where a value without quotes ends: with its line, or with a word.

// whole reports whether the name begins its line, but for what tools write before it: numbers of lines, marks of a diff or a
// list, the name of the file, what exports a variable, the words of a title.
func (n namedValue) whole() bool {
	s := n.text
	head := s[lineBegin(s, n.start):n.start]
	if q := n.within(); q != 0 {
		head = head[strings.LastIndexByte(head, q)+1:]
	}
	if len(head) > 2*longestName {
		return false
	}
	head = strings.TrimRight(head, "\"'`*([")
	head = strings.TrimSuffix(head, (dotted | slash | colon | ofVariables).tail(head))
	head = strings.TrimLeft(head, " \t")
	head = strings.TrimLeft(strings.TrimLeft(head, "0123456789"), "\u2192|: \t+-*<>#$•")
	titled := 0
	for w := range strings.FieldsSeq(head) {
		switch {
		case inList("assigning", w), strings.HasSuffix(w, ":") && letters.only(w[:len(w)-1]) && !n.tight():
		case (lower | upper).only(w), hasNonASCII(w):
			titled++
		default:
			return false
		}
	}
	return titled == 0 || titled < 4 && n.text[n.value-1] != '=' && !strings.Contains(n.text[n.stop:n.value], "=")
}

// valueEnd returns where the value at from ends that its line ends with: before a comment and blanks.
func (n namedValue) valueEnd(from int) int {
	s := n.text
	line := s[from:lineEnd(s, from)]
	ends := []string{`\n`, `\r`, `\t`, " #", "\t#", " //", " ;", "  <"}
	if q := n.within(); q != 0 {
		line = line[:quote{close: string(q)}.value(line)]
	} else {
		ends = ends[len("nrt"):] // which end a line only within quotes
	}
	for _, end := range ends {
		line, _, _ = strings.Cut(line, end)
	}
	return from + len(strings.TrimRight(line, " \t"))
}

// wordEnd returns where the value at from ends that a blank ends, or the quote that it stands within, or the next of several
// pairs.
func (n namedValue) wordEnd(from int) int {
	s := n.text
	word := s[from : from+indexOr(s[from:], " \t\r\n\v\f\x00")]
	if q := n.within(); q != 0 {
		word = word[:quote{close: string(q)}.value(word)]
	} else {
		word = word[:indexOr(word, "\"'`")]
	}
	switch {
	case n.query && s[n.start-1] == ';': // of a connection string
		return from + indexOr(word, ";\\")
	case n.query:
		return from + indexOr(word, "&#;)>]},\\")
	case s[n.stop] == '%': // a parameter within one
		return from + indexOr(word, "%")
	}
	head := s[lineBegin(s, n.start):n.start]
	for i := range len(word) {
		c, rest := word[i], word[i+1:]
		switch {
		case c == '\\' && rest != "" && strings.IndexByte("nrt", rest[0]) >= 0:
			return from + i // of a text of JSON
		case c == ',' && !n.flag, c == ';':
			name := dotted.run(rest)
			if rest == "" || name > 0 && name < len(rest) && strings.IndexByte("=:", rest[name]) >= 0 {
				return from + i
			}
		case c == ')' && unclosed(head, "(", ")"), c == '}' && unclosed(head, "{", "}"), c == ']' && unclosed(head, "[", "]"):
			return from + i
		}
	}
	if !n.tight() && !n.flag {
		word = strings.TrimRight(word, ".,;:)")
	}
	return from + len(word)
}

// unclosed reports whether s has more opening than closing brackets.
func unclosed(s, open, closed string) bool { return strings.Count(s, open) > strings.Count(s, closed) }

// within returns the quote that opens before the value on the line of its name and is not closed there, or 0.
func (n namedValue) within() (q byte) {
	s := n.text
	head := s[lineBegin(s, n.start):n.value]
	for i := 0; i < len(head); i++ {
		switch c := head[i]; {
		case c == '\\':
			i++
		case c == q:
			q = 0
		case q == 0 && (c == '"' || c == '`' || c == '\'' && (i == 0 || !alnum.has(head[i-1]))):
			q = c
		}
	}
	return q
}
