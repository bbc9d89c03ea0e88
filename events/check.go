package events

import "encoding/binary"

// maxDepth bounds the nesting of a stored value. Ours nest five deep. The decoder's recursion overflows the stack at
// some millions, and Go cannot recover from that (ADR-0013 rule 3).
const maxDepth = 32

// Check reports an error unless b is exactly one msgpack value whose announced lengths all fit into b, nested at most
// 32 deep. It makes one linear pass without allocation or recursion. All bytes that this process did not just encode
// must pass it before decoding: the decoder reserves memory for announced lengths, and five bytes can announce four
// gigabytes.
func Check(b []byte) error {
	end, err := skip(b, 0, maxDepth)
	if err == nil && end != len(b) {
		err = wrapf(ErrMalformed, "%d bytes after the value", len(b)-end)
	}
	return err
}

// skip returns the end of the value at b[i], including everything in it. Its errors are those of Check, for at most
// depth levels of nesting.
func skip(b []byte, i, depth int) (end int, err error) {
	var left [maxDepth + 1]uint64 // values still due, by level
	left[0] = 1
	for level := 0; ; {
		for left[level] == 0 {
			if level == 0 {
				return i, nil
			}
			level--
		}
		left[level]--
		if i >= len(b) {
			return 0, wrapf(ErrMalformed, "value ends at byte %d", i)
		}
		n, children, ok := head(b, i)
		if !ok || uint64(len(b)-i) < n {
			return 0, wrapf(ErrMalformed, "bad or cut value at byte %d", i)
		}
		i += int(n)
		if children == 0 {
			continue
		}
		// Each value takes at least one byte.
		if children > uint64(len(b)-i) {
			return 0, wrapf(ErrMalformed, "%d values announced at byte %d, %d bytes left", children, i, len(b)-i)
		}
		if level == depth {
			return 0, wrapf(ErrMalformed, "nested deeper than %d at byte %d", maxDepth, i)
		}
		level++
		left[level] = children
	}
}

// head reads the value at b[i]: its bytes without nested values, and the number of these.
func head(b []byte, i int) (skip, children uint64, ok bool) {
	c := b[i]
	switch {
	case c <= 0x7f, c >= 0xe0: // small integers
		return 1, 0, true
	case c <= 0x8f: // fixmap
		return 1, 2 * uint64(c&0x0f), true
	case c <= 0x9f: // fixarray
		return 1, uint64(c & 0x0f), true
	case c <= 0xbf: // fixstr
		return 1 + uint64(c&0x1f), 0, true
	}
	// wide reads a size of width bytes after the head.
	wide := func(width int) (uint64, bool) {
		if len(b)-i-1 < width {
			return 0, false
		}
		p := b[i+1:]
		switch width {
		case 1:
			return uint64(p[0]), true
		case 2:
			return uint64(binary.BigEndian.Uint16(p)), true
		default:
			return uint64(binary.BigEndian.Uint32(p)), true
		}
	}
	switch c {
	case 0xc0, 0xc2, 0xc3: // nil, false, true
		return 1, 0, true
	case 0xcc, 0xd0:
		return 2, 0, true
	case 0xcd, 0xd1:
		return 3, 0, true
	case 0xca, 0xce, 0xd2:
		return 5, 0, true
	case 0xcb, 0xcf, 0xd3:
		return 9, 0, true
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8: // fixext 1, 2, 4, 8, 16
		return 2 + 1<<(c-0xd4), 0, true
	case 0xc4, 0xc5, 0xc6: // bin 8, 16, 32
		n, ok := wide(1 << (c - 0xc4))
		return 1 + 1<<(c-0xc4) + n, 0, ok
	case 0xc7, 0xc8, 0xc9: // ext 8, 16, 32
		n, ok := wide(1 << (c - 0xc7))
		return 2 + 1<<(c-0xc7) + n, 0, ok
	case 0xd9, 0xda, 0xdb: // str 8, 16, 32
		n, ok := wide(1 << (c - 0xd9))
		return 1 + 1<<(c-0xd9) + n, 0, ok
	case 0xdc, 0xdd: // array 16, 32
		n, ok := wide(2 << (c - 0xdc))
		return 1 + 2<<(c-0xdc), n, ok
	case 0xde, 0xdf: // map 16, 32
		n, ok := wide(2 << (c - 0xde))
		return 1 + 2<<(c-0xde), 2 * n, ok
	}
	return 0, 0, false // 0xc1 is never used
}
