package payload

import "journal/events/text"

// longText is what a string that was too long knows until its final cut.
type longText struct {
	edge, lost int // lost bytes are missing at edge of the node's text
	head, tail int // bytes to keep of the two sides
}

// join returns the final cut of s after redaction. A nil redact changes
// nothing.
//
// The last margin bytes of the redacted beginning and the first of the redacted
// end are always left out: a secret that the held text breaks off in is not
// recognised, and redactions before it could have moved it into what is kept.
func (l *longText) join(s string, redact func(string) string) string {
	if redact == nil {
		redact = func(s string) string { return s }
	}
	if l.lost == 0 {
		return text.Cut(redact(s), l.head, l.tail)
	}
	head, tail := redact(s[:l.edge]), redact(s[l.edge:])
	from := text.Before(head, max(0, min(l.head, len(head)-margin)))
	to := text.After(tail, min(len(tail), max(len(tail)-l.tail, margin)))
	lost := l.lost + len(head) - from + to
	return text.Join(head[:from], tail[to:], lost)
}

// Clean returns the value with redact applied to every string and every member
// name, and with strings that were too long cut to their final size, at borders
// between characters, with the mark in between. The number in the mark counts the
// bytes left out of the redacted text, and its digest is over the redacted text
// kept: the digest of a short secret would be the secret (ADR-0016 rule 3).
//
// redact sees a long string as its two ends, each with 4 KiB beyond the cut. A
// secret longer than that may be kept in part. A nil redact changes nothing.
// Where redaction makes two names of an object the same, the last member is kept
// and the object is marked as cut.
//
// Whatever is stored goes through Clean first, once.
func (v Value) Clean(redact func(string) string) Value {
	if v.n == nil {
		return v
	}
	if redact == nil {
		redact = func(s string) string { return s }
	}
	var a arena
	return Value{clean(&a, v.n, redact)}
}

func clean(a *arena, n *node, redact func(string) string) *node {
	c := a.node()
	*c = node{text: n.text, kind: n.kind, cut: n.cut}
	switch {
	case n.long != nil:
		c.text = n.long.join(n.text, redact)
	case n.kind == String:
		c.text = redact(n.text)
	}
	before := 0
	at := &c.first
	for child := n.first; child != nil; child = child.next {
		k := clean(a, child, redact)
		k.name = child.name
		if n.kind == Object {
			k.name = redact(child.name)
		}
		*at, at = k, &k.next
		before++
	}
	if n.kind == Object {
		c.last()
		c.cut = c.cut || Value{c}.Len() != before
	}
	return c
}
