package redact

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file decides which values are no secrets although their names promise one (ADR-0016 rule 9).

// harmless reports whether v has a form that secrets do not have.
func harmless(v string) bool {
	v = withoutEscapes(v)
	switch {
	case isTechnicalNumber(v), digestNamed(v), isFiller(v), isReference(v), commonplace(v), isVersion(v), isPattern(v), isPath(v):
		return true
	case strings.ContainsFunc(v, wide), hasNonASCII(v) && alnum.in(v) == 0, wordCount(v) > 1 && strings.ContainsFunc(v, typographic):
		return true // in a script or with signs that passwords do not have
	}
	return isAboutSecret(v)
}

// withoutEscapes returns v with the runes that JSON escapes: é for \u00e9, 🔑 for \ud83d\udd11. Half of a rune stays escaped.
func withoutEscapes(v string) string {
	if !strings.Contains(v, `\u`) {
		return v
	}
	plain := escapedRunes().ReplaceAllStringFunc(v, func(escapes string) string {
		var runes string
		if json.Unmarshal([]byte(`"`+escapes+`"`), &runes) != nil || strings.ContainsRune(runes, utf8.RuneError) {
			return escapes
		}
		return runes
	})
	return strings.TrimSpace(plain) // a blank is no part of the value
}

var escapedRunes = lazily(`(?:\\u[0-9A-Fa-f]{4})+`)

// isTechnicalNumber reports whether v is a number in a form of programs: hexadecimal such as 0x761 or a blockchain address, a port
// such as 464/tcp, a date or a time, a colour such as #09b859.
func isTechnicalNumber(v string) bool {
	code, hasPrefix := strings.CutPrefix(strings.Trim(v, "-,;"), "0x")
	colour, hasHash := strings.CutPrefix(strings.TrimRight(v, ";"), "#")
	n := digit.run(v)
	port := n > 0 && n+1 < len(v) && v[n] == '/' && lower.only(v[n+1:]) // 464/tcp
	dated := numeric(v) && (strings.ContainsAny(v, ":TZ/") || len(v) == 10 && strings.Count(v, "-") == 2)
	hexadecimal := hasPrefix && (len(code) <= 16 || len(code) == 40) && hex.only(code)
	coloured := hasHash && (len(colour) == 3 || len(colour) == 6 || len(colour) == 8) && hex.only(colour)
	return port || dated || hexadecimal || coloured
}

// isAboutSecret reports whether v consists of words about a secret: a label, a message, the name of another variable.
func isAboutSecret(v string) bool {
	const longestTitle = 20
	title := len(v) <= longestTitle && upper.has(v[0]) && (lower | hyphen).only(v[1:])
	foreignWords := strings.ContainsFunc(v, foreign) && digit.in(v) == 0 && !strings.ContainsAny(v, "!#$%&*+/<=>@[]^_{|}~")
	if title || foreignWords || isFieldLabel(v) || prefixOf(v, "¿", "¡") > 0 {
		return true
	}
	switch wordCount(v) {
	case 1:
		bare := strings.TrimLeft(v, "#.@:$-*")
		constant := lower.in(v) == 0 && !hasRandomLetters(v)
		label := digit.in(v) == 0 && isLabel(bare) && (namesSecret(bare) || constant)
		return label || namesSecret(bare) && strings.ContainsAny(bare, "._-") && isCodeName(bare)
	case 2:
		return digit.in(v) == 0 && (isSentence(v) || upper.has(v[0]) && (letters|gap).only(v) || hasNonASCII(v))
	}
	return isSentence(v) || digit.in(v) == 0 && upper.has(v[0])
}

// isPattern reports whether v is a pattern, the options of a mount, or a name in a directory of LDAP: [A-Z]+, id=npm,src=.npmrc, cn=bob,dc=x.
func isPattern(v string) bool {
	_, group, _ := strings.Cut(v, "(?")
	_, class, _ := strings.Cut(v, "[")
	_, repetition, _ := strings.Cut(class, "]")
	repeated := strings.ContainsAny(repetition, "+*{") && (class[0] == '^' || class[1] == '-')
	ranged := contains(v, "[a-z", "[A-Z", "[^a-z", "a-zA-Z", "A-Za-z", "a-z0-9", "A-Z0-9", "0-9a-f", "0-9A-F") || v == "a-z" || v == "A-Z"
	return repeated || ranged || contains(v, `\s*`, `\s+`, `[\s`, ":`") || prefixOf(group, ":", "=", "!", "<", "P") > 0 || prefixOf(v, "id=", "cn=", "uid=", "ou=", "dc=", "CN=", "OU=", ".*", "/^") > 0
}

