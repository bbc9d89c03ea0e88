package events

import "encoding/binary"

// The functions below read one value in the form in which marshal writes it. What
// another program spelled in another way is not ok, and left to the decoder.

// members reads the head of a map: how many pairs follow at next.
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

// elements reads the head of a list.
func elements(b []byte, i int) (n, next int, ok bool) {
	if i >= len(b) || familyOf(b[i]) != list {
		return 0, 0, false
	}
	size, children, ok := head(b, i)
	if !ok || size > uint64(len(b)-i) || children > uint64(len(b)-i) {
		return 0, 0, false
	}
	return int(children), i + int(size), true
}

// textAt reads a string, as bytes of b.
func textAt(b []byte, i int) (text []byte, next int, ok bool) {
	return contentAt(b, i, str)
}

// contentAt reads a string or bytes, as bytes of b.
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

// integerAt reads an integer of any width that an int64 holds.
func integerAt(b []byte, i int) (n int64, next int, ok bool) {
	if i >= len(b) {
		return 0, 0, false
	}
	c := b[i]
	switch {
	case c <= 0x7f:
		return int64(c), i + 1, true
	case c >= 0xe0:
		return int64(int8(c)), i + 1, true
	}
	size, _, ok := head(b, i)
	if !ok || size > uint64(len(b)-i) {
		return 0, 0, false
	}
	p := b[i+1:]
	next = i + int(size)
	switch c {
	case 0xcc:
		return int64(p[0]), next, true
	case 0xcd:
		return int64(binary.BigEndian.Uint16(p)), next, true
	case 0xce:
		return int64(binary.BigEndian.Uint32(p)), next, true
	case 0xcf, 0xd3:
		n = int64(binary.BigEndian.Uint64(p))
		return n, next, c == 0xd3 || n >= 0
	case 0xd0:
		return int64(int8(p[0])), next, true
	case 0xd1:
		return int64(int16(binary.BigEndian.Uint16(p))), next, true
	case 0xd2:
		return int64(int32(binary.BigEndian.Uint32(p))), next, true
	}
	return 0, 0, false
}
