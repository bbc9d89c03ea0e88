package redact

import "strings"

// This file finds the passages that a person keeps out of the log with two tags (ADR-0016 rule 7).

// The opening tag and the closing tag end with privateTag, which is searched for: a v is rarer than a p. People and phones also write
// them with capitals.
const privateOpen, privateClose, privateTag = "<pri", "</pri", "vate>"

// namedPrivate is the rule of private passages.
var namedPrivate = &Rule{Kind: "private"}

// private returns the private passages of s, in order. Passages can nest. Without its closing tag a passage reaches to the end of
// the text, and without its opening tag it begins at the start: the missing tag may be in a part that was cut out of the text.
func private(s string) (found []span) {
	s = strings.ReplaceAll(s, "VATE>", privateTag) // no byte changes its place
	from, depth := 0, 0
	for at := 0; strings.Contains(s[at:], privateTag); {
		begin := at + strings.Index(s[at:], privateTag)
		at = begin + len(privateTag)
		switch quoted := strings.HasPrefix(s[at:], "`"); {
		case quoted && (endsWith(s[:begin], "`"+privateClose) || endsWith(s[:begin], "`"+privateOpen)):
			// The tag is in the quotes of a text about it.
		case endsWith(s[:begin], privateClose):
			if depth--; depth < 0 {
				depth, from, found = 0, 0, found[:0]
			}
			if depth == 0 {
				found = append(found, span{from: from, to: at, rule: namedPrivate})
			}
		case endsWith(s[:begin], privateOpen):
			if depth++; depth == 1 {
				from = begin - len(privateOpen)
			}
		}
	}
	if depth > 0 {
		found = append(found, span{from: from, to: len(s), rule: namedPrivate})
	}
	return found
}

// endsWith reports whether s ends with a tag, in upper or lower case.
func endsWith(s, tag string) bool {
	return len(s) >= len(tag) && strings.EqualFold(s[len(s)-len(tag):], tag)
}