// isLabel reports whether v consists of letters and of signs between words: js.fetch:credentials.
func isLabel(v string) bool {
	return strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-./:*") == ""
}

// isFieldLabel reports whether v is the label of a field for a secret, or a question about one: Ihr Kennwort, Passwort vergessen?
func isFieldLabel(v string) bool {
	v = strings.TrimRight(v, ":*?")
	return digit.in(v) == 0 && !strings.ContainsAny(v, "!#$%^&*+~@_-") && senseOf(v).strong()
}

// isPath reports whether v is the path of a file or directory.
func isPath(v string) bool {
	v = v[:indexOr(v, "#?")]
	if i := strings.LastIndexByte(v, '.'); i > 0 && (dotted | slash).only(v) && inList("files", v[i+1:]) && !looksRandom(v) {
		return true
	}
	width, slashes := lower.run(v), strings.Count(v, "/")
	deep := slashes > 2 && width > shortestNamed && v[width] == '/' // projects/P/secrets/s
	if deep || slashes > 1 && v[0] != '/' && (dotted|slash).only(v) && inWords(v)*2 >= len(v) {
		return true // also an import path such as github.com/owner/name
	}
	for _, root := range [...]string{"/", "./", "../", "~/"} {
		if rest, ok := strings.CutPrefix(v, root); ok && (dotted | slash | tilde).only(rest) && !looksRandom(rest) {
			top, _, _ := strings.Cut(rest, "/")
			return slashes > 1 || top != "" && (lower|dot|underscore|hyphen).only(top)
		}
	}
	return false
}

// isSentence reports whether v is prose.
func isSentence(v string) bool {
	for w := range strings.FieldsFuncSeq(v, func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) }) {
		w = strings.Trim(w, ".,:;!?()'\"")
		if inList("messageWords", w) || len(w) > 5 && w != v && (strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "ing")) {
			return true
		}
	}
	return wordCount(v) > 1 && namesSecret(v)
}

// commonplace reports whether v is a word that follows a secret's name in documentation, schemas and messages, or several such
// words with bars between them.
func commonplace(v string) bool {
	v = strings.TrimRight(v, ".:!?*,;]")
	if v == "" {
		return true
	}
	for w := range strings.SplitSeq(v, "|") {
		w = strings.TrimSpace(w)
		n := alnum.run(w)
		bare, rest := w[:n], w[n:]
		remark := rest == "" || strings.IndexByte(":(.", rest[0]) >= 0 && (letters|gap).only(strings.Trim(rest, ":()0123456789 "))
		numbered := len(strings.TrimRight(bare, "0123456789")) == len(bare)-1 // string2, and not secret123
		if !remark || !(numbered && inList("plain", bare[:len(bare)-1])) && !inList("plain", bare) {
			return false
		}
	}
	return true
}

// isVersion reports whether v is a version: v1.2, 3.14.0-rc.1, v2-1243.
func isVersion(v string) bool {
	if rest, ok := strings.CutPrefix(v, "v"); ok && rest != "" && (digit | dot | hyphen).only(rest) {
		return true
	}
	v = strings.TrimLeft(v, "^~<>=v")
	n := (digit | dot).run(v)
	if n < 3 || !digit.has(v[0]) || !strings.Contains(v[:n], ".") {
		return false
	}
	rest := v[n:]
	return rest == "" || rest[0] == '-' && dotted.only(rest) && !looksRandom(rest) && len(rest) < 12 || rest[0] == '+' && contains(rest, "deb", "dfsg")
}

// numeric reports whether v is a number, a date or a time.
func numeric(v string) bool {
	return strings.Trim(v, "0123456789+-.:,_/TZeE ") == "" && !uuidLike(v)
}

// wide reports whether a rune is a letter of a script in which no passwords are written, or stands between such letters as 、 and （ do.
// Signs such as € and •, and the ligature ﬁ, are not wide: people have them in passwords.
func wide(r rune) bool {
	between := r >= 0x3000 && r < 0x3100 || r > 0xff00 && r < 0xffa0
	return r >= firstWide && (between || unicode.IsLetter(r)) && !unicode.In(r, unicode.Latin, unicode.Greek)
}

// firstWide is the first rune, a Hangul letter, after the alphabets in which passwords are written.
const firstWide = 0x1100

// typographic reports whether a rune shows prose if it stands among words or alone, such as a dash, a curly quote, an arrow, the line of a
// table.
func typographic(r rune) bool { return r >= firstWide && r != '…' }

