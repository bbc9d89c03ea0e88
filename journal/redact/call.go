package redact

import "strings"

// This file finds secrets among the arguments of calls: the password of a login, the key of a client.

// callArgument finds the last literal among the arguments that is a secret: a password in a call that logs in or hashes; a key in
// a call that makes a client; in a call of another capitalised name a value that is unmistakably a secret.
func callArgument(s string, at, end int) (from, to int) {
	open := at + strings.LastIndexAny(s[at:end], "([") + 1
	login, shortest := open == end, shortestKey // the keyword ends with the bracket: login(, hash(
	if login && foldContains(s[at:open], []string{"uth", "ogin", "nect"}) {
		shortest = shortestPassword // login, auth, connect: a password that a person chose
	}
	if s[end-1] != '\n' && !hasLiteral(clip(s[open:], longestLiterals), shortest) {
		return -1, -1
	}
	sole := login && s[open-2]|0x20 == 't'        // connect(, encrypt(: the password may be the only argument
	hashes := strings.Contains(s[at:open], "ash") // hash(, hashpw(
	client := !login && foldContains(s[max(0, at-longestWord):open], parts("clients"))
	name := (alnum | underscore).tail(s[max(0, open-longestWord):max(0, open-1)])
	capitalised := !login && name != "" && upper.has(name[0]) // new Telegraf(
	var few [8]bounds
	args := arguments(few[:0], s, open)
	for i := len(args) - 1; i >= 0; i-- {
		if from, to = args[i].literal(s); from < 0 {
			continue
		}
		v := clip(s[from:to], judged)
		switch {
		case login && (len(args) > 1 || sole || isSoleSecret(v, hashes)) && isPassword(v), client && isClientKey(v), capitalised && isConstructorKey(v):
			return from, to
		}
	}
	return -1, -1
}

// isSoleSecret reports whether v, the only argument of a call that logs in or hashes, is a secret and not a digest. hashes is set if
// the call hashes.
func isSoleSecret(v string, hashes bool) bool {
	key := len(v) >= longHex && len(v) != 40 && !hashes
	return hex.only(v) && key || !hex.only(v) && len(v) >= longWord && unmistakablePassword(v)
}

// isClientKey reports whether the argument of a client is its key, and not a commit, a path or an id.
func isClientKey(v string) bool {
	random := hex.only(v) && looksRandom(v) || !hex.only(v) && unmistakable(v)
	short := len(v) >= 10 && v[0] != '/' && !uuidLike(v) && !pathlike(v) && random
	return (isMachineKey(v) || isChosenWord(v) || short) && !(hex.only(v) && len(v) == 40)
}

// isConstructorKey is isClientKey for a call that may make anything: the look of v must leave less doubt.
func isConstructorKey(v string) bool {
	plain := strings.ContainsAny(v, ",;()\\%") || hex.only(strings.TrimPrefix(v, "0x"))
	return len(v) >= 10 && digit.in(v) > 0 && !plain && unmistakable(v) && !harmless(v)
}

// longestLiterals bounds the bytes of a call in which literals are looked for.
const longestLiterals = 96

// hasLiteral reports whether one of the arguments at the start of s may be a secret: a literal of at least shortest bytes without
// blanks.
func hasLiteral(s string, shortest int) bool {
	for i := 0; i < len(s) && s[i] != '\n' && s[i] != ')'; i++ {
		q := s[i]
		if q != '"' && q != '\'' {
			continue
		}
		end := i + 1
		for end < len(s) && s[end] > ' ' && (s[end] != q || s[end-1] == '\\') {
			end++
		}
		if end-i > shortest && (end == len(s) || s[end] > ' ') {
			return true
		}
		i = end + indexOr(s[end:], string(q)) // the closing quote, of a literal that is too short or has blanks
	}
	return false
}

// bounds is a part s[from:to] of a text: an argument, a line, a cell.
type bounds struct{ from, to int }

// literal returns the bounds of the literal with which an argument begins, or -1, -1.
func (a bounds) literal(s string) (from, to int) { return literalAt(clip(s, a.to+1), a.from) }

// arguments appends the arguments from s[at], which follows an opening parenthesis, up to the closing one. It returns nil if the
// closing one is not within 256 bytes.
func arguments(all []bounds, s string, at int) []bounds {
	const most = 256
	s = clip(s, at+most)
	depth := 0
	from := at + leading(s[at:], " \t\r\n")
	for i := from; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\'' || c == '`':
			q, width := opening(s[i:])
			i += width + q.run(s[i+width:])
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0 && depth > 0:
			depth--
		case c == ',' && depth == 0, c == ')', c == ']':
			all = append(all, bounds{from, i})
			if c != ',' {
				return all
			}
			from = i + 1 + leading(s[i+1:], " \t\r\n")
		}
	}
	return nil
}
