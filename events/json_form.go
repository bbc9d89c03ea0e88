package events

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
)

// jsonForm returns the JSON of a value that passed Check, with members in stored order. Bytes become base64, an extension
// becomes {"ext": its type, "data": base64}, NaN and infinities become null. A key that is a number, a boolean or nil
// becomes the text of its JSON form; any other key but a string becomes the base64 of its msgpack.
func jsonForm(b Raw) json.RawMessage {
	out, _ := appendJSON(make([]byte, 0, 2*len(b)), b)
	return out
}

// appendJSON appends the JSON of the first value of b and returns the rest of b. Check bounds its recursion.
func appendJSON(to, b []byte) (out, rest []byte) {
	size, n, _ := head(b, 0)
	v, rest := b[:size], b[size:]
	switch familyOf(v[0]) {
	case object:
		to = append(to, '{')
		for i := range n / 2 {
			if i > 0 {
				to = append(to, ',')
			}
			to, rest = appendKey(to, rest)
			to = append(to, ':')
			to, rest = appendJSON(to, rest)
		}
		return append(to, '}'), rest
	case list:
		to = append(to, '[')
		for i := range n {
			if i > 0 {
				to = append(to, ',')
			}
			to, rest = appendJSON(to, rest)
		}
		return append(to, ']'), rest
	case str:
		quoted, _ := json.Marshal(string(content(v))) // strings always encode
		return append(to, quoted...), rest
	case bin:
		return appendBase64(to, content(v)), rest
	case ext:
		c := content(v)
		to = append(to, `{"ext":`...)
		to = strconv.AppendInt(to, int64(int8(c[0])), 10)
		to = append(to, `,"data":`...)
		return append(appendBase64(to, c[1:]), '}'), rest
	}
	return appendScalar(to, v), rest
}

// appendKey appends the first value of b as the name of a member, and returns the rest of b.
func appendKey(to, b []byte) (out, rest []byte) {
	switch familyOf(b[0]) {
	case str:
		return appendJSON(to, b)
	case scalar:
		to, rest = appendJSON(append(to, '"'), b)
		return append(to, '"'), rest
	}
	// The key is not written as JSON, because each level of nested keys would escape the quotes of the levels below, and double
	// their length.
	left, end := uint64(1), uint64(0)
	for ; left > 0; left-- {
		size, children, _ := head(b, int(end))
		end += size
		left += children
	}
	return appendBase64(to, b[:end]), b[end:]
}

func appendBase64(to, b []byte) []byte {
	to = append(to, '"')
	to = base64.StdEncoding.AppendEncode(to, b)
	return append(to, '"')
}

// appendScalar appends the JSON of a nil, boolean or number.
func appendScalar(to, v []byte) []byte {
	num := v[1:]
	switch v[0] {
	case 0xc0:
		return append(to, "null"...)
	case 0xc2:
		return append(to, "false"...)
	case 0xc3:
		return append(to, "true"...)
	case 0xca:
		return appendFloat(to, float64(math.Float32frombits(binary.BigEndian.Uint32(num))), 32)
	case 0xcb:
		return appendFloat(to, math.Float64frombits(binary.BigEndian.Uint64(num)), 64)
	}
	n, signed, _ := integerOf(v)
	if !signed {
		return strconv.AppendUint(to, uint64(n), 10)
	}
	return strconv.AppendInt(to, n, 10)
}

func appendFloat(to []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(to, "null"...)
	}
	return strconv.AppendFloat(to, f, 'g', -1, bits)
}
