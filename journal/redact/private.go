package redact

import "strings"

// This file decides what a person keeps out of the log: nothing between the two tags is stored (ADR-0016 rule 7).

const privateOpen, privateClose, privateTag = "<pri", "</pri", "vate>" // a v is rarer than a p

// namedPrivate is the kind of private passages.
var namedPrivate = &Rule{Kind: "private"}

// private returns the private passages of s, in order. Passages nest. One that is not closed reaches to the end of the text,
// and one that is only closed begins at its start: texts may have been cut before, and the missing tag may be in the part
// that was cut out.
func private(s string) (found []span) {
	from, depth := 0, 0
	for at := 0; strings.Contains(s[at:], privateTag); {
		begin := at + strings.Index(s[at:], privateTag)
		at = begin + len(privateTag)
		switch quoted := strings.HasPrefix(s[at:], "`"); {
		case quoted && (strings.HasSuffix(s[:begin], "`"+privateClose) || strings.HasSuffix(s[:begin], "`"+privateOpen)):
			// A text about the tags.
		case strings.HasSuffix(s[:begin], privateClose):
			if depth--; depth < 0 {
				depth, from, found = 0, 0, found[:0]
			}
			if depth == 0 {
				found = append(found, span{from: from, to: at, rule: namedPrivate})
			}
		case strings.HasSuffix(s[:begin], privateOpen):
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
