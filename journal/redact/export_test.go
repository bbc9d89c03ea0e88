package redact

import (
	"cmp"
	"slices"
)

// Rules returns every rule, sorted by name. The rules are the program's own.
func Rules() []*Rule {
	return slices.SortedFunc(slices.Values(ruleList()), func(a, b *Rule) int { return cmp.Compare(a.Name, b.Name) })
}
