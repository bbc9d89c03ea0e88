package redact

import "strings"

// Shortest values that are taken for a secret. The numbers are the least that keep words such as "null" and "int32" out; a
// shorter password protects nothing.
const (
	shortestPassword = 6
	shortestKey      = 8
)

// plausible reports whether v, which was assigned to the name of a secret, is a secret and not code, prose or filler.
func (a assignment) plausible(v string, n name, quoted bool) bool {
	shortest := shortestKey
	if a.loose {
		shortest = shortestPassword
	}
	if len(v) < shortest || filler(v) || strings.ContainsFunc(v, wide) || commonplace(v) || reference(v) {
		return false
	}
	digits := digit.in(v)
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
		return n.query && !named(v) || !a.loose && mixed(v)
	case digits == 0:
		return a.loose && strings.ContainsAny(v[1:len(v)-1], "!@#$%^*+=~")
	default:
		return !codeName(v) && !(!a.loose && version(v))
	}
}

// literal judges a quoted value.
func (a assignment) literal(v string, digits int) bool {
	switch fields := fields(v); {
	case fields > 2, fields == 2 && (digits == 0 || !a.loose):
		return false
	case digits == 0 && letters.only(v):
		if a.loose {
			return alnum.only(v) && !named(v)
		}
		return mixed(v)
	case digits == 0:
		return a.loose
	default:
		return a.loose || !version(v) && !(strings.Contains(v, ".") && codeName(v))
	}
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
	for _, part := range [...]string{"://", "::", "->", "=>"} {
		if strings.Contains(v, part) {
			return true
		}
	}
	if strings.HasPrefix(v, "arn:") {
		return true
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
	return digit.in(stem) == 0 && (named(stem) || strings.ContainsAny(stem, "_-") || lastWord(stem) != stem)
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
	changes := 0
	for i := 1; i < len(v); i++ {
		if upper.has(v[i]) != upper.has(v[i-1]) {
			changes++
		}
	}
	return changes*3 >= len(v)
}
