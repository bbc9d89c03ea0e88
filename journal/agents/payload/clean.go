package payload

import (
	"iter"

	"journal/events/text"
	"journal/journal/redact"
)

// longText describes the text of a node that was too long, until its final cut.
type longText struct {
	edge, lost int  // lost bytes are missing at offset edge of the text
	head, tail int  // bytes to keep of the beginning and of the end
	torn       bool // the input ended within the string
}

// join returns the final cut of s after redaction. A nil redact changes nothing.
//
// It always omits the last margin bytes of the redacted beginning, and the first of the redacted end: a secret that breaks off at
// the edge is not recognised, and earlier redactions may have moved it.
func (l *longText) join(s string, redact func(string) string) string {
	if redact == nil {
		redact = func(s string) string { return s }
	}
	if l.lost == 0 && !l.torn {
		return text.Cut(redact(s), l.head, l.tail)
	}
	head, tail := redact(s[:l.edge]), redact(s[l.edge:])
	from := text.Before(head, max(0, min(l.head, len(head)-margin)))
	to := text.After(tail, min(len(tail), max(len(tail)-l.tail, margin)))
	lost := l.lost + len(head) - from + to
	return text.Join(head[:from], tail[to:], lost)
}

// Redactor removes secrets from a string at a place; redact.TextAt is the one in use.
type Redactor func(at redact.Place, s string) string

// Clean returns the value with secrets removed from every string, according to its place, and from every member name. Strings that
// were too long are cut to their final size, at whole characters, with a mark between the two ends. The mark has the number of bytes
// omitted from the redacted text, and the digest of the kept redacted text: the digest of a short secret would reveal it (ADR-0016
// rule 3). A number whose name marks it as a secret becomes a string. A nil remove changes nothing.
//
// The two ends of a long string are redacted with 4 KiB beyond the cut, so a part of a longer secret may be kept. If redaction makes
// two names of an object equal, the last member is kept and the object is marked as cut.
//
// Every value is cleaned once before it is stored.
func (v Value) Clean(remove Redactor) Value {
	if v.n == nil {
		return v
	}
	if remove == nil {
		remove = func(_ redact.Place, s string) string { return s }
	}
	return Value{remove.clean(v.n, redact.Place{})}
}

// clean returns a node without secrets, and all nodes below it.
func (remove Redactor) clean(n *node, at redact.Place) *node {
	out := &node{text: n.text, kind: n.kind, cut: n.cut}
	switch {
	case n.long != nil:
		out.text = n.long.join(n.text, func(s string) string { return remove(at, s) })
	case n.kind == String:
		out.text = remove(at, n.text)
	case n.kind == Number && at.IsSecretNumber(n.text):
		if s := remove(at, n.text); s != n.text {
			out.kind, out.text = String, s
		}
	case n.kind == Object:
		remove.members(out, n, at.Object(n.texts()))
	case n.kind == Array:
		in, last := at.Array(n.items()), &out.first
		for child := n.first; child != nil; child = child.next {
			*last = remove.clean(child, in.Next())
			last = &(*last).next
		}
	}
	return out
}

// members adds the members of object n to out, without secrets. at is the place of n.
func (remove Redactor) members(out, n *node, at redact.Place) {
	count, last := 0, &out.first
	for child := n.first; child != nil; child = child.next {
		k := remove.clean(child, at.Member(child.name))
		k.name = remove(redact.Place{}, child.name)
		*last, last = k, &k.next
		count++
	}
	out.keepLastOfEqualNames()
	out.cut = out.cut || Value{out}.Len() != count
}

// texts yields the names and texts of the members that are strings. Of a long text it yields the held part.
func (n *node) texts() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for c := n.first; c != nil; c = c.next {
			if c.kind == String && !yield(c.name, c.text) {
				return
			}
		}
	}
}

// items returns the texts of the elements, "" for a long text and for anything but a string.
func (n *node) items() (all []string) {
	for c := n.first; c != nil; c = c.next {
		all = append(all, "")
		if c.kind == String && c.long == nil {
			all[len(all)-1] = c.text
		}
	}
	return all
}
