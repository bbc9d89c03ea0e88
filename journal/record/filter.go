package record

import "strings"

// Filter matches subjects, whose tokens are between dots. Its wildcard "*" matches one token, a final ">" one or more; an empty token
// counts, too. The zero value matches only the empty subject.
type Filter struct {
	Prefix string   // up to the first wildcard
	tail   []string // the tokens from the first wildcard on; empty: there is none
}

// ParseFilter returns the filter of a subject with wildcards.
func ParseFilter(s string) Filter {
	tokens := strings.Split(s, ".")
	for i, t := range tokens {
		if t == "*" || t == ">" {
			prefix := strings.Join(tokens[:i], ".")
			if i > 0 {
				prefix += "."
			}
			return Filter{prefix, tokens[i:]}
		}
	}
	return Filter{Prefix: s}
}

// Matches reports whether the filter matches a subject.
func (f Filter) Matches(subject string) bool {
	rest, ok := strings.CutPrefix(subject, f.Prefix)
	if !ok || len(f.tail) == 0 {
		return ok && rest == ""
	}
	for _, want := range f.tail[:len(f.tail)-1] {
		token, after, more := strings.Cut(rest, ".")
		if !more || want != "*" && want != token {
			return false
		}
		rest = after
	}
	switch last := f.tail[len(f.tail)-1]; last {
	case ">":
		return true
	case "*":
		return !strings.Contains(rest, ".")
	default:
		return rest == last
	}
}

// MayEnd returns false only if the filter matches no subject that ends with end. It compares end only with the tokens behind the
// filter's last wildcard: the longer of the two must end with the other.
func (f Filter) MayEnd(end string) bool {
	if len(f.tail) == 0 {
		return strings.HasSuffix(f.Prefix, end)
	}
	after := len(f.tail)
	for after > 0 && f.tail[after-1] != "*" && f.tail[after-1] != ">" {
		after--
	}
	last := strings.Join(f.tail[after:], ".")
	return strings.HasSuffix(end, last) || strings.HasSuffix(last, end)
}
