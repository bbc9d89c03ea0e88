package redact

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// This file sorts bytes into classes, and counts bytes by class.

// charset is a set of bytes: classes that are joined by |. Sets are constants, which cost the start of the process nothing.
type charset uint32

const (
	digit charset = 1 << iota
	lower
	upper
	hexLetter   // a to f in either case
	base32Digit // 2 to 7
	base64Sign  // + / =
	underscore
	hyphen
	dot
	slash
	percent
	tilde
	colon
	gap    // blank and tab
	common // signs that people and machines put into passwords and keys
	filled // signs in bracketed placeholders of examples and templates: <your key, if any>; also the bytes of … and •
	sign   // digits and signs that values have more often than words of prose
	vowel  // small vowels
	sigil  // @ and $, which begin variables
)

const (
	alnum  = digit | lower | upper
	hex    = digit | hexLetter
	word   = alnum | underscore | hyphen
	dotted = word | dot
	base64 = alnum | base64Sign
	// letters are the characters of names and words.
	letters = lower | upper | underscore | hyphen | dot
)

// classes holds the classes of each byte. The strings are in the order of the constants above.
var classes = func() (t [256]charset) {
	for i, bytes := range [...]string{
		"0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefABCDEF", "234567", "+/=",
		"_", "-", ".", "/", "%", "~", ":", " \t",
		"!#$%^&*+~?@-_./=", "<>[]{}()'\",:|$*%!?=&\xe2\x80\xa6\xa2", "0123456789\"'`->@#", "aeiou", "@$",
	} {
		for _, b := range []byte(bytes) {
			t[b] |= 1 << i
		}
	}
	return t
}()

// has reports whether b is in the set.
func (c charset) has(b byte) bool { return classes[b]&c != 0 }

// run returns how many bytes at the start of s are in the set.
func (c charset) run(s string) (n int) {
	for n < len(s) && c.has(s[n]) {
		n++
	}
	return n
}

// tail returns the bytes at the end of s that are in the set.
func (c charset) tail(s string) string {
	n := len(s)
	for n > 0 && c.has(s[n-1]) {
		n--
	}
	return s[n:]
}

// runs yields the runs of bytes of s that are in the set, which must hold only ASCII.
func (c charset) runs(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(s, func(r rune) bool { return r >= utf8.RuneSelf || !c.has(byte(r)) })
}

// groups returns how many runs of bytes of s are in the set.
func (c charset) groups(s string) (n int) {
	for range c.runs(s) {
		n++
	}
	return n
}

// only reports whether every byte of s is in the set.
func (c charset) only(s string) bool { return c.run(s) == len(s) }

// in returns how many bytes of s are in the set.
func (c charset) in(s string) (n int) {
	for i := range len(s) {
		n += min(1, int(classes[s[i]]&c))
	}
	return n
}