// proseAfter returns the index at which prose follows in v: at a wide rune, or at a typographic one behind a blank. It is -1 if none
// follows.
func proseAfter(v string) int {
	for i, r := range v {
		if wide(r) || typographic(r) && i > 0 && gap.has(v[i-1]) {
			return i
		}
	}
	return -1
}

// foreign reports whether a rune is a letter outside of ASCII, or a byte of another encoding than UTF-8.
func foreign(r rune) bool { return r == utf8.RuneError || r >= utf8.RuneSelf && unicode.IsLetter(r) }

// isReference reports whether v names the place of a secret: a URL, a resource, a variable.
func isReference(v string) bool {
	if i := strings.Index(v, "://"); i > 1 && strings.Trim(v[:i], "abcdefghijklmnopqrstuvwxyz0123456789+.-:") == "" {
		return true // also jdbc:mysql://
	}
	n := (dotted).run(v)
	first := v[:alnum.run(v)]
	switch rest := v[n:]; {
	case foldContains(v, parts("environments")),
		(v[0] == '&' || v[0] == '*') && (lower | underscore | hyphen).only(v[1:]), // an anchor of YAML
		strings.HasPrefix(v, "ENC[") && (len(v) == judged || v[len(v)-1] == ']'),  // of SOPS, perhaps cut
		n > 0 && strings.HasPrefix(rest, ":") && len(rest) > 1 && inList("sources", v[:n]):
		return true
	case v[0] == '!' && n == 0 && strings.Contains(v, " "):
		return (lower | upper).only(v[1:strings.Index(v, " ")]) // a tag of YAML
	}
	return len(first) < n && v[len(first)] == '.' && inList("roots", first) && isSelector(v)
}

// isSelector reports whether v is a selector in code: words with dots, arrows or colons between them, such as cfg.DB.Password,
// $this->token, Kind::Word.
func isSelector(v string) bool {
	rest, groups := expression(v)
	return rest == "" && !groups
}

// expression parses an expression of code at the start of v: a selector, and brackets with their content. It returns the text
// behind it, and whether there were brackets. rest is "?" where a name is missing: at the start of v, or behind a joint.
func expression(v string) (rest string, groups bool) {
	joint := 0
	for v = strings.TrimLeft(v, "&*!@$"); ; {
		n := (alnum | underscore).run(v)
		if n == 0 && (groups || joint == len(".")) && strings.HasPrefix(v, "(") {
			n = group(v) // a type assertion
		}
		if n == 0 || digit.has(v[0]) {
			return "?", false
		}
		for v = strings.TrimLeft(v[n:], "?!"); v != "" && strings.IndexByte("([<{", v[0]) >= 0; groups = true {
			if n = group(v); n == 0 {
				return v, true // the brackets are closed on a later line, or within quotes
			}
			v = v[n:]
		}
		joint = prefixOf(v, ".", "->", "::")
		if v = strings.TrimLeft(v, "*&"); v == "" || joint == 0 && !(groups && lower.has(v[0])) {
			return v, groups
		}
		v = v[joint:]
	}
}

// isCode reports whether v, which has no quotes around it, is an expression of code: a call, an element of an array, a type, or
// the last argument of a call.
func isCode(v string) bool {
	v = strings.TrimRight(v, ",; .:\\")
	name := strings.TrimRight(v, ")]},")
	last := len(name) < len(v) && (isCodeName(strings.TrimLeft(name, "@&*$")) || commonplace(name))
	pointer := v != "" && strings.IndexByte("*&", v[0]) >= 0 && strings.Contains(v, ".") && isSelector(v)
	if v == "" || last || pointer || strings.HasPrefix(v, "[]") || v[0] == '[' && v[len(v)-1] == ']' {
		return true
	}
	rest, groups := expression(strings.TrimLeft(v, "("))
	if !groups {
		return false
	}
	if strings.Trim(rest, "([{") == "" || strings.Trim(rest, ")]}") == "" {
		return true // it goes on behind v, or ends an outer expression
	}
	return rest[0] == '(' && (strings.IndexByte("\"'`", rest[1]) >= 0 || isSelector(strings.TrimRight(rest[1:], ",([{")))
}

