package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// settings is the text of a settings file together with where its values
// stand. Its methods return changed copies.
type settings struct {
	src  []byte
	root *node

	// fresh says that the text was made here, so that the root object needs
	// no mark.
	fresh bool

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
// order mark before it, is refused.
func parse(src []byte) (settings, error) {
	at := 0
	if bytes.HasPrefix(src, byteOrderMark) {
		at = len(byteOrderMark)
	}
	var doc json.RawMessage
	if err := json.Unmarshal(src[at:], &doc); err != nil {
		return settings{}, syntaxError(src, at, err)
	}
	s := settings{}.with(src)
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
	if len(bytes.TrimSpace(src[at:])) == 0 {
		return settings{src: src}.refuse(len(src), "the file is empty", "write {} into it, or delete it")
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
	w := walker{src: src}
	if bytes.HasPrefix(src, byteOrderMark) {
		w.at = len(byteOrderMark)
	}
	w.space()
	s.src, s.root = src, w.value()
	return s
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

// walker finds the values of a text that is known to be valid JSON, so that
// it needs to tell strings, containers and the rest apart and nothing else.
type walker struct {
	src []byte
	at  int
}

func (w *walker) space() {
	for w.at < len(w.src) && strings.IndexByte(" \t\r\n", w.src[w.at]) >= 0 {
		w.at++
	}
}

func (w *walker) value() *node {
	n := &node{start: w.at}
	switch c := w.src[w.at]; c {
	case '{', '[':
		n.open = c
		n.items = w.itemsOf(c)
	case '"':
		n.open = c
		w.skipString()
	default:
		for w.at < len(w.src) && strings.IndexByte(" \t\r\n,]}", w.src[w.at]) < 0 {
			w.at++
		}
	}
	n.end = w.at
	return n
}

func (w *walker) itemsOf(open byte) []item {
	var items []item
	for w.at++; ; w.at++ { // the bracket, then each comma
		w.space()
		if c := w.src[w.at]; c == '}' || c == ']' {
			w.at++
			return items
		}
		it := item{start: w.at}
		if open == '{' {
			w.skipString()
			// The key is valid JSON; it decodes.
			_ = json.Unmarshal(w.src[it.start:w.at], &it.key)
			w.space()
			w.at++ // the colon
			w.space()
		}
		it.value = w.value()
		it.end = w.at
		items = append(items, it)
		w.space()
		if c := w.src[w.at]; c == '}' || c == ']' {
			w.at++
			return items
		}
	}
}

func (w *walker) skipString() {
	for w.at++; w.src[w.at] != '"'; w.at++ {
		if w.src[w.at] == '\\' {
			w.at++
		}
	}
	w.at++
}
