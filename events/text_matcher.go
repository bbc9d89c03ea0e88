package events

import (
	"bytes"
	"encoding/json"
	"slices"
)

// TextMatcher returns a function that reports whether bytes hold a text: as it is, or within a JSON string, with or without the escapes for
// HTML that Go's encoder writes, and clients do not.
func TextMatcher(text string) func(b []byte) bool {
	forms := [][]byte{[]byte(text)}
	for _, html := range []bool{true, false} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(html)
		_ = enc.Encode(text)                          // a string always encodes
		forms = append(forms, b.Bytes()[1:b.Len()-2]) // without the quotes and the end of the line
	}
	return func(b []byte) bool {
		return slices.ContainsFunc(forms, func(form []byte) bool { return bytes.Contains(b, form) })
	}
}
