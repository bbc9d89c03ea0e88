package text

import (
	"strconv"
	"strings"
	"unicode"
)

// tags are those to which the clients of agents give a meaning, by their names in lower
// case.
var tags = map[string]bool{}

// DeclareTags registers tags to which a client gives a meaning in what it hands to its
// model, or shows: names as they stand between the brackets, attributes aside. It is for
// the variables of packages; a tag may be declared by several.
func DeclareTags(names ...string) {
	for _, name := range names {
		tags[strings.ToLower(name)] = true
	}
}

// Inert makes of a foreign text what an agent may read. It breaks up the tags to which clients
// give a meaning, visibly: "</system-reminder>" becomes "<\/system-reminder>". And it takes out
// what nobody would see (see Seen). What was recorded is data: it must not end what the client
// put it into, nor speak as the client, nor hide words from the person. Every text for an agent
// goes through it; what it leaves nobody changes again: Inert of its result is the same.
func Inert(s string) string { return broken(Seen(s), `\`) }

// InertJSON is Inert of the strings of a JSON document in which brackets stand as they are.
func InertJSON(s string) string { return broken(Seen(unescaped(s)), `\\`) }

// unescaped takes the escapes of unseen characters out of the strings of a JSON document,
// those of tabs, line breaks and halves of a pair aside.
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

func broken(s, mark string) string {
	var b strings.Builder
	written := 0
	for at := 0; ; {
		next := strings.IndexByte(s[at:], '<')
		if next < 0 {
			break
		}
		at += next + 1
		if isTag(s[at:]) {
			b.WriteString(s[written:at])
			b.WriteString(mark)
			written = at
		}
	}
	if written == 0 {
		return s
	}
	b.WriteString(s[written:])
	return b.String()
}

// maxTag bounds what is read of a tag, in bytes: the longest name with room for blanks
// and for characters that nobody sees.
const maxTag = 128

// isTag says whether what follows a bracket is the name of one of the tags, however a
// model would still read it: in whatever case, opening or closing, with
// blanks before it and characters that cannot be seen in it.
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
