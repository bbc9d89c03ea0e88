package events

import (
	"unicode/utf8"

	"github.com/vmihailenco/msgpack/v5"
)

// Raw is one encoded msgpack value. Values of undeclared types are processed in this form, after Check: a decoder without
// a Go type loses the width of integers and the order of members, and refuses extensions and keys that are not strings.
type Raw = msgpack.RawMessage

// isMap reports whether a value that passed Check is a map.
func isMap(b []byte) bool { return len(b) > 0 && familyOf(b[0]) == object }

// mapRaw returns a copy of a value that passed Check, with f applied to every text in it, including map keys: without a
// declaration it is unknown which keys are names of fields. Bytes that are UTF-8 count as text.
func mapRaw(b Raw, f func(string) string) (Raw, error) {
	out := make(Raw, 0, len(b))
	for len(b) > 0 {
		size, _, _ := head(b, 0) // without the content of a map or list, which follows
		v := b[:size]
		b = b[size:]
		kind := familyOf(v[0])
		if kind != str && (kind != bin || !utf8.Valid(content(v))) {
			out = append(out, v...)
			continue
		}
		before := string(content(v))
		after := f(before)
		if after == before {
			out = append(out, v...)
			continue
		}
		var decoded any = after
		if kind == bin {
			decoded = []byte(after)
		}
		e, err := Marshal(decoded)
		if err != nil {
			return nil, err
		}
		out = append(out, e...)
	}
	return out, nil
}

// endOf returns the offset after the value at b[i], without nested values, and the number of these. ok is false unless b has
// a whole value of the wanted family there.
func endOf(b []byte, i int, want family) (end int, children uint64, ok bool) {
	if i >= len(b) || familyOf(b[i]) != want {
		return 0, 0, false
	}
	size, children, ok := head(b, i)
	return i + int(size), children, ok && size <= uint64(len(b)-i)
}

// members reads the head of a map at b[i]: the number of its pairs, and the offset of the first.
func members(b []byte, i int) (pairs, next int, ok bool) {
	next, children, ok := endOf(b, i, object)
	return int(children / 2), next, ok && children <= uint64(len(b)-i) // each child has at least one byte
}

// contentAt reads a string or bytes at b[i]. text is a subslice of b, and next the offset after it.
func contentAt(b []byte, i int, want family) (text []byte, next int, ok bool) {
	next, _, ok = endOf(b, i, want)
	if !ok {
		return nil, 0, false
	}
	return content(b[i:next:next]), next, true
}

// readInteger reads an integer at b[i], of any width, and returns the offset after it. ok is false if it exceeds an int64.
func readInteger[N int | int64 | uint64](b []byte, i int, to *N) (next int, ok bool) {
	next, _, ok = endOf(b, i, scalar)
	if !ok {
		return 0, false
	}
	n, signed, ok := integerOf(b[i:next])
	*to = N(n)
	return next, ok && (signed || n >= 0)
}

// integerOf returns the value of an integer. signed is false for the unsigned encodings: there a negative n stands for the number
// uint64(n), of more than 63 bits. ok is false for other scalars.
func integerOf(v []byte) (n int64, signed, ok bool) {
	switch c := v[0]; {
	case c <= 0x7f, c >= 0xe0:
		return int64(int8(c)), true, true
	case c >= 0xcc && c <= 0xd3:
		var u uint64
		for _, digit := range v[1:] {
			u = u<<8 | uint64(digit)
		}
		if c <= 0xcf {
			return int64(u), false, true
		}
		unused := 64 - 8*(len(v)-1)
		return int64(u<<unused) >> unused, true, true
	}
	return 0, false, false
}
