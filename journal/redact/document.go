package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"strings"
)

// This file reads JSON, and redacts every string in it as the names above it demand.

// node is one value of a JSON text.
type node struct {
	kind             byte   // { [ " or 0 for a number or literal
	text             string // of a string without its quotes and escapes, else ""
	from, to         int    // of a string with its quotes; a container has only its beginning
	parent           *node
	index            int // in the container
	name             string
	nameFrom, nameTo int // with its quotes
	children         []*node
}

// document is JSON text as far as it could be read. The top holds its values as an array does: there may be one a line.
type document struct {
	text string
	top  node
	at   int
}

// readDocument reads the values that s consists of. It is nil when s is no JSON, or does not begin as an object or array.
func readDocument(s string) *document {
	if prefixOf(strings.TrimLeft(s, " \t\r\n"), "{", "[") == 0 || !wholeDocuments(s) {
		return nil
	}
	d := &document{text: s}
	for d.next() == '{' || d.next() == '[' {
		d.value(&d.top)
	}
	return d
}

// wholeDocuments reports whether s is JSON values one after the other and nothing else.
func wholeDocuments(s string) bool {
	var v json.RawMessage
	var err error
	for dec := json.NewDecoder(strings.NewReader(s)); err == nil && dec.More(); {
		err = dec.Decode(&v)
	}
	return err == nil
}

// next passes the separators of values and returns the byte behind them, or 0 at the end.
func (d *document) next() byte {
	d.at += leading(d.text[d.at:], " \t\r\n,:")
	if d.at == len(d.text) {
		return 0
	}
	return d.text[d.at]
}

// value reads a value of the container up, and what stands below it.
func (d *document) value(up *node) {
	m := &node{parent: up, index: len(up.children)}
	if up.kind == '{' {
		m.nameFrom, m.nameTo = d.quoted()
		m.name = unescaped(d.text[m.nameFrom:m.nameTo])
	}
	up.children = append(up.children, m)
	m.kind, m.from = d.next(), d.at
	switch m.kind {
	case '"':
		m.from, m.to = d.quoted()
		m.text = unescaped(d.text[m.from:m.to])
	case '{', '[':
		for d.at++; d.next() != m.kind+2; { // { and }, [ and ]
			d.value(m)
		}
		d.at++
	default:
		m.kind = 0
		d.at += indexOr(d.text[d.at:], ",]} \t\r\n")
		m.to = d.at
	}
}

// quoted passes a string and returns its bounds with its quotes.
func (d *document) quoted() (from, to int) {
	from = d.at
	for d.at++; d.text[d.at] != '"'; d.at++ {
		if d.text[d.at] == '\\' {
			d.at++
		}
	}
	d.at++
	return from, d.at
}

// unescaped returns the text of a string of JSON. Broken escapes stay.
func unescaped(quoted string) string {
	out := quoted[1 : len(quoted)-1]
	if strings.IndexByte(out, '\\') >= 0 {
		_ = json.Unmarshal([]byte(quoted), &out)
	}
	return out
}

// texts yields the names and texts of the members that are strings.
func (m *node) texts() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, c := range m.children {
			if c.kind == '"' && !yield(c.name, c.text) {
				return
			}
		}
	}
}

// walk calls visit for every value below m, which stands at p, in order, with what it says: a string, or a number that is a
// secret. Of everything else that is "".
func (d *document) walk(m *node, p Place, visit func(m *node, p Place, v string)) {
	var members Place
	var items Array
	if m.kind == '{' {
		members = p.Object(m.texts())
	} else {
		var texts []string
		for _, c := range m.children {
			texts = append(texts, c.text)
		}
		items = p.Array(texts)
	}
	for _, c := range m.children {
		in := members.Member(c.name)
		if m.kind != '{' {
			in = items.Next()
		}
		v := c.text
		if number := d.text[c.from:max(c.from, c.to)]; c.kind == 0 && in.Number(number) {
			v = number
		}
		visit(c, in, v)
		d.walk(c, in, visit)
	}
}

// JSON returns the JSON document doc, one value or several after each other, with every string in it redacted as its place
// demands, and the names of members as texts. What is not redacted keeps its spelling. A string alone is returned as it is.
// It returns an error if doc is no JSON.
func JSON(doc []byte) ([]byte, error) {
	for range rounds {
		next, err := redacted(doc)
		if err != nil || bytes.Equal(next, doc) {
			return next, err
		}
		doc = next // whose marks change what stands beside them
	}
	return doc, nil
}

// redacted is one round of JSON.
func redacted(doc []byte) ([]byte, error) {
	s := string(doc)
	d := readDocument(s)
	if d == nil && wholeDocuments(s) {
		return doc, nil
	} else if d == nil {
		return nil, errors.New("not JSON")
	}
	var out []byte
	done := 0
	put := func(from, to int, before, after string) {
		if after != before {
			out = append(append(out, s[done:from]...), escape(after)...)
			done = to
		}
	}
	d.walk(&d.top, Place{}, func(m *node, p Place, v string) {
		put(m.nameFrom, m.nameTo, m.name, Text(m.name))
		put(m.from, m.to, v, TextAt(p, v))
	})
	return append(out, s[done:]...), nil
}

// escape returns a string as JSON. It escapes nothing for the sake of web pages.
func escape(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
