package text

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// tags are the tags, in lower case, that have a meaning for clients of agents.
var tags = map[string]bool{}

// DeclareTags registers the names of tags that have a meaning in a client's messages to its model or in its display. It is
// called while package variables are initialised. A tag may be declared twice.
func DeclareTags(names ...string) {
	for _, name := range names {
		tags[strings.ToLower(name)] = true
	}
}

// Inert makes a foreign text safe for an agent to read: recorded text must not end the client's own element, speak as the
// client, or hide words from the person. It visibly breaks the tags that have a meaning for clients: "</system-reminder>"
// becomes "<\/system-reminder>". It also removes invisible characters (see Seen). It is the last step for every text for an
// agent, and idempotent.
func Inert(s string) string { return breakTags(Seen(s), `\`) }

// InertJSON is Inert for the strings of a JSON document in which < is not escaped.
func InertJSON(s string) string { return breakTags(Seen(unescaped(s)), `\\`) }

// unescaped removes the escapes \uXXXX of unseen characters from the strings of a JSON document. It replaces the escapes of
// line breaks other than \n by blanks.
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

// breakTags inserts a mark after each < that begins a declared tag or a mark of Marked.
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

// isOwnMark reports whether s, which follows a <, continues as a mark of Marked, in any spelling that a model would still
// read.
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

// maxTag bounds the part of a tag that is read, in bytes: the longest name, with room for blanks and unseen characters.
const maxTag = 128

// isTag reports whether s, which follows a <, begins with the name of a declared tag, in any spelling that a model would still
// read: in any case, opening or closing, with blanks in front and unseen characters in between.
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
		break // any other character ends the name
	}
	return tags[strings.TrimSpace(name.String())]
}
