package redact

import "strings"

// Nothing of what a person puts between these is stored (ADR-0016 rule 7).
const privateOpen = "<private>"
const privateClose = "</private>"

// namedPrivate is the kind of private passages.
var namedPrivate = &Rule{Kind: "private"}

// private returns the private passages of s, in order. Passages nest. One that is not closed reaches to the end of the text,
// and one that is only closed begins at its start: texts may have been cut before, and the missing tag may be in the part
// that was cut out.
func private(s string) (found []span) {
	if !strings.Contains(s, "vate>") { // a v is rarer than a p
		return nil
	}
	from, depth := 0, 0
	for at := 0; at < len(s); {
		switch rest := s[at:]; {
		case strings.HasPrefix(rest, privateOpen):
			if depth == 0 {
				from = at
			}
			depth++
			at += len(privateOpen)
		case strings.HasPrefix(rest, privateClose):
			at += len(privateClose)
			switch depth {
			case 0:
				found = append(found[:0], span{to: at, rule: namedPrivate})
			case 1:
				found = append(found, span{from: from, to: at, rule: namedPrivate})
				depth = 0
			default:
				depth--
			}
		default:
			next := strings.IndexByte(rest[1:], '<')
			if next < 0 {
				at = len(s)
			} else {
				at += 1 + next
			}
		}
	}
	if depth > 0 {
		found = append(found, span{from: from, to: len(s), rule: namedPrivate})
	}
	return found
}
