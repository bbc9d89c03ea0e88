package events

import (
	"unicode/utf8"

	"github.com/vmihailenco/msgpack/v5"
)

// Raw is one encoded msgpack value. A value without a declared shape is processed as bytes, after Check: the decoder's
// own untyped form loses the width of integers and the order of members, and refuses extensions and keys that are no
// strings.
type Raw = msgpack.RawMessage

// family is what the head of a value says it is.
type family int

const (
	scalar family = iota // nil, boolean, number
	object
	list
	str
	bin
	ext
)

func familyOf(head byte) family {
	switch {
	case head >= 0x80 && head <= 0x8f, head == 0xde, head == 0xdf:
		return object
	case head >= 0x90 && head <= 0x9f, head == 0xdc, head == 0xdd:
		return list
	case head >= 0xa0 && head <= 0xbf, head >= 0xd9 && head <= 0xdb:
		return str
	case head >= 0xc4 && head <= 0xc6:
		return bin
	case head >= 0xc7 && head <= 0xc9, head >= 0xd4 && head <= 0xd8:
		return ext
	}
	return scalar
}

// content gives what stands after the head of a string, of bytes or of an
// extension; of the last, the first byte is its type.
func content(v []byte) []byte {
	switch v[0] {
	case 0xc4, 0xc7, 0xd9:
		return v[2:]
	case 0xc5, 0xc8, 0xda:
		return v[3:]
	case 0xc6, 0xc9, 0xdb:
		return v[5:]
	}
	return v[1:]
}

// isMap says whether a value that passed Check is a map.
func isMap(b []byte) bool { return len(b) > 0 && familyOf(b[0]) == object }

// mapRaw gives a copy of a value that passed Check with f applied to every text
// in it, also to the keys of maps: which of them are names, only the program
// that declares the type knows. Bytes that are UTF-8 count as text, as they do
// where they are decoded into a string. Everything else stays as it is.
func mapRaw(b Raw, f func(string) string) (Raw, error) {
	out := make(Raw, 0, len(b))
	for len(b) > 0 {
		skip, _, _ := head(b, 0) // of a container the head alone: what is in it comes next
		v := b[:skip]
		b = b[skip:]
		kind := familyOf(v[0])
		if kind != str && kind != bin {
			out = append(out, v...)
			continue
		}
		before := string(content(v))
		if kind == bin && !utf8.ValidString(before) {
			out = append(out, v...)
			continue
		}
		after := f(before)
		if after == before {
			out = append(out, v...)
			continue
		}
		var again any = after
		if kind == bin {
			again = []byte(after)
		}
		e, err := marshal(again)
		if err != nil {
			return nil, err
		}
		out = append(out, e...)
	}
	return out, nil
}
