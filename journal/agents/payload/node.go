package payload

// node is one value in the tree that Read built. It is not changed after Read or
// Clean returned it. The children of a container are a list through next, which
// makes a node cost the same wherever it is: 64 bytes, 640 KB for Limits.Items.
type node struct {
	name  string    // of a member
	text  string    // of a string, number or literal
	first *node     // child of an array or object
	next  *node     // sibling
	long  *longText // of a string that waits for its final cut
	kind  Kind
	cut   bool // this value or one below it was shortened or left out
}

// last keeps only the last of the members of n that have the same name, which is
// what encoding/json does.
func (n *node) last() {
	const few = 32 // below it, comparing all pairs is cheaper than a map
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
	final := make(map[string]*node, count)
	for c := n.first; c != nil; c = c.next {
		final[c.name] = c
	}
	for at := &n.first; *at != nil; {
		if final[(*at).name] != *at {
			*at = (*at).next
			continue
		}
		at = &(*at).next
	}
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
