package redact

// charset is a set of ASCII bytes.
type charset [2]uint64

func (c charset) has(b byte) bool { return b < 0x80 && c[b>>6]>>(b&63)&1 != 0 }

func (c charset) and(others ...charset) charset {
	for _, o := range others {
		c[0] |= o[0]
		c[1] |= o[1]
	}
	return c
}

// setOf returns the charset of the bytes of s.
func setOf(s string) (c charset) {
	for i := range len(s) {
		c[s[i]>>6] |= 1 << (s[i] & 63)
	}
	return c
}

var (
	digit  = setOf("0123456789")
	lower  = setOf("abcdefghijklmnopqrstuvwxyz")
	upper  = setOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	hex    = digit.and(setOf("abcdefABCDEF"))
	alnum  = digit.and(lower, upper)
	word   = alnum.and(setOf("_-"))
	dotted = word.and(setOf("."))
	base64 = alnum.and(setOf("+/="))
	blank  = setOf(" \t")
)

// run returns how many bytes at the start of s are in the set.
func (c charset) run(s string) int {
	n := 0
	for n < len(s) && c.has(s[n]) {
		n++
	}
	return n
}

// only reports whether every byte of s is in the set.
func (c charset) only(s string) bool { return c.run(s) == len(s) }

// in returns how many bytes of s are in the set.
func (c charset) in(s string) int {
	n := 0
	for i := range len(s) {
		if c.has(s[i]) {
			n++
		}
	}
	return n
}
