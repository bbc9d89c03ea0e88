package record

import "strings"

// Filter matches subjects. Its wildcard "*" matches one token, a final ">" one or more. The zero value matches only the empty
// subject.
type Filter struct {
	Prefix string   // up to the first wildcard
	rest   []string // the tokens from there on
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
	if !ok || len(f.rest) == 0 {
		return ok && rest == ""
	}
	for _, want := range f.rest[:len(f.rest)-1] {
		token, after, more := strings.Cut(rest, ".")
		if !more || want != "*" && want != token {
			return false
		}
		rest = after
	}
	switch last := f.rest[len(f.rest)-1]; last {
	case ">":
		return true
	case "*":
		return !strings.Contains(rest, ".")
	default:
		return rest == last
	}
}

// MayEnd reports whether the filter can match a subject that ends with end: either end ends with the
// tokens behind the filter's last wildcard, or these tokens end with end.
func (f Filter) MayEnd(end string) bool {
	if len(f.rest) == 0 {
		return strings.HasSuffix(f.Prefix, end)
	}
	after := len(f.rest)
	for after > 0 && f.rest[after-1] != "*" && f.rest[after-1] != ">" {
		after--
	}
	last := strings.Join(f.rest[after:], ".")
	return strings.HasSuffix(end, last) || strings.HasSuffix(last, end)
}
