package redact

import (
	"slices"
	"strings"
)

// Rules returns every rule, sorted by name. The result is the caller's own.
func Rules() []Rule {
	out := make([]Rule, 0, len(declared))
	for _, r := range declared {
		c := *r
		c.Keywords = slices.Clone(r.Keywords)
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return out
}
