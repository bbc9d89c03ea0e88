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
