package payload

import (
	"iter"

	"journal/events/text"
	"journal/journal/redact"
)

// longText describes the held text of a string that was too long, until the string is cut to its final size.
type longText struct {
	edge, lost int  // at the offset edge of the held text, lost bytes are missing
	head, tail int  // numbers of bytes to keep of the beginning and of the end
	torn       bool // the input ended within the string
}

// join redacts the held text s, and cuts it to its final size. A nil redact changes nothing.
//
// If bytes are missing, it always omits the last margin bytes of the redacted beginning, and the first margin bytes of the redacted end.
// A secret that breaks off at the edge is not recognised, and redactions before it may have moved it.
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

// Redactor returns a string at a place without its secrets, as redact.TextAt does.
type Redactor func(at redact.Place, s string) string

// Clean returns the value with secrets removed from every string, according to its place, and from every member name. It cuts strings
// that were too long to their final size, at whole characters, with a mark between the two ends. The mark has the number of bytes
// omitted from the redacted text, and the digest of the kept redacted text, because the digest of a short secret would reveal the secret
// (ADR-0016 rule 3). A number whose name marks it as a secret becomes a string. A nil remove removes nothing.
//
// The two ends of a long string are redacted with 4 KiB beyond the cut, so a part of a secret longer than that may be kept. If redaction
// makes two names of an object equal, the last member is kept and the object is marked as cut.
func (v Value) Clean(remove Redactor) Value {
	if v.n == nil {
		return v
	}
	if remove == nil {
		remove = func(_ redact.Place, s string) string { return s }
	}
	return Value{remove.clean(v.n, redact.Place{})}
}

// clean returns a copy of a node at a place, and of all nodes below it, without secrets.
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

// members adds copies of the members of the object n to out, without secrets. at is the place of n.
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

// texts yields the names and texts of the members that are strings or numbers. Of a string that was too long it yields the held text.
func (n *node) texts() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for c := n.first; c != nil; c = c.next {
			if (c.kind == String || c.kind == Number) && !yield(c.name, c.text) {
				return
			}
		}
	}
}

// items returns the texts of the elements, "" for a string that was too long and for anything but a string.
func (n *node) items() (all []string) {
	for c := n.first; c != nil; c = c.next {
		all = append(all, "")
		if c.kind == String && c.long == nil {
			all[len(all)-1] = c.text
		}
	}
	return all
}
