package redact

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file lists the secrets that the package would remove.

// Finding describes a secret that was found, without its value.
type Finding struct {
	Kind string `json:"kind"` // as in the mark
	// Place is LINE:COLUMN in a text, both from 1, the column in characters; a JSON pointer (RFC 6901) in a JSON value;
	// LINE:POINTER in one of several JSON values. Secrets in a pointer are replaced by marks.
	Place  string `json:"place"`
	Length int    `json:"length"` // in bytes
}

// Find lists the secrets that Text removes from s, in order.
func Find(s string) []Finding {
	var all []Finding
	for _, f := range spansOf(s) {
		begin := strings.LastIndexByte(s[:f.from], '\n') + 1
		line, column := 1+strings.Count(s[:f.from], "\n"), 1+utf8.RuneCountInString(s[begin:f.from])
		all = append(all, Finding{Kind: f.rule.Kind, Place: strconv.Itoa(line) + ":" + strconv.Itoa(column), Length: f.to - f.from})
	}
	return all
}

// spansOf returns the spans of s that Text removes, in order. They do not overlap.
func spansOf(s string) (all []span) {
	origins := make([]int, len(s)) // the index in s of each byte of the text so far, -1 for a byte of a mark
	for i := range origins {
		origins[i] = i
	}
	inRounds(s, func(found []span) {
		var next []int
		last := 0
		for _, f := range found {
			all = append(all, span{from: origins[f.from], to: origins[f.to-1] + 1, rule: f.rule})
			mark := slices.Repeat([]int{-1}, len(markOpen)+len(f.rule.Kind)+len(markClose))
			next, last = append(append(next, origins[last:f.from]...), mark...), f.to
		}
		origins = append(next, origins[last:]...)
	})
	slices.SortFunc(all, func(a, b span) int { return a.from - b.from })
	return all
}

// find lists the secrets that TextAt removes from s at p.
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

// FindIn lists the secrets that Document removes from doc.
func FindIn(doc []byte) []Finding {
	s := string(doc)
	d := readDocument(s)
	if d == nil {
		return Find(s)
	}
	return d.find(func(m *node, p Place, v string) []Finding { return append(p.find(v), Find(m.name)...) })
}

// Document returns doc redacted: by JSON if it consists of JSON values and begins with an object or an array, else by Text.
func Document(doc []byte) []byte {
	if readDocument(string(doc)) == nil {
		return []byte(Text(string(doc)))
	}
	out, _ := JSON(doc) // no error: readDocument read it
	return out
}

// FindInTexts lists the secrets that Text removes from the strings of a JSON document, each by itself. Names do not count.
func FindInTexts(doc []byte) []Finding {
	d := readDocument(string(doc))
	if d == nil {
		return nil
	}
	return d.find(func(m *node, _ Place, _ string) []Finding { return Find(m.text) })
}

// find lists the findings in each value of a document, and sets their places.
func (d *document) find(findings func(m *node, p Place, v string) []Finding) (all []Finding) {
	several := len(d.top.children) > 1
	d.walk(&d.top, Place{}, func(m *node, p Place, v string) {
		for _, f := range findings(m, p, v) {
			f.Place = d.pointer(m)
			if several {
				f.Place = strconv.Itoa(1+strings.Count(d.text[:m.from], "\n")) + ":" + f.Place
			}
			all = append(all, f)
		}
	})
	return all
}

// pointer returns the JSON pointer of a value.
func (d *document) pointer(m *node) string {
	if m.parent == &d.top {
		return ""
	}
	step := strconv.Itoa(m.index)
	if m.parent.kind == '{' {
		step = strings.NewReplacer("~", "~0", "/", "~1").Replace(Text(m.name))
	}
	return d.pointer(m.parent) + "/" + step
}
