package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"
)

// This file parses JSON, and redacts each string of a document by its place.

// node is one value of a JSON text.
type node struct {
	kind             byte   // '{', '[', '"' or '0' of an object, an array, a string or a number; else zero
	text             string // of a string, without its quotes and escapes; else ""
	from, to         int    // bounds of the value, of a string with its quotes; to is 0 for an object or an array
	parent           *node  // nil for the top of a document
	index            int    // among the children of parent
	name             string // of a member of an object; else ""
	nameFrom, nameTo int    // bounds of the name with its quotes
	children         []*node
}

// document is a text of one or more JSON values, such as one a line. The children of top are these values.
type document struct {
	text   string
	tokens *json.Decoder // of text
	top    node
}

// readDocument parses the values of s. It returns nil if s is no JSON, or does not begin with an object or an array.
func readDocument(s string) *document {
	if rest, marked := strings.CutPrefix(s, byteOrderMark); marked {
		s = strings.Repeat(" ", len(byteOrderMark)) + rest
	}
	if prefixOf(strings.TrimLeft(s, " \t\r\n"), "{", "[") == 0 || !holdsDocuments(s) {
		return nil
	}
	d := &document{text: s, tokens: json.NewDecoder(strings.NewReader(s))}
	d.tokens.UseNumber()
	for d.tokens.More() {
		d.value(&d.top)
	}
	return d
}

// byteOrderMark begins a file of some programs of Windows. It is no JSON.
const byteOrderMark = "\ufeff"

// holdsDocuments reports whether s consists of JSON values.
func holdsDocuments(s string) bool {
	var v json.RawMessage
	for dec := json.NewDecoder(strings.NewReader(s)); ; {
		if err := dec.Decode(&v); err != nil {
			return errors.Is(err, io.EOF) // and not io.ErrUnexpectedEOF
		}
	}
}

// next returns the index of the next token.
func (d *document) next() int {
	i := int(d.tokens.InputOffset())
	return i + leading(d.text[i:], " \t\r\n,:")
}

// token returns the next token and its bounds. The text is valid JSON, so there is no error.
func (d *document) token() (t json.Token, from, to int) {
	from = d.next()
	t, _ = d.tokens.Token()
	return t, from, int(d.tokens.InputOffset())
}

// value parses the next value of a container, and the values below it.
func (d *document) value(container *node) {
	m := &node{parent: container, index: len(container.children)}
	container.children = append(container.children, m)
	var t json.Token
	if container.kind == '{' {
		t, m.nameFrom, m.nameTo = d.token()
		m.name, _ = t.(string)
	}
	t, m.from, m.to = d.token()
	switch t := t.(type) {
	case string:
		m.kind, m.text = '"', t
	case json.Number:
		m.kind = '0'
	case json.Delim:
		for m.kind, m.to = byte(t), 0; d.tokens.More(); {
			d.value(m)
		}
		d.token()
	}
}

// texts yields the names and texts of m's members that are strings or numbers, "" for a number.
func (m *node) texts() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, c := range m.children {
			if (c.kind == '"' || c.kind == '0') && !yield(c.name, c.text) {
				return
			}
		}
	}
}

// walk calls visit for every value below m, in order, with its place and its text. The text is that of a string, the spelling of a
// number that is a secret, else "". p is the place of m.
func (d *document) walk(m *node, p Place, visit func(m *node, p Place, text string)) {
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
		place := members.Member(c.name)
		if m.kind != '{' {
			place = items.Next()
		}
		text := c.text
		if number := d.text[c.from:max(c.from, c.to)]; c.kind == '0' && place.IsSecretNumber(number) {
			text = number
		}
		visit(c, place, text)
		d.walk(c, place, visit)
	}
}

// JSON returns doc, one or more JSON values, with each string redacted by TextAt, and the names of members by Text. A number that
// is a secret becomes a string with a mark. All else keeps its spelling. A doc that does not begin with an object or an array is
// returned as it is. The error means that doc is no JSON.
func JSON(doc []byte) ([]byte, error) {
	for range rounds {
		next, err := redactOnce(doc)
		if err != nil || bytes.Equal(next, doc) {
			return next, err
		}
		doc = next // its marks can change what rules find near them
	}
	return doc, nil
}

// redactOnce performs one round of JSON.
func redactOnce(doc []byte) ([]byte, error) {
	s := string(doc)
	d := readDocument(s)
	if d == nil && holdsDocuments(s) {
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
	d.walk(&d.top, Place{}, func(m *node, p Place, text string) {
		put(m.nameFrom, m.nameTo, m.name, Text(m.name))
		put(m.from, m.to, text, TextAt(p, text))
	})
	return append(out, s[done:]...), nil
}

// escape returns a string as JSON. It does not escape the signs <, > and &.
func escape(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
