package payload

import (
	"iter"
	"slices"
	"strconv"
)

// Value is a JSON value. The zero Value is absent: all its methods return empty results, so that callers follow a path
// without checks. A Value is immutable and safe for concurrent use.
type Value struct {
	n *node
}

// Kind returns the JSON type of the value.
func (v Value) Kind() Kind {
	if v.n == nil {
		return Absent
	}
	return v.n.kind
}

// Exists reports whether there is a value. A null is a value.
func (v Value) Exists() bool { return v.n != nil }

// Get returns the member called key of an object. The result is absent if there is none, or if v is not an object.
func (v Value) Get(key string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	return Value{named(v.n.first, key)}
}

// Path returns the value to which the keys lead, one level for each key.
func (v Value) Path(keys ...string) Value {
	for _, key := range keys {
		v = v.Get(key)
	}
	return v
}

// Str returns the text of a string, "" for anything else. Of a string that was too long it returns the two ends with a mark between them.
// Before Clean the text may contain secrets, and must not be stored.
func (v Value) Str() string {
	switch {
	case v.Kind() != String:
		return ""
	case v.n.long != nil:
		return v.n.long.join(v.n.text, nil)
	}
	return v.n.text
}

// Int returns a number that is an integer. ok is false for any other value. A number with a fraction or an exponent, such as 1e3, is an
// integer if its value is one and at most 2^53.
func (v Value) Int() (n int64, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	if i, err := strconv.ParseInt(v.n.text, 10, 64); err == nil {
		return i, true
	}
	const exact = 1 << 53
	f, err := strconv.ParseFloat(v.n.text, 64)
	if err != nil || f < -exact || f > exact || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

// Float returns the float64 nearest to a number. ok is false for a number out of range, and for any other value.
func (v Value) Float() (f float64, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.n.text, 64)
	if err != nil {
		return 0, false
	}
	return f, true
}

// Bool returns a boolean. ok is false for any other value.
func (v Value) Bool() (val, ok bool) {
	if v.Kind() != Bool {
		return false, false
	}
	return v.n.text == "true", true
}

// Len returns the number of elements of an array or members of an object, 0 for anything else.
func (v Value) Len() int {
	n := 0
	for range v.children() {
		n++
	}
	return n
}

// Items yields the elements of an array in order, and nothing for any other value.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		for c := range v.children() {
			if !yield(Value{c}) {
				return
			}
		}
	}
}

// Members yields the members of an object in the order in which they were received, and nothing for any other value. Names are unique.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		for c := range v.children() {
			if !yield(c.name, Value{c}) {
				return
			}
		}
	}
}

// Without returns an object without the members called keys. Any other value is returned unchanged.
func (v Value) Without(keys ...string) Value {
	if v.Kind() != Object {
		return v
	}
	n := *v.n
	last := &n.first
	*last = nil
	for c := range v.children() {
		if slices.Contains(keys, c.name) {
			continue
		}
		copied := *c
		copied.next = nil
		*last, last = &copied, &copied.next
	}
	return Value{&n}
}

// Cut reports whether a limit or a break in the input shortened or omitted the value or a part of it. A member that
// Limits.Drop removed does not count.
func (v Value) Cut() bool { return v.n != nil && v.n.cut }

// children yields the nodes of the elements or members.
func (v Value) children() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		if v.n == nil {
			return
		}
		for c := v.n.first; c != nil; c = c.next {
			if !yield(c) {
				return
			}
		}
	}
}

// Kind is the JSON type of a value.
type Kind uint8

// The kinds. Absent is the kind of the zero Value.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// node is one value in the tree that Read or Clean built. It does not change afterwards. The children of a container are linked by
// next, so each node has 64 bytes: 640 KB for the default of Limits.Items.
type node struct {
	name  string    // name of a member, "" for other nodes
	text  string    // text of a string, number or literal; of a string before its final cut the held text
	first *node     // the first child of an array or object
	next  *node     // the next sibling
	long  *longText // describes the text of a string before its final cut; nil for other nodes
	kind  Kind
	cut   bool // this value or a value below it was shortened or omitted
}

// keepLastOfEqualNames removes all but the last of the members with the same name, as encoding/json does.
func (n *node) keepLastOfEqualNames() {
	const few = 32 // for up to this many members, comparing all pairs is cheaper than a map
	count := 0
	for c := n.first; c != nil; c = c.next {
		count++
	}
	repeated := func(c *node) bool { return named(c.next, c.name) != nil }
	if count > few {
		last := make(map[string]*node, count)
		for c := n.first; c != nil; c = c.next {
			last[c.name] = c
		}
		repeated = func(c *node) bool { return last[c.name] != c }
	}
	for link := &n.first; *link != nil; {
		if repeated(*link) {
			*link = (*link).next
			continue
		}
		link = &(*link).next
	}
}

// named returns the first node called name in the list that begins with n, nil if there is none.
func named(n *node, name string) *node {
	for ; n != nil; n = n.next {
		if n.name == name {
			return n
		}
	}
	return nil
}
