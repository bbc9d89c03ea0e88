package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// settings is the text of a settings file together with where its values
// stand. Its methods return changed copies.
type settings struct {
	src  []byte
	root *node

	// commented says that the agent takes comments, and commas behind a last item.
	// plain is then src with blanks in their places, else src.
	commented bool
	plain     []byte

	// fresh says that the text was made here, so that the root object needs
	// no mark.
	fresh bool

	// blank says that the file held nothing but white space.
	blank bool

	// bare says that removing took the last item out of a root object that
	// has no mark: the file was ours, or somebody has rewritten it since.
	bare bool
}

// node is a JSON value in src[start:end].
type node struct {
	start, end int
	open       byte   // '{', '[' or '"', else 0
	items      []item // of an object or array
}

// item is a member of an object or an element of an array. It stands in
// src[start:end]; a member starts at its key.
type item struct {
	start, end int
	key        string // decoded; "" in an array
	value      *node
}

// member returns the value of a key. When a key stands there twice the last
// one counts, as it does for the agent.
func (n *node) member(key string) *node {
	if n == nil || n.open != '{' {
		return nil
	}
	for _, it := range slices.Backward(n.items) {
		if it.key == key {
			return it.value
		}
	}
	return nil
}

// indexOf returns the index of the item whose value is v, or -1.
func (n *node) indexOf(v *node) int {
	return slices.IndexFunc(n.items, func(it item) bool { return it.value == v })
}

var byteOrderMark = []byte("\ufeff")

// parse reads settings. Anything but one JSON object, with or without a byte
// order mark before it, is refused; comments are where the agent takes none.
func parse(src []byte, commented bool) (settings, error) {
	at := 0
	if bytes.HasPrefix(src, byteOrderMark) {
		at = len(byteOrderMark)
	}
	s := settings{commented: commented}
	var doc json.RawMessage
	if err := json.Unmarshal(s.blanked(src)[at:], &doc); err != nil {
		return settings{}, syntaxError(src, at, err)
	}
	s = s.with(src)
	if s.root.open != '{' {
		return settings{}, s.refuse(s.root.start, "the settings are not an object", "the file has to hold one JSON object, {…}")
	}
	return s, nil
}

// syntaxError says where JSON that begins at src[at] ends to be JSON.
func syntaxError(src []byte, at int, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	// Offset counts the bytes that were read, the bad one included.
	at += max(int(syntax.Offset)-1, 0)
	if rest := src[min(at, len(src)):]; bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*")) {
		return settings{src: src}.refuse(at, "a comment is not JSON", "take the comments out, then run the command again")
	}
	return settings{src: src}.refuse(at, syntax.Error(), "repair the file, then run the command again; nothing was written")
}

// refuse makes the error for something at an offset.
func (s settings) refuse(offset int, what, try string) error {
	line, column := s.position(offset)
	return &Error{Err: fmt.Errorf("%d:%d: %w: %s", line, column, ErrRefused, what), Try: try}
}

// position returns line and column, both from 1, the column in characters.
func (s settings) position(offset int) (line, column int) {
	before := string(bytes.TrimPrefix(s.src[:min(offset, len(s.src))], byteOrderMark))
	line = strings.Count(before, "\n") + 1
	return line, len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
}

// with returns the settings with other text, which has to be valid.
func (s settings) with(src []byte) settings {
	text := bytes.TrimPrefix(src, byteOrderMark)
	// Text that encoding/json takes, blanked or not, is no error here.
	v, _ := hujson.Parse(text)
	s.src, s.plain, s.root = src, s.blanked(src), nodeOf(v, len(src)-len(text))
	return s
}

// blanked gives a text of the same length in which blanks stand for what the agent
// takes beyond JSON.
func (s settings) blanked(src []byte) []byte {
	if !s.commented {
		return src
	}
	text := bytes.TrimPrefix(src, byteOrderMark)
	plain, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return src // whoever reads it as JSON finds what is wrong
	}
	return append(bytes.Clone(src[:len(src)-len(text)]), plain...)
}

// splice replaces src[start:end].
func (s settings) splice(start, end int, text string) settings {
	return s.with(slices.Concat(s.src[:start], []byte(text), s.src[end:]))
}

// text returns the source of a node.
func (s settings) text(n *node) []byte { return s.src[n.start:n.end] }

// decode returns the value of a string node. ok is false for other nodes.
func (s settings) decode(n *node) (value string, ok bool) {
	if n == nil || n.open != '"' {
		return "", false
	}
	return value, json.Unmarshal(s.text(n), &value) == nil
}

// nodeOf gives the tree of a value in a text that begins at an offset of the source.
func nodeOf(v hujson.Value, from int) *node {
	n := &node{start: from + v.StartOffset, end: from + v.EndOffset}
	switch t := v.Value.(type) {
	case *hujson.Object:
		n.open = '{'
		for _, m := range t.Members {
			n.items = append(n.items, item{from + m.Name.StartOffset, from + m.Value.EndOffset, m.Name.Value.(hujson.Literal).String(), nodeOf(m.Value, from)})
		}
	case *hujson.Array:
		n.open = '['
		for _, e := range t.Elements {
			n.items = append(n.items, item{start: from + e.StartOffset, end: from + e.EndOffset, value: nodeOf(e, from)})
		}
	case hujson.Literal:
		if t.Kind() == '"' {
			n.open = '"'
		}
	}
	return n
}
