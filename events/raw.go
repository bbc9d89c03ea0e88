package events

import (
	"unicode/utf8"

	"github.com/vmihailenco/msgpack/v5"
)

// Raw is one encoded msgpack value. Values without a declared shape are processed as bytes, after Check: the decoder's
// untyped form loses the width of integers and the order of members, and refuses extensions and keys that are not
// strings.
type Raw = msgpack.RawMessage

// isMap reports whether a value that passed Check is a map.
func isMap(b []byte) bool { return len(b) > 0 && familyOf(b[0]) == object }

// mapRaw returns a copy of a value that passed Check, with f applied to every text in it, including map keys: only a
// program that declares the type knows which keys are names. Bytes that are UTF-8 count as text, as when they are
// decoded into a string. Everything else is copied.
func mapRaw(b Raw, f func(string) string) (Raw, error) {
	out := make(Raw, 0, len(b))
	for len(b) > 0 {
		skip, _, _ := head(b, 0) // a container's content comes next
		v := b[:skip]
		b = b[skip:]
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

// The functions below read one value in the form that Marshal writes. For other programs' encodings they return ok
// false, and leave them to the decoder.

// members reads the head of a map: the number of pairs, and where the first begins.
func members(b []byte, i int) (pairs, next int, ok bool) {
	if i >= len(b) || familyOf(b[i]) != object {
		return 0, 0, false
	}
	n, children, ok := head(b, i)
	if !ok || n > uint64(len(b)-i) || children > uint64(len(b)-i) {
		return 0, 0, false
	}
	return int(children / 2), i + int(n), true
}

// contentAt reads a string or bytes. text is a subslice of b.
func contentAt(b []byte, i int, want family) (text []byte, next int, ok bool) {
	if i >= len(b) || familyOf(b[i]) != want {
		return nil, 0, false
	}
	n, _, ok := head(b, i)
	if !ok || n > uint64(len(b)-i) {
		return nil, 0, false
	}
	next = i + int(n)
	return content(b[i:next:next]), next, true
}

// readInteger reads an integer of any width that fits an int64.
func readInteger[N int | int64 | uint64](b []byte, i int, to *N) (next int, ok bool) {
	if i >= len(b) || familyOf(b[i]) != scalar {
		return 0, false
	}
	size, _, ok := head(b, i)
	if !ok || size > uint64(len(b)-i) {
		return 0, false
	}
	next = i + int(size)
	n, signed, ok := integerOf(b[i:next])
	*to = N(n)
	return next, ok && (signed || n >= 0)
}

// integerOf returns the value of an integer. A negative n without sign is a value that needs all 64 bits.
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
