package redact

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Finding is a secret that was found, and never its value.
type Finding struct {
	Kind string `json:"kind"` // as in the mark
	// Place is where it is: LINE:COLUMN in a text, in characters and from 1; a JSON pointer (RFC 6901) in a document,
	// and LINE:POINTER where there are several, one after the other. Secrets in a pointer are marks.
	Place  string `json:"place"`
	Length int    `json:"length"` // in bytes
}

// Find lists what Text would remove from s, in order.
func Find(s string) []Finding {
	var all []Finding
	for _, f := range spansOf(s) {
		begin := strings.LastIndexByte(s[:f.from], '\n') + 1
		line, column := 1+strings.Count(s[:f.from], "\n"), 1+utf8.RuneCountInString(s[begin:f.from])
		all = append(all, Finding{Kind: f.rule.Kind, Place: strconv.Itoa(line) + ":" + strconv.Itoa(column), Length: f.to - f.from})
	}
	return all
}

// spansOf returns what Text removes, as places of s. They do not overlap.
func spansOf(s string) (all []span) {
	at := make([]int, len(s)) // of each byte its place in s, -1 of a mark
	for i := range at {
		at[i] = i
	}
	found := private(s)
	for range rounds + 1 {
		for _, f := range found {
			all = append(all, span{from: at[f.from], to: at[f.to-1] + 1, rule: f.rule})
		}
		var then []int
		done := 0
		for _, f := range found {
			then = append(then, at[done:f.from]...)
			for range len(markOpen) + len(f.rule.Kind) + len(markClose) {
				then = append(then, -1)
			}
			done = f.to
		}
		at = append(then, at[done:]...)
		s = replace(s, found)
		found = secrets(s)
		if len(found) == 0 {
			break
		}
	}
	slices.SortFunc(all, func(a, b span) int { return a.from - b.from })
	return all
}

// find lists what Named removes from s at p.
func (p Place) find(s string) []Finding {
	named := p.spans(s)
	if len(named) == 0 || isMark(Text(s)) {
		return Find(s)
	}
	var all []Finding
	for _, f := range named {
		all = append(all, Finding{Kind: f.rule.Kind, Length: f.to - f.from})
	}
	return append(all, Find(replace(s, named))...)
}

// FindIn lists what would be removed from doc: of JSON, one value or one a line, what JSON removes and what Text removes from
// the names of members; of anything else what Text removes.
func FindIn(doc []byte) []Finding {
	s := string(doc)
	d := readDocument(s)
	if d == nil {
		return Find(s)
	}
	return d.find(true)
}

// Document gives doc without what FindIn lists.
func Document(doc []byte) []byte {
	if readDocument(string(doc)) == nil {
		return []byte(Text(string(doc)))
	}
	out, _ := JSON(doc) // it is
	return out
}

// FindInTexts lists what Text would remove from the strings of a JSON document, each by itself.
func FindInTexts(doc []byte) []Finding {
	d := readDocument(string(doc))
	if d == nil {
		return nil
	}
	return d.find(false)
}

// wholeDocuments reports whether s is JSON values one after the other and nothing else.
func wholeDocuments(s string) bool {
	dec := json.NewDecoder(strings.NewReader(s))
	for dec.More() {
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			return false
		}
	}
	return true
}

// find lists the secrets of a document.
func (d *document) find(named bool) (all []Finding) {
	several := d.nodes[0].child != 0 && d.nodes[d.nodes[0].child].next != 0
	add := func(n int, found []Finding) {
		for _, f := range found {
			f.Place = d.pointer(n)
			if several {
				f.Place = strconv.Itoa(1+strings.Count(d.text[:d.nodes[n].from], "\n")) + ":" + f.Place
			}
			all = append(all, f)
		}
	}
	d.leaves(func(n int, p Place, v string) {
		switch {
		case !named && d.nodes[n].kind != 0:
			add(n, Find(v))
		case named:
			add(n, p.find(v))
		}
	})
	for n, m := range d.nodes {
		if m.name != "" {
			add(n, Find(m.name))
		}
	}
	return all
}

// pointer gives the JSON pointer of a node.
func (d *document) pointer(n int) string {
	m := d.nodes[n]
	if m.up == 0 {
		return ""
	}
	step := strconv.Itoa(m.index)
	if d.nodes[m.up].kind == '{' {
		step = strings.NewReplacer("~", "~0", "/", "~1").Replace(Text(m.name))
	}
	return d.pointer(m.up) + "/" + step
}
