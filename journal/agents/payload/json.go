package payload

import "unicode/utf8"

// JSON returns the value as compact JSON, nil if it is absent. Members are in the
// order received, numbers have the text received, strings are valid UTF-8. What is
// said at Str about secrets holds here too.
func (v Value) JSON() []byte {
	if v.n == nil {
		return nil
	}
	return v.appendJSON(nil)
}

func (v Value) appendJSON(b []byte) []byte {
	switch v.n.kind {
	case String:
		return appendString(b, v.Str())
	case Array:
		b = append(b, '[')
		for c := range v.children() {
			b = appendComma(b, c != v.n.first)
			b = Value{c}.appendJSON(b)
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for c := range v.children() {
			b = appendComma(b, c != v.n.first)
			b = appendString(b, c.name)
			b = append(b, ':')
			b = Value{c}.appendJSON(b)
		}
		return append(b, '}')
	}
	return append(b, v.n.text...)
}

func appendComma(b []byte, comma bool) []byte {
	if comma {
		return append(b, ',')
	}
	return b
}

// appendString appends s as a JSON string. It escapes only what JSON demands:
// what encoding/json escapes for the sake of web pages makes code unreadable in a
// log. A redaction may have returned bytes that are not UTF-8; they become U+FFFD.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	done := 0
	for i, r := range s {
		var esc string
		switch {
		case r == '"':
			esc = `\"`
		case r == '\\':
			esc = `\\`
		case r == '\n':
			esc = `\n`
		case r == '\r':
			esc = `\r`
		case r == '\t':
			esc = `\t`
		case r < ' ':
			esc = `\u00` + hex[r>>4:r>>4+1] + hex[r&15:r&15+1]
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(s[i:]); size != 1 {
				continue
			}
			esc = "\uFFFD"
		default:
			continue
		}
		b = append(b, s[done:i]...)
		b = append(b, esc...)
		done = i + 1
	}
	b = append(b, s[done:]...)
	return append(b, '"')
}