// group returns the width of the brackets at the start of v with their content, or 0 if they are not closed.
func group(v string) int {
	const open, closed = "([<{", ")]>}"
	var ends []byte
	for i := range len(v) {
		if kind := strings.IndexByte(open, v[i]); kind >= 0 {
			ends = append(ends, closed[kind])
		} else if strings.IndexByte(closed, v[i]) >= 0 && !(v[i] == '>' && (v[i-1] == '-' || v[i-1] == '=')) { // an arrow
			if v[i] != ends[len(ends)-1] {
				return 0
			}
			if ends = ends[:len(ends)-1]; len(ends) == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// mask holds the bytes that people repeat in place of a secret.
const mask = "xX*.-_#?\"' "

// isFiller reports whether v is no secret, but stands in place of one: a variable, a template, a mask, an example.
func isFiller(v string) bool {
	if strings.Trim(v, mask) == "" {
		return true
	}
	first, last := v[0], v[len(v)-1]
	if first == '&' {
		return prefixOf(v, "&lt;", "&#x3C;") > 0 && (last == '>' || strings.HasSuffix(v, "&gt;"))
	}
	inner := strings.TrimRight(v, ".,;:")
	bracketed := strings.IndexByte("<[{(", first) >= 0 && len(inner) > 1 && strings.IndexByte(">]})", inner[len(inner)-1]) >= 0
	switch {
	case bracketed && mayBePlaceholder(inner[1:len(inner)-1]) && !strings.Contains(v, "${"),
		first == '$' && isVariable(v[1:]), first == '%' && isFormatted(v[1:]):
		return true
	}
	return hasTemplate(v) || foldContains(v, parts("fillerParts"))
}

// mayBePlaceholder reports whether v may be a placeholder between brackets: it consists of words and a few signs.
func mayBePlaceholder(v string) bool { return (dotted | slash | gap | filled).only(v) }

// hasTemplate reports whether v has a part that a template or a shell replaces: ${NAME}, {{ .Values.x }}, <%= x %>, #{x}, and none with a
// secret as its default value.
func hasTemplate(v string) (found bool) {
	for _, t := range [...][2]string{{"{{", "}}"}, {"${", "}"}, {"#{", "}"}, {"<%", "%>"}, {"$(", ")"}} {
		for _, rest, more := strings.Cut(v, t[0]); more; _, rest, more = strings.Cut(rest, t[0]) {
			part, _, _ := strings.Cut(rest, t[0]) // a part within this one is looked at next
			inner, _, ok := strings.Cut(part, t[1])
			if t[0] == "${" && hasSecretDefault(inner) {
				return false
			}
			if !ok && t[0] == "${" {
				inner, _, ok = strings.Cut(part, ":?") // a message with blanks follows, and v ends within it
			}
			found = found || ok && inner != "" && mayBePlaceholder(strings.TrimLeft(inner, "^#"))
		}
	}
	return found
}

// hasSecretDefault reports whether v, the inner part of ${NAME:-value}, has a password as its default value. The rules of assignments find
// it behind the name of a secret and a colon, unless it is a phrase.
func hasSecretDefault(v string) bool {
	n := (alnum | underscore | dot).run(v)
	sign := prefixOf(v[n:], ":-", ":=", ":", "-", "=")
	value := strings.Trim(v[n+sign:], `"'`)
	switch {
	case n == 0 || sign == 0 || len(value) < shortestPassword:
		return false
	case v[n] == ':' && senseOf(v[:n]).rule != nil:
		return isChosenWord(value)
	case sign == 1:
		return unmistakablePassword(value)
	}
	return isPassword(value)
}

// isVariable reports whether v, which a dollar sign precedes, is a variable of a shell or a template: a name in capitals, or a name for
// a secret. The rest of "$ecret99" is no variable.
func isVariable(v string) bool {
	if v == "" {
		return true
	}
	n := word.run(v)
	ends := n == len(v) || n > 2 && strings.IndexByte("/.:@", v[n]) >= 0
	capitals := !digit.has(v[0]) && lower.in(v[:n]) == 0
	return capitals && ends || senseOf(v[:n]).rule != nil && digit.in(v[:n]) == 0
}

// isFormatted reports whether v, which a percent sign precedes, is a verb of a format or a variable between percent signs. An
// escaped byte such as %40 is neither.
func isFormatted(v string) bool {
	name, ok := strings.CutSuffix(v, "%")
	return ok && mayBePlaceholder(name) || formatVerb().MatchString(v)
}

// formatVerb matches a verb of a format, without its percent sign.
var formatVerb = lazily(`^(?:\([\w-]*\)|\[\d\].|[svqdw](?:$|[^A-Za-z0-9(])|\{[^}]*\})`)

// isResource reports whether v, which follows a name, is the name of a Kubernetes Secret. The name must be secret or secrets.
func isResource(name, v string) bool {
	named := strings.EqualFold(strings.TrimSuffix(name, "s"), "secret")
	return named && (isLabel(v) || strings.ContainsAny(v, "-.") && (lower|digit|hyphen|dot).only(v) && !looksRandom(v))
}
