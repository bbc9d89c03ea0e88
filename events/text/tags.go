package text

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// tags are the tags, in lower case, that have a meaning for clients of agents.
var tags = map[string]bool{}

// DeclareTags registers tags that have a meaning in a client's messages to its model or in its display: their names,
// without attributes. It is called from package variables; several may declare the same tag.
func DeclareTags(names ...string) {
	for _, name := range names {
		tags[strings.ToLower(name)] = true
	}
}

// Inert makes a foreign text safe for an agent to read. It visibly breaks the tags that have a meaning for clients:
// "</system-reminder>" becomes "<\/system-reminder>". It also removes what nobody would see (see Seen). What was
// recorded is data: it must not end the client's own element, speak as the client, or hide words from the person. Every
// text for an agent goes through it, and nothing changes its result afterwards. It is idempotent.
func Inert(s string) string { return breakTags(Seen(s), `\`) }

// InertJSON is Inert for the strings of a JSON document with unescaped brackets.
func InertJSON(s string) string { return breakTags(Seen(unescaped(s)), `\\`) }

// unescaped removes the escapes of unseen characters from the strings of a JSON document, except tabs, line breaks and
// surrogates.
func unescaped(s string) string {
	var b strings.Builder
	written := 0
	for at := 0; ; {
		next := strings.IndexByte(s[at:], '\\')
		if next < 0 || at+next+1 >= len(s) {
			break
		}
		at += next
		if end := at + len(`\u0000`); s[at+1] == 'u' && end <= len(s) {
			if r, err := strconv.ParseUint(s[at+2:end], 16, 16); err == nil && unseen(rune(r)) {
				b.WriteString(s[written:at])
				if otherBreak(rune(r)) {
					b.WriteByte(' ')
				}
				written = end
			}
		}
		at += 2
	}
	return b.String() + s[written:]
}

func breakTags(s, mark string) string {
	var b strings.Builder
	written := 0
	for at := 0; ; {
		next := strings.IndexByte(s[at:], '<')
		if next < 0 {
			break
		}
		at += next + 1
		if isTag(s[at:]) || isOwnMark(s[at:]) {
			b.WriteString(s[written:at])
			b.WriteString(mark)
			written = at
		}
	}
	return b.String() + s[written:]
}

// isOwnMark reports whether the rest of a mark of ours follows a bracket (see Marked), in any spelling that a model would
// still read.
func isOwnMark(s string) bool {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s[:min(len(s), maxTag)])
	comment, found := strings.CutPrefix(strings.TrimSpace(s), "!")
	words := strings.Join(strings.Fields(strings.TrimLeft(comment, "- \t\n")), " ")
	return found && slices.ContainsFunc(ownTags, func(tag string) bool { return strings.HasPrefix(words, tag) })
}

// maxTag bounds how much of a tag is read, in bytes: the longest name, with room for blanks and unseen characters.
const maxTag = 128

// isTag reports whether the name of a declared tag follows a bracket, in any spelling that a model would still read: in
// any case, opening or closing, with blanks in front and unseen characters in between.
func isTag(s string) bool {
	s = s[:min(len(s), maxTag)]
	var name strings.Builder
	for _, r := range s {
		blank := unicode.IsSpace(r)
		switch {
		case unicode.Is(unicode.Cf, r), (blank || r == '/') && name.Len() == 0:
			continue
		case blank:
			if tags[name.String()] {
				return true // attributes follow
			}
			name.WriteByte(' ')
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-:.", r):
			name.WriteRune(unicode.ToLower(r))
			continue
		}
		break
	}
	return tags[strings.TrimSpace(name.String())]
}
