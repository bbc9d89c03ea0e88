package payload

import "strings"

// arena allocates nodes and texts in blocks: a payload has a hundred of them,
// and a block is one allocation.
type arena struct {
	nodes []node // unused rest of the last block
	block int    // length of the last block of nodes
	texts strings.Builder
	chunk int // bytes of the last chunk of texts
}

func (a *arena) node() *node {
	if len(a.nodes) == 0 {
		a.block = min(max(2*a.block, 16), 256)
		a.nodes = make([]node, a.block)
	}
	n := &a.nodes[0]
	a.nodes = a.nodes[1:]
	return n
}

// text returns b as a string that shares its memory with its neighbours. A
// strings.Builder never writes again to what it has handed out.
func (a *arena) text(b []byte) string {
	if a.texts.Cap()-a.texts.Len() < len(b) {
		next := min(max(2*a.chunk, 2<<10), 16<<10)
		if len(b) > next/4 {
			return string(b)
		}
		a.chunk = next
		a.texts.Reset()
		a.texts.Grow(next)
	}
	start := a.texts.Len()
	a.texts.Write(b)
	return a.texts.String()[start:]
}
