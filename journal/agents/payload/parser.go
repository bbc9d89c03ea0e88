package payload

import "bytes"

// parser builds the tree of nodes. Its methods return an error only if the input breaks off, is invalid or cannot be read, together with
// the part that was read so far.
type parser struct {
	source
	limits *Limits
	budget budget
	path   []byte     // path of the value being read; not extended below omitted values
	held   textBuffer // reused for each string
	number []byte     // reused for each number
}

// position is the position of a value in the document.
type position struct {
	depth int  // number of open objects and arrays around it
	name  int  // offset of its name in parser.path; the path's length if it has no name
	keep  bool // the value is to be kept; otherwise it is skipped
	top   bool // the value is the document or a member of the outermost object
}

// value reads the value that begins with c. It returns nil if the value was skipped or omitted.
func (p *parser) value(c byte, at position) (*node, error) {
	switch {
	case c == '{':
		return p.container(Object, at)
	case c == '[':
		return p.container(Array, at)
	case c == '"':
		return p.stringNode(at)
	case c == '-' || '0' <= c && c <= '9':
		return p.numberNode(at)
	case c == 't':
		return p.literal(Bool, "true", at)
	case c == 'f':
		return p.literal(Bool, "false", at)
	case c == 'n':
		return p.literal(Null, "null", at)
	}
	return nil, p.syntax("expected a value")
}

// newNode returns a new node at a position. It returns nil if the value is not to be kept, or if the budget does not allow one more item
// with the bytes of its name and n further ones. An outermost object or array costs nothing.
func (p *parser) newNode(kind Kind, n int, at position) *node {
	if !at.keep {
		return nil
	}
	name := p.path[at.name:]
	scalar := kind != Object && kind != Array
	if (at.depth > 0 || scalar) && !p.budget.take(len(name)+n, at.top && scalar) {
		return nil
	}
	return &node{kind: kind, name: string(name)}
}

// null returns a node, marked as cut, that replaces a value that is too deep or too long.
func (p *parser) null(at position) *node {
	n := p.newNode(Null, 0, at)
	if n != nil {
		n.text, n.cut = "null", true
	}
	return n
}

// literal reads true, false or null.
func (p *parser) literal(kind Kind, text string, at position) (*node, error) {
	got := p.peek(len(text))
	if string(got) != text {
		if bytes.HasPrefix([]byte(text), got) {
			return nil, p.end()
		}
		return nil, p.syntax("expected a value")
	}
	p.pos += len(text)
	n := p.newNode(kind, 0, at)
	if n != nil {
		n.text = text
	}
	return n, nil
}

// container reads an object or an array.
func (p *parser) container(kind Kind, at position) (*node, error) {
	if at.depth == maxDepth {
		return p.null(at), p.skipContainer()
	}
	n := p.newNode(kind, 0, at)
	err := p.items(n, kind, at.depth+1)
	if n != nil {
		n.cut = n.cut || err != nil
		if kind == Object {
			n.keepLastOfEqualNames()
		}
	}
	return n, err
}

// items reads the members or elements of a container into n, or skips them if n is nil. depth is that of the items.
func (p *parser) items(n *node, kind Kind, depth int) error {
	end := byte('}')
	if kind == Array {
		end = ']'
	}
	p.pos++
	var last *node
	keep := n != nil
	for first := true; ; first = false {
		c, err := p.nextByte()
		if err != nil {
			return err
		}
		if c == end {
			p.pos++
			return nil
		}
		if !first {
			if c != ',' {
				return p.syntax("expected a comma or " + string(end))
			}
			p.pos++
			if c, err = p.nextByte(); err != nil {
				return err
			}
		}
		item, wanted, parent := (*node)(nil), keep, len(p.path)
		if kind == Object {
			item, wanted, err = p.member(c, depth, keep)
		} else {
			if keep {
				p.path = append(p.path, "[]"...)
			}
			item, err = p.value(c, position{depth: depth, name: len(p.path), keep: keep})
		}
		p.path = p.path[:parent]
		switch {
		case item != nil && last == nil:
			n.first, last = item, item
		case item != nil:
			last.next, last = item, item
		}
		if item != nil {
			n.cut = n.cut || item.cut
		} else if wanted {
			n.cut = true
			// After an omitted element an array keeps no further one: their indexes would be wrong.
			keep = keep && kind == Object
		}
		if err != nil {
			return err
		}
	}
}

// member reads one member of an object. keep is set if the object is kept. wanted is false if the member was not to be kept, because the
// object is not kept or Limits.Drop matches the member.
func (p *parser) member(c byte, depth int, keep bool) (n *node, wanted bool, err error) {
	if c != '"' {
		return nil, keep, p.syntax("expected a member name")
	}
	if keep && len(p.path) > 0 {
		p.path = append(p.path, '.')
	}
	at := position{depth: depth, name: len(p.path), keep: keep, top: depth == 1}
	if at.keep, err = p.name(keep); err != nil {
		return nil, keep, err
	}
	if c, err = p.nextByte(); err != nil {
		return nil, keep, err
	}
	if c != ':' {
		return nil, keep, p.syntax("expected a colon")
	}
	p.pos++
	if c, err = p.nextByte(); err != nil {
		return nil, keep, err
	}
	if at.keep && p.pathMatches(p.limits.Drop) {
		at.keep, keep = false, false
	}
	n, err = p.value(c, at)
	return n, keep, err
}

// pathMatches reports whether f is true for the path of the value being read. It is false for a nil f and a path longer than maxPath.
func (p *parser) pathMatches(f func(string) bool) bool {
	return f != nil && len(p.path) <= maxPath && f(string(p.path))
}

// skipContainer skips a container that is too deep. It follows strings, and counts brackets of both kinds together: memory for each level
// would be needed to check that the kinds match.
func (p *parser) skipContainer() error {
	for open := 0; ; {
		for p.pos < len(p.buf) {
			c := p.buf[p.pos]
			if c == '"' {
				break
			}
			p.pos++
			switch c {
			case '[', '{':
				open++
			case ']', '}':
				open--
				if open == 0 {
					return nil
				}
			}
		}
		if p.pos == len(p.buf) {
			if !p.fill() {
				return p.end()
			}
			continue
		}
		if err := p.scan(nil); err != nil {
			return err
		}
	}
}

// budget counts the bytes and items that may still be kept. One eighth of each is spare, for short top-level fields (ADR-0014), so that a
// session_id after a huge field is kept.
type budget struct {
	main, spare pool
}

// pool is a number of bytes and items.
type pool struct {
	bytes, items int
}

// newBudget returns a budget of this many bytes and items, the spare ones included.
func newBudget(bytes, items int) budget {
	spare := pool{bytes / 8, items / 8}
	return budget{pool{bytes - spare.bytes, items - spare.items}, spare}
}

// take subtracts one item of n bytes, and reports whether the item can be kept. top is set for a top-level field, which may use the spare
// pool if it is short.
func (b *budget) take(n int, top bool) bool {
	if b.main.take(n) {
		return true
	}
	return top && n <= maxSpare && b.spare.take(n)
}

// take subtracts one item of n bytes. It returns false and subtracts nothing if the pool has less.
func (p *pool) take(n int) bool {
	if p.items < 1 || p.bytes < n {
		return false
	}
	p.items--
	p.bytes -= n
	return true
}
