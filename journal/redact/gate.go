package redact

import "math"

// This file decides where in a text a rule may look: where one of its keywords stands.

// gram is the number of bytes of a keyword that the gate compares before the whole keyword. Three is the shortest keyword.
const gram = 3

// gateBits is the size of the gate's table: 2^15 entries of two bytes, of which a text touches those in the first cache that
// its own bytes lead to.
const gateBits = 15

// gate finds the places of all keywords in one pass: each three bytes of the text, with the bit cleared that tells the cases
// of an ASCII letter apart, are hashed into a table of the keywords that begin so. A hash needs no result of the hash before
// it, unlike the states of an automaton, and the table is built in microseconds.
type gate struct {
	first   [1 << gateBits]uint16 // 1 + index of the first keyword in entries, or 0
	follow  [1 << gateBits]uint8  // a bit for the lowest three bits of each byte that may follow the first three
	entries []keyword
}

// keyword is one keyword of one rule.
type keyword struct {
	head, mask uint64 // up to eight bytes from its rare ones on, as headOf gives them; where they are
	text       string
	rare       int // where in the text the gate looks
	rule       *Rule
	next       uint16 // as in gate.first: the next keyword with the same hash
}

func newGate(rules []*Rule) *gate {
	g := &gate{entries: make([]keyword, 0, 1<<11)}
	for _, r := range rules {
		for _, k := range r.Keywords {
			rare := 0
			if r.format != "" {
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

// rareAt returns where in the text of a token the first three bytes are that are not all letters, as those of words are. The gate
// looks for the text from there on.
func rareAt(text string) int {
	letters := (lower | upper).run(text)
	return max(0, min(letters+1, len(text))-gram)
}

// caseBits makes ASCII letters equal that differ in case only, in eight bytes at once.
const caseBits = 0x2020202020202020

// hash mixes the three lowest bytes of w into an index of the table. Of 40,000 factors this one is the one with which the
// fewest places of code, prose and transcripts lead to a comparison: 45 in 1,000, where 35 begin as a keyword does.
func hash(w uint64) uint32 { return uint32(w) << 8 * 0xFE9FEB4D >> (32 - gateBits) }

// headOf returns the first eight bytes of s, or all if it has fewer, with the bit of each set that tells the cases of a letter
// apart.
func headOf(s string) uint64 {
	if len(s) < 8 {
		var b [8]byte
		copy(b[:], s)
		s = string(b[:])
	}
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56 | caseBits
}

// next returns the first place at or after from where a keyword may stand, or -1.
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
		i -= 5 // and on behind it
	}
	for ; i+gram <= len(s); i++ {
		if t[hash(headOf(s[i:]))] != 0 {
			return i
		}
	}
	return -1
}

// word returns the first keyword whose rare bytes stand at s[at:], or the one behind last, or nil.
func (g *gate) word(s string, at int, last *keyword) *keyword {
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
