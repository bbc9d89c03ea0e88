package events

// maxDepth bounds the nesting of a stored value. Declared events nest at most seven deep. At some millions of levels the
// decoder's recursion overflows the stack, and Go cannot recover from that (ADR-0013 rule 3).
const maxDepth = 32

// Check reports an error unless b is exactly one msgpack value whose announced lengths all fit into b, nested at most
// 32 deep. It makes one linear pass without allocation or recursion. All bytes that this process did not just encode
// must pass it before decoding: the decoder reserves memory for announced lengths, and five bytes can announce four
// gigabytes.
func Check(b []byte) error {
	end, err := skip(b, 0, maxDepth)
	if err != nil {
		return err
	}
	if end != len(b) {
		return wrapf(ErrMalformed, "%d bytes after the value", len(b)-end)
	}
	return nil
}

// skip returns the end of the value at b[i], including everything in it. It returns the errors of Check. depth bounds the
// nesting: it is maxDepth, less the levels around the value.
func skip(b []byte, i, depth int) (end int, err error) {
	var left [maxDepth + 1]uint64 // number of values still to read, by level
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
		size, children, ok := head(b, i)
		if !ok || uint64(len(b)-i) < size {
			return 0, wrapf(ErrMalformed, "bad or cut value at byte %d", i)
		}
		i += int(size)
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

// family is the kind of a value, according to its head: its first byte.
type family int

const (
	scalar family = iota // nil, boolean, number
	object
	list
	str
	bin
	ext
)

// shape describes the bytes of a value after its head.
type shape struct {
	family family
	length int // size of the length field, 0 for none
	fixed  int // further bytes that the length field does not count; -1 for an invalid head
}

// shapes are the shapes of the heads from 0xc0 to 0xdf. Every other head contains the length, or is a small integer.
var shapes = [...]shape{
	{}, {fixed: -1}, {}, {}, // nil, never used, false, true
	{bin, 1, 0}, {bin, 2, 0}, {bin, 4, 0}, {ext, 1, 1}, {ext, 2, 1}, {ext, 4, 1},
	{fixed: 4}, {fixed: 8}, // floats
	{fixed: 1}, {fixed: 2}, {fixed: 4}, {fixed: 8}, {fixed: 1}, {fixed: 2}, {fixed: 4}, {fixed: 8}, // unsigned, signed
	{ext, 0, 2}, {ext, 0, 3}, {ext, 0, 5}, {ext, 0, 9}, {ext, 0, 17},
	{str, 1, 0}, {str, 2, 0}, {str, 4, 0}, {list, 2, 0}, {list, 4, 0}, {object, 2, 0}, {object, 4, 0},
}

// head returns the size of the value at b[i] in bytes, without nested values, and the number of these. The size may exceed b.
// ok is false if the head is invalid, or its length field is cut.
func head(b []byte, i int) (size, children uint64, ok bool) {
	c := b[i]
	switch {
	case c <= 0x7f, c >= 0xe0: // small integers
		return 1, 0, true
	case c <= 0x8f: // small map
		return 1, 2 * uint64(c&0x0f), true
	case c <= 0x9f: // small list
		return 1, uint64(c & 0x0f), true
	case c <= 0xbf: // short string
		return 1 + uint64(c&0x1f), 0, true
	}
	s := shapes[c-0xc0]
	if s.fixed < 0 || len(b)-i-1 < s.length {
		return 0, 0, false
	}
	var n uint64
	for _, digit := range b[i+1 : i+1+s.length] {
		n = n<<8 | uint64(digit)
	}
	size = 1 + uint64(s.length+s.fixed)
	switch s.family {
	case object:
		return size, 2 * n, true
	case list:
		return size, n, true
	}
	return size + n, 0, true
}

// familyOf returns the family of a value that begins with a head.
func familyOf(head byte) family {
	switch {
	case head <= 0x7f, head >= 0xe0:
		return scalar
	case head <= 0x8f:
		return object
	case head <= 0x9f:
		return list
	case head <= 0xbf:
		return str
	}
	return shapes[head-0xc0].family
}

// content returns a string, bytes or an extension without its head and length field. For an extension the first byte is
// its type.
func content(v []byte) []byte {
	if v[0] < 0xc0 {
		return v[1:]
	}
	return v[1+shapes[v[0]-0xc0].length:]
}
