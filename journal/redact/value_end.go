package redact

import "strings"

// This file finds the end of a value without quotes: the end of its line, or of a word.

// beginsLine reports whether the name begins its line. Before the name may stand the number of the line, the sign of a diff or a list,
// the name of a file, a word that assigns, and up to three words of a title.
func (n namedValue) beginsLine() bool {
	s := n.text
	head := s[lineBegin(s, n.start):n.start]
	if q := n.openQuote(); q != 0 {
		head = head[strings.LastIndexByte(head, q)+1:]
	}
	if len(head) > 2*longestName {
		return false
	}
	head = strings.TrimRight(head, "\"'`*([")
	head = strings.TrimSuffix(head, (dotted | slash | colon | sigil).tail(head))
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

// valueEnd returns the index at which the value at from ends, if it is the rest of its line: before blanks and a comment.
func (n namedValue) valueEnd(from int) int {
	s := n.text
	line := s[from:lineEnd(s, from)]
	if q := n.openQuote(); q != 0 {
		line = n.inQuotes(q, line)
		for _, escape := range [...]string{`\n`, `\r`, `\t`} {
			line, _, _ = strings.Cut(line, escape)
		}
	}
	for _, end := range [...]string{" #", "\t#", " //", " ;", "  <", "</"} {
		line, _, _ = strings.Cut(line, end)
	}
	return from + len(strings.TrimRight(line, " \t"))
}

// wordEnd returns the index at which the value at from ends, if it is a word: before a blank, before the closing quote of a literal
// around it, or before the next of several pairs.
func (n namedValue) wordEnd(from int) int {
	s := n.text
	word := s[from : from+indexOr(s[from:], " \t\r\n\v\f\x00")]
	if q := n.openQuote(); q != 0 {
		word = n.inQuotes(q, word)
	} else {
		word, _, _ = strings.Cut(word[:indexOr(word, "\"'`")], "</")
	}
	switch {
	case n.query && s[n.start-1] == ';': // a connection string
		return from + indexOr(word, ";\\")
	case n.query:
		return from + indexOr(word, "&#;)>]},\\")
	case s[n.stop] == '%': // a parameter within the value of another
		word, _, _ = strings.Cut(word, "%26")
		return from + indexOr(word, "&#;)>]},\\")
	}
	head := s[lineBegin(s, n.start):n.start]
	for i := range len(word) {
		c, rest := word[i], word[i+1:]
		switch {
		case c == '\\' && rest != "" && strings.IndexByte("nrt", rest[0]) >= 0:
			return from + i // an escape in JSON
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

// openQuote returns the quote of a literal that begins before the value, on the line of its name, and is not closed there, or 0.
func (n namedValue) openQuote() (q byte) {
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

// inQuotes returns the part of rest, the text from the value on, that is in the literal with quote q, and in the literal within that
// literal that the name begins, if there is one: "curl -H 'X-Api-Key: …'".
func (n namedValue) inQuotes(q byte, rest string) string {
	rest = rest[:quote{close: string(q)}.value(rest)]
	inner := n.text[max(0, n.start-1)]
	if strings.IndexByte("\"'`", inner) >= 0 && strings.IndexByte(n.text[n.start:n.value], inner) < 0 {
		rest = rest[:quote{close: string(inner)}.value(rest)]
	}
	return rest
}
