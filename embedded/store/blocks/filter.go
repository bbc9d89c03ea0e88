package blocks

import "strings"

// filter is a subject with wildcards: "*" matches one token, a final ">" one or more.
type filter struct {
	prefix string   // up to the first wildcard
	rest   []string // the tokens from there on
}

func newFilter(s string) filter {
	tokens := strings.Split(s, ".")
	for i, t := range tokens {
		if t == "*" || t == ">" {
			prefix := strings.Join(tokens[:i], ".")
			if i > 0 {
				prefix += "."
			}
			return filter{prefix, tokens[i:]}
		}
	}
	return filter{prefix: s}
}

// names says whether the filter matches a subject.
func (f filter) names(subject string) bool {
	rest, ok := strings.CutPrefix(subject, f.prefix)
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

// mayEnd says whether a subject that ends so can match: what the filter has after its
// last wildcard has to be its end.
func (f filter) mayEnd(end string) bool {
	if len(f.rest) == 0 {
		return strings.HasSuffix(f.prefix, end)
	}
	after := len(f.rest)
	for after > 0 && f.rest[after-1] != "*" && f.rest[after-1] != ">" {
		after--
	}
	last := strings.Join(f.rest[after:], ".")
	return strings.HasSuffix(end, last) || strings.HasSuffix(last, end)
}
