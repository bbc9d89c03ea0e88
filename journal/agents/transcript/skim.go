package transcript

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// Members yields the members of a JSON object in order: names without quotes, and values as JSON. It finds the ends of values without
// checking their syntax, because callers make payloads of the values, and the parser of payloads checks them. It does not allocate. Of
// anything but an object it yields nothing.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		s := skimmer{b: object}
		if !s.take('{') || s.take('}') {
			return
		}
		for {
			s.space()
			name, ok := s.value()
			if !ok || name[0] != '"' || !s.take(':') {
				return
			}
			s.space()
			value, ok := s.value()
			if !ok || !yield(name[1:len(name)-1], value) || !s.take(',') {
				return
			}
		}
	}
}

// WholeMembers returns a JSON object with the complete members of an object that breaks off.
func WholeMembers(torn []byte) []byte {
	whole := []byte{'{'}
	for name, value := range Members(torn) {
		if len(whole) > 1 {
			whole = append(whole, ',')
		}
		whole = slices.Concat(whole, []byte{'"'}, name, []byte(`":`), value)
	}
	return append(whole, '}')
}

// Items yields the elements of a JSON array in order, as JSON, under the conditions of Members.
func Items(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		s := skimmer{b: array}
		if !s.take('[') || s.take(']') {
			return
		}
		for {
			s.space()
			value, ok := s.value()
			if !ok || !yield(value) || !s.take(',') {
				return
			}
		}
	}
}

// Mentions reports whether a row contains one of some texts. With it, callers need not decode rows that contain none. A text has no white
// space between tokens of JSON, because rows that a script wrote may have more or less.
func Mentions(row []byte, texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return bytes.Contains(row, []byte(s)) })
}

// Derived reports whether a row is from a client whose rows resemble those of Claude Code or Gemini CLI, such as Qwen Code: the row has
// the member "provenance", or a message with parts in place of content.
func Derived(row []byte) bool {
	for name, value := range Members(row) {
		if string(name) == "provenance" && value[0] == '"' {
			return true
		}
		if string(name) != "message" {
			continue
		}
		for name, parts := range Members(value) {
			if string(name) == "parts" && parts[0] == '[' {
				return true
			}
		}
	}
	return Mentions(row, `"message":{"role":"user","parts":[`, `"message":{"role":"model","parts":[`) // the row may break off
}

// Closed reports whether b is one JSON object whose brackets and strings are closed, which is false for a row that breaks off.
func Closed(b []byte) bool {
	s := skimmer{b: bytes.TrimSpace(b)}
	v, ok := s.value()
	return ok && v[0] == '{' && s.i == len(s.b)
}

// skimmer finds the ends of JSON values.
type skimmer struct {
	b []byte
	i int // offset of the next byte
}

// space skips white space.
func (s *skimmer) space() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\t' || s.b[s.i] == '\r' || s.b[s.i] == '\n') {
		s.i++
	}
}

// take skips white space and c. It returns false if another byte follows the white space.
func (s *skimmer) take(c byte) bool {
	s.space()
	if s.i == len(s.b) || s.b[s.i] != c {
		return false
	}
	s.i++
	return true
}

// value skips one value and returns it. ok is false if the value breaks off or is missing.
func (s *skimmer) value() (value []byte, ok bool) {
	from := s.i
	if from == len(s.b) {
		return nil, false
	}
	switch s.b[from] {
	case '"':
		if !s.text() {
			return nil, false
		}
	case '{', '[':
		depth := 0
		for {
			if s.i == len(s.b) {
				return nil, false
			}
			switch s.b[s.i] {
			case '"':
				if !s.text() {
					return nil, false
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			s.i++
			if depth == 0 {
				return s.b[from:s.i], true
			}
		}
	default:
		for s.i < len(s.b) && strings.IndexByte(valueEnds, s.b[s.i]) < 0 {
			s.i++
		}
		if s.i == len(s.b) {
			return nil, false // more of it may have followed
		}
	}
	return s.b[from:s.i], s.i > from
}

// valueEnds are the bytes that end a number or a literal.
const valueEnds = ",]}: \t\r\n"

// text skips a string. It returns false if the string breaks off.
func (s *skimmer) text() bool {
	s.i++
	for {
		n := bytes.IndexByte(s.b[s.i:], '"')
		if n < 0 {
			return false
		}
		end := s.i + n
		slashes := end
		for slashes > s.i && s.b[slashes-1] == '\\' {
			slashes--
		}
		s.i = end + 1
		if (end-slashes)%2 == 0 {
			return true
		}
	}
}

// Unquote returns the text of a JSON string, "" for anything else.
func Unquote(v []byte) string {
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}
