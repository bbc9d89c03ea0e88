package payload

import (
	"cmp"
	"slices"
	"strings"
)

// node is one value in the tree that Read built. It is not changed after Read or
// Clean returned it. The children of a container are a list through next, which
// makes a node cost the same wherever it is: 64 bytes, 640 KB for Limits.Items.
type node struct {
	name  string // of a member
	text  string // of a string, number or literal
	first *node  // child of an array or object
	next  *node  // sibling
	long  *long  // of a string that waits for its final cut
	kind  Kind
	cut   bool // this value or one below it was shortened or left out
}

// last keeps only the last of the members of n that have the same name, which is
// what encoding/json does.
func (n *node) last() {
	const few = 32 // below it, comparing all pairs is cheaper than sorting
	count := 0
	for c := n.first; c != nil; c = c.next {
		count++
	}
	if count <= few {
		for at := &n.first; *at != nil; {
			if named((*at).next, (*at).name) != nil {
				*at = (*at).next
				continue
			}
			at = &(*at).next
		}
		return
	}
	type seat struct {
		*node
		pos int
	}
	seats := make([]seat, 0, count)
	for c := n.first; c != nil; c = c.next {
		seats = append(seats, seat{c, len(seats)})
	}
	slices.SortFunc(seats, func(a, b seat) int {
		return cmp.Or(strings.Compare(a.name, b.name), a.pos-b.pos)
	})
	kept := seats[:0]
	for i, s := range seats {
		if i+1 == len(seats) || seats[i+1].name != s.name {
			kept = append(kept, s)
		}
	}
	if len(kept) == count {
		return
	}
	slices.SortFunc(kept, func(a, b seat) int { return a.pos - b.pos })
	at := &n.first
	for _, s := range kept {
		*at, at = s.node, &s.next
	}
	*at = nil
}

// named returns the first node called name in the list that starts at n.
func named(n *node, name string) *node {
	for ; n != nil; n = n.next {
		if n.name == name {
			return n
		}
	}
	return nil
}
