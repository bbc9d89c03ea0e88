package redact

import "strings"

// Nothing of what a person puts between these is stored (ADR-0016 rule 7).
const (
	privateOpen  = "<private>"
	privateClose = "</private>"
	privateMark  = markOpen + "private" + markClose
)

// hidePrivate puts a mark in the place of every private passage. Passages nest. One that is not closed reaches to the
// end of the text, and one that is only closed begins at its start: texts may have been cut before, and the missing tag
// may be in the part that was cut out.
func hidePrivate(s string) string {
	if !strings.Contains(s, "private>") {
		return s
	}
	var kept strings.Builder
	start, depth := 0, 0 // of the text outside of passages that is not in kept yet
	for at := 0; at < len(s); {
		switch rest := s[at:]; {
		case strings.HasPrefix(rest, privateOpen):
			if depth == 0 {
				kept.WriteString(s[start:at])
				kept.WriteString(privateMark)
			}
			depth++
			at += len(privateOpen)
		case strings.HasPrefix(rest, privateClose):
			at += len(privateClose)
			switch depth {
			case 0:
				kept.Reset()
				kept.WriteString(privateMark)
				start = at
			case 1:
				start = at
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
	if depth == 0 {
		kept.WriteString(s[start:])
	}
	return kept.String()
}
