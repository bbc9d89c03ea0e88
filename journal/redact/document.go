package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
)

// deepest bounds how far a document nests that is read for its names; what is deeper is judged as text.
const deepest = 200

// node is one value of a JSON text.
type node struct {
	kind     byte // { [ " or 0 for a number or literal
	from, to int  // of a string between its quotes; a container has only its beginning
	up       int  // index of the container
	index    int  // in the container
	name     string
	nameFrom int // between its quotes
	nameTo   int
	child    int // index of the first below it, or 0
	next     int // index of the next beside it, or 0
}

// document is JSON text as far as it could be read. Node 0 holds the values at the top as an array does: there may be one a
// line.
type document struct {
	text  string
	nodes []node
	at    int
}

// readDocument reads the values that s consists of. It is nil when s does not begin as an object or array.
func readDocument(s string) *document {
	d := &document{text: s, nodes: make([]node, 1, 16+len(s)/16)}
	last := 0
	for {
		d.space()
		if d.at == len(s) || s[d.at] != '{' && s[d.at] != '[' {
			break
		}
		n, ok := d.value("", 0)
		if n > 0 {
			if last == 0 {
				d.nodes[0].child = n
			} else {
				d.nodes[last].next = n
			}
			last = n
		}
		if !ok {
			break
		}
	}
	if last == 0 {
		return nil
	}
	return d
}

func (d *document) space() {
	for d.at < len(d.text) && strings.IndexByte(" \t\r\n", d.text[d.at]) >= 0 {
		d.at++
	}
}

// is reports whether c comes next, and passes it.
func (d *document) is(c byte) bool {
	d.space()
	if d.at < len(d.text) && d.text[d.at] == c {
		d.at++
		return true
	}
	return false
}

// value reads a value. It gives its index, 0 when there is none, and whether it is whole.
func (d *document) value(name string, depth int) (n int, ok bool) {
	d.space()
	if d.at == len(d.text) || depth == deepest {
		return 0, false
	}
	n = len(d.nodes)
	switch c := d.text[d.at]; c {
	case '"':
		from, to, ok := d.quoted()
		if !ok {
			return 0, false
		}
		d.nodes = append(d.nodes, node{kind: c, from: from, to: to, name: name})
		return n, true
	case '{', '[':
		d.nodes = append(d.nodes, node{kind: c, from: d.at, name: name})
		d.at++
		return n, d.children(n, c, depth)
	}
	from := d.at
	for d.at < len(d.text) && (alnum|dot|hyphen).has(d.text[d.at]) || d.at < len(d.text) && d.text[d.at] == '+' {
		d.at++
	}
	d.nodes = append(d.nodes, node{from: from, to: d.at, name: name})
	return n, d.at > from
}

// children reads what stands in the container n up to its end.
func (d *document) children(n int, open byte, depth int) (ok bool) {
	end := byte('}')
	if open == '[' {
		end = ']'
	}
	if d.is(end) {
		return true
	}
	for last, index := 0, 0; ; index++ {
		name, from, to := "", 0, 0
		if open == '{' {
			d.space()
			if from, to, ok = d.quoted(); !ok || !d.is(':') {
				return false
			}
			name = unescaped(d.text[from:to])
		}
		c, whole := d.value(name, depth+1)
		switch {
		case c == 0:
		case last == 0:
			d.nodes[n].child = c
		default:
			d.nodes[last].next = c
		}
		m := &d.nodes[c]
		m.up, m.index, m.nameFrom, m.nameTo = n, index, from, to
		if !whole {
			return false
		}
		last = c
		if d.is(end) {
			return true
		}
		if !d.is(',') {
			return false
		}
	}
}

// quoted passes a string and gives where it is between its quotes.
func (d *document) quoted() (from, to int, ok bool) {
	if d.at == len(d.text) || d.text[d.at] != '"' {
		return 0, 0, false
	}
	for i := d.at + 1; i < len(d.text); i++ {
		switch d.text[i] {
		case '\\':
			i++
		case '"':
			from, to, d.at = d.at+1, i, i+1
			return from, to, true
		}
	}
	return 0, 0, false
}

// unescaped gives what a string of JSON says. Broken escapes stay.
func unescaped(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var out string
	if json.Unmarshal([]byte(`"`+s+`"`), &out) != nil {
		return s
	}
	return out
}

// below yields the indices of the values in the container n.
func (d *document) below(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for c := d.nodes[n].child; c != 0 && yield(c); c = d.nodes[c].next {
		}
	}
}

// texts yields the names and texts of the members of n that are strings.
func (d *document) texts(n int) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for c := range d.below(n) {
			if m := d.nodes[c]; m.kind == '"' && !yield(m.name, unescaped(d.text[m.from:m.to])) {
				return
			}
		}
	}
}

// items yields the texts in the array n, "" for what is no string.
func (d *document) items(n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for c := range d.below(n) {
			text := ""
			if m := d.nodes[c]; m.kind == '"' {
				text = unescaped(d.text[m.from:m.to])
			}
			if !yield(text) {
				return
			}
		}
	}
}

// walk calls leaf for every string and number at and below n, which stands at p, in order.
func (d *document) walk(n int, p Place, leaf func(n int, p Place)) {
	switch d.nodes[n].kind {
	case '{':
		in := p.Object(d.texts(n))
		for c := range d.below(n) {
			d.walk(c, in.Member(d.nodes[c].name), leaf)
		}
	case '[':
		in := p.Array(d.items(n))
		for c := range d.below(n) {
			d.walk(c, in.Next(), leaf)
		}
	default:
		leaf(n, p)
	}
}

// JSON gives the JSON document doc, one value or several after each other, with every string in it redacted as its place
// demands, and the names of members as texts. What is not redacted keeps its spelling. A string alone is returned as it is.
// The error says that doc is no JSON.
func JSON(doc []byte) ([]byte, error) {
	if !wholeDocuments(doc) {
		return nil, errors.New("not JSON")
	}
	s := string(doc)
	d := readDocument(s)
	if d == nil {
		return doc, nil
	}
	var changes []change
	put := func(from, to int, before, after string) {
		if after != before {
			changes = append(changes, change{from, to, escape(after)})
		}
	}
	for top := range d.below(0) {
		d.walk(top, Place{}, func(n int, p Place) {
			m := d.nodes[n]
			raw := s[m.from:m.to]
			switch {
			case m.kind == '"':
				v := unescaped(raw)
				put(m.from-1, m.to+1, v, Named(p, v))
			case p.Number(raw):
				put(m.from, m.to, raw, Named(p, raw))
			}
		})
	}
	for _, m := range d.nodes {
		if m.name != "" {
			put(m.nameFrom-1, m.nameTo+1, m.name, Text(m.name))
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return a.from - b.from })
	var out []byte
	done := 0
	for _, c := range changes {
		out = append(append(out, s[done:c.from]...), c.after...)
		done = c.to
	}
	return append(out, s[done:]...), nil
}

// change is what stands in the place of a part of a text.
type change struct {
	from, to int
	after    string
}

// escape gives a string as JSON. It escapes nothing for the sake of web pages.
func escape(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
