package redact

import "math"

// This file finds the keywords of all rules in a text.

// gram is the number of bytes of a keyword that the gate hashes. The shortest keyword has three.
const gram = 3

// gateBits is the logarithm of the number of slots in the gate's tables. The search reads one byte of follow for each byte of the
// text; the 32 KiB of follow fit the processor's first cache.
const gateBits = 15

// gate finds all keywords in one pass. It hashes each three bytes of the text, with the bit set that distinguishes the cases of
// an ASCII letter, and looks the hash up in a table of keywords. Unlike the states of an automaton a hash does not depend on
// the one before it, and the table is built in microseconds.
type gate struct {
	first   [1 << gateBits]uint16 // by hash: 1 + index in entries of the first keyword, or 0
	follow  [1 << gateBits]uint8  // by hash: the set of the lowest three bits of a byte that may follow the hashed bytes
	entries []keyword
}

// keyword is one keyword of one rule.
type keyword struct {
	head, mask uint64 // up to eight bytes of text from rare on, as headOf returns them, and the bits of these bytes
	text       string
	rare       int // index in text of the three bytes that the gate hashes
	rule       *Rule
	next       uint16 // 1 + index in gate.entries of the next keyword with the same hash, or 0
}

// newGate returns the gate for the keywords of rules.
func newGate(rules []*Rule) *gate {
	g := &gate{entries: make([]keyword, 0, 1<<11)}
	for _, r := range rules {
		for _, k := range r.Keywords {
			rare := 0
			if r.format != "" { // many words have its first letters; the other keywords are mostly words themselves
				rare = rareAt(k)
			}
			head, mask := headOf(k[rare:]), ^uint64(0)>>(64-8*min(8, len(k)-rare))
			h := hash(head)
			g.entries = append(g.entries, keyword{head: head & mask, mask: mask, text: k, rare: rare, rule: r, next: g.first[h]})
			g.first[h] = uint16(len(g.entries))
			if len(k)-rare > gram {
				g.follow[h] |= 1 << (head >> (8 * gram) & 7)
			} else {
				g.follow[h] = math.MaxUint8
			}
		}
	}
	return g
}

// rareAt returns the index of the first three bytes of a keyword that are not all letters, else of its last three. Bytes that are
// not all letters are rarer in texts, because words have only letters.
func rareAt(text string) int {
	letters := (lower | upper).run(text)
	return max(0, min(letters+1, len(text))-gram)
}

// caseBits has the bit that distinguishes the cases of an ASCII letter, in each of eight bytes.
const caseBits = 0x2020202020202020

// hash mixes the three lowest bytes of w into an index of the table. Of 40,000 factors this one leads to the fewest comparisons
// in code, prose and transcripts: at 45 of 1,000 bytes. At 35 of these the first three bytes are indeed those of a keyword.
func hash(w uint64) uint32 { return uint32(w) << 8 * 0xFE9FEB4D >> (32 - gateBits) }

// headOf returns the first eight bytes of s, with caseBits set. Bytes that s does not have count as spaces.
func headOf(s string) uint64 {
	if len(s) < 8 {
		var b [8]byte
		copy(b[:], s)
		s = string(b[:])
	}
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56 | caseBits
}

// next returns the first index at or after from at which the rare bytes of a keyword may stand, or -1.
func (g *gate) next(s string, from int) int {
	t := &g.follow
	i := from
	for ; i+8 <= len(s); i += 6 {
		w := headOf(s[i : i+8])
		if t[hash(w)]|t[hash(w>>8)]|t[hash(w>>16)]|t[hash(w>>24)]|t[hash(w>>32)]|t[hash(w>>40)] == 0 {
			continue
		}
		for ; t[hash(w)] == 0; w >>= 8 {
			i++
		}
		if i+gram == len(s) || t[hash(w)]>>(s[i+gram]&7)&1 != 0 {
			return i
		}
		i -= 5 // the loop adds 6
	}
	for ; i+gram <= len(s); i++ {
		if t[hash(headOf(s[i:]))] != 0 {
			return i
		}
	}
	return -1
}

// keywordAt returns a keyword of s whose rare bytes stand at s[at:]: the first or, if last is not nil, the next after last. It returns
// nil if there is none.
func (g *gate) keywordAt(s string, at int, last *keyword) *keyword {
	w := headOf(s[at:])
	i := g.first[hash(w)]
	if last != nil {
		i = last.next
	}
	for ; i != 0; i = g.entries[i-1].next {
		if k := &g.entries[i-1]; k.head == w&k.mask && at >= k.rare && k.begins(s[at-k.rare:]) {
			return k
		}
	}
	return nil
}

// begins reports whether s begins with the keyword.
func (k *keyword) begins(s string) bool {
	n := len(k.text)
	var buf [longestName]byte
	return len(s) >= n && (s[:n] == k.text || k.rule.Fold && string(fold(buf[:0], s[:n])) == k.text)
}
