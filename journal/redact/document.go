package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
)

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

// readDocument reads the values that s consists of. It is nil when s is no JSON, or does not begin as an object or array.
func readDocument(s string) *document {
	if prefixOf(strings.TrimLeft(s, " \t\r\n"), "{", "[") == 0 || !wholeDocuments(s) {
		return nil
	}
	d := &document{text: s, nodes: make([]node, 1, 16+len(s)/16)}
	for last := 0; d.next() == '{' || d.next() == '['; {
		n := d.value()
		d.link(0, last, n)
		last = n
	}
	return d
}

// next passes what parts values and gives the byte behind it, or 0 at the end.
func (d *document) next() byte {
	for d.at < len(d.text) && strings.IndexByte(" \t\r\n,:", d.text[d.at]) >= 0 {
		d.at++
	}
	if d.at == len(d.text) {
		return 0
	}
	return d.text[d.at]
}

// value reads a value and gives its index.
func (d *document) value() (n int) {
	n = len(d.nodes)
	m := node{kind: d.next(), from: d.at}
	switch m.kind {
	case '"':
		m.from, m.to = d.quoted()
	case '{', '[':
		d.nodes = append(d.nodes, m)
		d.children(n, m.kind)
		return n
	default:
		m.kind = 0
		d.at += indexOr(d.text[d.at:], ",]} \t\r\n")
		m.to = d.at
	}
	d.nodes = append(d.nodes, m)
	return n
}

// children reads what stands in the container n.
func (d *document) children(n int, open byte) {
	d.at++
	last := 0
	for index := 0; d.next() != open+2; index++ { // { and }, [ and ]
		from, to := 0, 0
		if open == '{' {
			from, to = d.quoted()
		}
		c := d.value()
		d.link(n, last, c)
		m := &d.nodes[c]
		m.up, m.index, m.nameFrom, m.nameTo, m.name = n, index, from, to, unescaped(d.text[from:to])
		last = c
	}
	d.at++
}

// link makes c the one behind last in the container n.
func (d *document) link(n, last, c int) {
	if last == 0 {
		d.nodes[n].child = c
	} else {
		d.nodes[last].next = c
	}
}

// quoted passes a string and gives where it is between its quotes.
func (d *document) quoted() (from, to int) {
	from = d.at + 1
	for to = from; d.text[to] != '"'; to++ {
		if d.text[to] == '\\' {
			to++
		}
	}
	d.at = to + 1
	return from, to
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

// leaves calls leaf with every string, and with the numbers that are secrets, and what they say.
func (d *document) leaves(leaf func(n int, p Place, v string)) {
	for top := range d.below(0) {
		d.walk(top, Place{}, func(n int, p Place) {
			m := d.nodes[n]
			if v := d.text[m.from:m.to]; m.kind != 0 {
				leaf(n, p, unescaped(v))
			} else if p.Number(v) {
				leaf(n, p, v)
			}
		})
	}
}

// JSON gives the JSON document doc, one value or several after each other, with every string in it redacted as its place
// demands, and the names of members as texts. What is not redacted keeps its spelling. A string alone is returned as it is.
// The error says that doc is no JSON.
func JSON(doc []byte) ([]byte, error) {
	s := string(doc)
	d := readDocument(s)
	if d == nil && wholeDocuments(s) {
		return doc, nil
	} else if d == nil {
		return nil, errors.New("not JSON")
	}
	var changes []change
	put := func(from, to int, before, after string) {
		if after != before {
			changes = append(changes, change{from, to, escape(after)})
		}
	}
	d.leaves(func(n int, p Place, v string) {
		m, quotes := d.nodes[n], 0
		if m.kind != 0 {
			quotes = 1
		}
		put(m.from-quotes, m.to+quotes, v, Named(p, v))
	})
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
