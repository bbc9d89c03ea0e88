package recovery

import (
	"bytes"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"journal/events/text"
	"journal/projections"
	"journal/replay/knowledge"
)

// pieces prints a text part by part, and caches the printed parts. A built-in template, or a person's copy of one, consists
// of named parts: "head", "section" (a heading), "item" (see itemOf), "more" and "left". Each part is printed once, however
// many layouts are tried: the size of a layout is the sum of its parts.
type pieces struct {
	template *template.Template
	cache    map[piece]printed
	err      error // the first error of printing; nothing is printed after it
}

// piece identifies a printed part of one recovery by everything on which it depends: for an item, the fields that Cut changes and
// those that identify the item.
type piece struct {
	name            string
	kind            knowledge.Kind
	subagent, again bool   // of a section
	seq             uint64 // this field and those below up to at are of an item
	part            int
	text, detail    string
	rest            int
	at              projections.Stamp
	number          int // of items in the frame for "head", of omitted items for "left"
}

// printed is a part and its size in UTF-16 units. print trims the whole text. That removes the line break at its end, and no more if
// no part is odd.
type printed struct {
	text  string
	units int
	odd   bool // it has other white space around it than one line break
}

// newPieces returns nil for a template with text outside of its parts, which a person may have written: it is printed whole.
func newPieces(t *template.Template) *pieces {
	if t.Tree != nil && !parse.IsEmptyTree(t.Root) {
		return nil
	}
	return &pieces{template: t, cache: map[piece]printed{}}
}

// units returns the UTF-16 units of a layout's text that omits left items. It does not compose the text. ok is false if the
// sizes of the parts do not simply add up.
func (p *pieces) units(l *layout, left int) (sum int, ok bool) {
	ok = true
	add := func(s printed) {
		sum += s.units
		ok = ok && !s.odd
	}
	add(p.head(l))
	var vital, more []knowledge.Kind // of the sections so far
	for i := range l.vital {
		if kind := l.vital[i].Kind; !slices.Contains(vital, kind) {
			vital = append(vital, kind)
			add(p.heading(section{Kind: kind, Subagent: l.subagent()}))
		}
		add(p.item(&l.vital[i]))
	}
	if l.more > 0 {
		add(p.cached(piece{name: "more"}, nil))
	}
	for i := range l.rest[:l.more] {
		if kind := l.rest[i].Kind; !slices.Contains(more, kind) {
			more = append(more, kind)
			add(p.heading(section{Kind: kind, Subagent: l.subagent(), Again: slices.Contains(vital, kind)}))
		}
		add(p.item(&l.rest[i]))
	}
	add(p.tail(l, left))
	return sum - len("\n"), ok && p.err == nil
}

// print returns the text of a layout's page.
func (p *pieces) print(l *layout, pg page) string {
	var b strings.Builder
	b.WriteString(p.head(l).text)
	p.sections(&b, pg.Vital)
	if len(pg.More) > 0 {
		b.WriteString(p.cached(piece{name: "more"}, nil).text)
		p.sections(&b, pg.More)
	}
	b.WriteString(p.tail(l, pg.Left).text)
	return strings.TrimSpace(b.String())
}

// sections appends some sections to b.
func (p *pieces) sections(b *strings.Builder, all []section) {
	for _, s := range all {
		b.WriteString(p.heading(s).text)
		for i := range s.Items {
			b.WriteString(p.item(&s.Items[i]).text)
		}
	}
}

// head returns the part "head", which precedes all sections.
func (p *pieces) head(l *layout) printed {
	return p.cached(piece{name: "head", number: len(l.frame)}, l.framed())
}

// heading returns the part "section", the heading of a section.
func (p *pieces) heading(s section) printed {
	return p.cached(piece{name: "section", kind: s.Kind, subagent: s.Subagent, again: s.Again}, &s)
}

// item returns the part that prints an item.
func (p *pieces) item(it *knowledge.Item) printed {
	return p.cached(piece{
		name: "item", kind: it.Kind, seq: it.Seq, part: it.Part,
		text: it.Text, detail: it.Detail, rest: it.Rest, at: it.At,
	}, it)
}

// tail returns the part "left", which follows all sections: the files of notes, the number of omitted items, and advice about
// compound.
func (p *pieces) tail(l *layout, left int) printed {
	return p.cached(piece{name: "left", number: left}, page{Recovery: l.recovery, Left: left})
}

// itemOf returns the name of the part that prints the items of a kind: the kind's own, else that of its form, else
// "item".
func (p *pieces) itemOf(kind knowledge.Kind) string {
	for _, name := range []string{"item of " + string(kind), "item as " + string(kind.Def().Text.Form)} {
		if p.template.Lookup(name) != nil {
			return name
		}
	}
	return "item"
}

// cached returns a part from the cache; it prints it at the first use.
func (p *pieces) cached(key piece, data any) printed {
	s, ok := p.cache[key]
	if !ok {
		name := key.name
		if name == "item" {
			name = p.itemOf(key.kind)
		}
		s = p.part(name, data)
		p.cache[key] = s
	}
	return s
}

// part prints a part of the template. After an error it returns a zero part.
func (p *pieces) part(name string, data any) printed {
	if p.err != nil {
		return printed{}
	}
	var b bytes.Buffer
	if p.err = p.template.ExecuteTemplate(&b, name, data); p.err != nil {
		return printed{}
	}
	s := text.Inert(b.String())
	return printed{s, text.Units(s), s != "" && s != strings.TrimSpace(s)+"\n" && s != "\n"+strings.TrimSpace(s)+"\n"}
}
