package redact

import "strings"

// Shortest values that are taken for a secret. The numbers are the least that keep words such as "null" and "int32" out; a
// shorter password protects nothing.
const (
	shortestPassword = 6
	shortestEntry    = 4 // where the name alone decides
	shortestKey      = 8
)

// plausible reports whether v, which was assigned to the name of a secret, is a secret and not code, prose or filler.
func (a assignment) plausible(v string, n name, quoted bool) bool {
	shortest := shortestKey
	switch {
	case a.sense.how == byDigits:
		return a.sense.tells(v)
	case a.weak && (a.senses || !n.query && !n.env && !n.flag):
		return chance(v) && !(a.sense.how == byKey && labelled(v)) || !a.senses && tangle(v) || n.env && a.sense.rule == namedAuth && v[0] != '/' && made(v)
	case n.entry || !a.weak && (n.flag || n.query || n.env || n.pair):
		shortest = shortestEntry
	case a.loose:
		shortest = shortestPassword
	}
	if len(v) < shortest || filler(v) || expression(v) || strings.ContainsFunc(v, wide) || commonplace(v) || reference(v) {
		return false
	}
	switch {
	case a.weak && !n.flag:
	case !quoted && strings.ContainsAny(v, "([{"):
		return false
	case n.entry:
		return !said(v) && (quoted || !camel(v))
	case n.query, n.env, n.pair:
		return !said(v)
	case n.flag:
		return !said(v) && !aboutFlags().has(v) && !upper.only(v) && !strings.HasPrefix(v, "id=")
	}
	digits := digit.in(v)
	if n.said && (digits == 0 && !phrase(v) || digits == len(v) || version(v)) {
		return false
	}
	switch {
	case digits == len(v):
		return a.loose
	case numeric(v), !a.loose && strings.HasPrefix(v, "0x") && len(v) <= len("0x")+16:
		return false
	case quoted:
		return a.literal(v, digits)
	case strings.ContainsAny(v, "([{"):
		return false
	case n.env:
		return !letters.only(v) || !named(v)
	case digits == 0 && letters.only(v):
		return n.query && !named(v) || mixed(v) || strange(v) || tangled(v) || (a.loose || n.long) && phrase(v)
	case digits == 0:
		return a.loose && strings.ContainsAny(v[1:len(v)-1], "!@#$%^*+=~")
	default:
		return (!codeName(v) || a.loose && phrase(v)) && !(!a.loose && version(v))
	}
}

// aboutFlags are words that follow the name of an option in prose.
var aboutFlags = words(`
	accepts allows and argument arguments asks because comes defaults does enables equals expects flag flags followed from gives goes
	instead into keeps makes means must names needs option options over overrides parameter prints prompts reads requires sends sets
	should specifies stays switch takes tells that them then this through together under uses value values wants when where which will
	with without works`)

// camel reports whether v is a name in code of words that capitals part.
func camel(v string) bool {
	return (lower | upper).only(v) && lower.has(v[0]) && upper.in(v) > 0 && !mixed(v) && !tangled(v) && !strange(v)
}

// literal judges a quoted value.
func (a assignment) literal(v string, digits int) bool {
	switch fields := fields(v); {
	case fields > 2:
		return !a.weak && phrase(v)
	case fields == 2 && (digits == 0 || !a.loose):
		return false
	case digits == 0 && letters.only(v):
		if !a.weak {
			return alnum.only(v) && !named(v) || made(v)
		}
		return mixed(v)
	case digits == 0:
		return a.loose || made(v)
	default:
		return a.loose || !version(v) && !(strings.Contains(v, ".") && codeName(v))
	}
}

// tangle reports whether v is too short for chance but no word of any kind, as keys of ten letters and digits are.
func tangle(v string) bool {
	return len(v) >= shortestKey && alnum.only(v) && digit.in(v) > 1 && caseChanges(v) > 2 && inWords(v) == 0
}

// phrase reports whether v is a passphrase of a few words, parted by blanks or hyphens, that make no sentence.
func phrase(v string) bool {
	n := fields(v)
	if n == 1 {
		n = 1 + strings.Count(v, "-")
	}
	return n > 2 && n < 9 && !strings.Contains(v, "--") && (word | gap).only(v) && upper.in(v) < 2 && !sentence(v)
}

// fields returns how many words are in v.
func fields(v string) (n int) {
	for range strings.FieldsSeq(v) {
		n++
	}
	return n
}

// numeric reports whether v is a number, a date or a time.
func numeric(v string) bool { return strings.Trim(v, "0123456789+-.:,_/TZ ") == "" }

func wide(r rune) bool { return r >= firstWide && r != '…' }

// commonplace reports whether v is a word that stands after a secret's name in documentation, schemas and messages.
func commonplace(v string) bool {
	n := alnum.run(v)
	return plain().has(v[:n]) && (n == len(v) || strings.IndexByte("|:.!?*", v[n]) >= 0)
}

// reference reports whether v says where the secret is: a URL, a resource, a path, a name inside another.
func reference(v string) bool {
	for _, part := range [...]string{"://", "::", "->", "=>", "process.env", "os.environ", "getenv"} {
		if strings.Contains(v, part) {
			return true
		}
	}
	if strings.HasPrefix(v, "projects/") {
		return true
	}
	switch scheme, _, _ := strings.Cut(v, ":"); scheme {
	case "arn", "vault", "env", "ssm", "file", "awssm", "gcpsm", "azurekv", "keyring", "keychain", "sops", "secretref":
		return len(scheme) < len(v)
	}
	for _, root := range [...]string{"/", "./", "../", "~/"} {
		if rest, ok := strings.CutPrefix(v, root); ok {
			first, more, deep := strings.Cut(rest, "/")
			return first != "" && (lower | dot | underscore | hyphen).only(first) && (deep && more != "" || digit.in(rest) == 0)
		}
	}
	return false
}

// codeName reports whether v is a name in code: words that are joined, in which digits only number.
func codeName(v string) bool {
	if !dotted.only(v) || !lower.has(v[0]) && !upper.has(v[0]) && v[0] != '_' {
		return false
	}
	if digit.in(v) > 2 {
		return false
	}
	if strings.Contains(v, ".") {
		return true
	}
	stem := strings.TrimRight(v, "0123456789")
	if tangled(stem) || strange(stem) || upper.has(v[0]) && alnum.only(v) && chosen(v[len(stem):]) {
		return false
	}
	return digit.in(stem) == 0 && (named(stem) || strings.ContainsAny(stem, "_-") || lastWord(stem) != stem)
}

// chosen reports whether digits at the end of a word are those that people put behind a password, and no width of bits.
func chosen(digits string) bool {
	switch digits {
	case "16", "32", "64":
		return false
	}
	return len(digits) > 1
}

// version reports whether v begins as a version does: v1.2, 3.14.
func version(v string) bool {
	v = strings.TrimPrefix(v, "v")
	n := digit.run(v)
	return n > 0 && n < 4 && n+1 < len(v) && v[n] == '.' && digit.has(v[n+1])
}

// mixed reports whether v, which has no digits, is a run of small and capital letters as chance makes it. The words of a name
// change between them seldom.
func mixed(v string) bool {
	if len(v) < 16 || !alnum.only(v) {
		return false
	}
	return caseChanges(v)*3 >= len(v)
}
