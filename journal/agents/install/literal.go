package install

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// unit is one character of a JSON string with the spelling it has in the
// file, so that text can be taken out and put back escape by escape.
type unit struct {
	raw string
	val rune // half of a pair when raw is an escaped surrogate
}

// units splits a valid JSON string literal, quotes included.
func units(literal []byte) []unit {
	var us []unit
	for s := string(literal[1 : len(literal)-1]); s != ""; {
		val, n := utf8.DecodeRuneInString(s)
		if val == '\\' {
			val, n = unescape(s)
		}
		us = append(us, unit{s[:n], val})
		s = s[n:]
	}
	return us
}

// unescape reads the escape at the start of s.
func unescape(s string) (val rune, n int) {
	if s[1] == 'u' {
		// The literal is valid, so four hexadecimal digits follow.
		v, _ := strconv.ParseUint(s[2:6], 16, 16)
		return rune(v), 6
	}
	if i := strings.IndexByte(`bfnrt`, s[1]); i >= 0 {
		return rune("\b\f\n\r\t"[i]), 2
	}
	return rune(s[1]), 2
}

// spell joins the spellings of us.
func spell(us []unit) string {
	var b strings.Builder
	for _, u := range us {
		b.WriteString(u.raw)
	}
	return b.String()
}

// values returns the characters of us.
func values(us []unit) []rune {
	rs := make([]rune, len(us))
	for i, u := range us {
		rs[i] = u.val
	}
	return rs
}

// quoteJSON returns s as a JSON string, with no more escapes than needed.
func quoteJSON(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// A string always encodes, and a bytes.Buffer always takes it.
	_ = enc.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}
