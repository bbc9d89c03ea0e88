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

// pieces caches the printed parts of a text. A built-in template, or a person's copy of one, consists of named parts:
// "head", "section" (a heading), "item" (see itemOf), "more" and "left". Each part is printed once, however many
// layouts are tried: the size of a layout is the sum of its parts.
type pieces struct {
	template *template.Template
	cache    map[piece]printed
	kinds    map[knowledge.Kind]string // the part that prints the items of a kind
	framed   int                       // number of items framed by the printed head
	head     printed
	err      error // the first error of printing
}

// piece identifies a printed part by everything it depends on: for an item, the fields that Cut changes and those that
// identify it.
type piece struct {
	name            string
	kind            knowledge.Kind
	subagent, again bool
	seq             uint64
	part            int
	text, detail    string
	rest            int
	at              projections.Stamp
	left            int
}

// printed is a part and its size in UTF-16 units. print trims the end of the whole text: one line break if the last part is
// not odd.
type printed struct {
	text  string
	units int
	odd   bool // has other white space around it than one line break
}

// maxKinds is the capacity of lists of kinds: more than there are.
const maxKinds = 48

// newPieces returns nil for a person's template with words outside of its parts: that is printed whole.
func newPieces(t *template.Template) *pieces {
	if t.Tree != nil && !parse.IsEmptyTree(t.Root) {
		return nil
	}
	return &pieces{template: t, cache: map[piece]printed{}, kinds: map[knowledge.Kind]string{}, framed: -1}
}

// units returns the size of a layout without printing it. ok is false if the parts do not simply add up.
func (p *pieces) units(l *layout, left int) (sum int, ok bool) {
	ok = true
	add := func(s printed) {
		sum += s.units
		ok = ok && !s.odd
	}
	add(p.headOf(l))
	vital, more := make([]knowledge.Kind, 0, maxKinds), make([]knowledge.Kind, 0, maxKinds)
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
	b.WriteString(p.headOf(l).text)
	p.sections(&b, pg.Vital)
	if len(pg.More) > 0 {
		b.WriteString(p.cached(piece{name: "more"}, nil).text)
		p.sections(&b, pg.More)
	}
	b.WriteString(p.tail(l, pg.Left).text)
	return strings.TrimSpace(b.String())
}

func (p *pieces) sections(b *strings.Builder, all []section) {
	for _, s := range all {
		b.WriteString(p.heading(s).text)
		for i := range s.Items {
			b.WriteString(p.item(&s.Items[i]).text)
		}
	}
}

func (p *pieces) headOf(l *layout) printed {
	if p.framed != len(l.frame) {
		p.framed, p.head = len(l.frame), p.printHead(l)
	}
	return p.head
}

func (p *pieces) printHead(l *layout) printed {
	pg := page{Recovery: l.recovery}
	pg.frame(l.frame)
	return p.part("head", pg)
}

func (p *pieces) heading(s section) printed {
	return p.cached(piece{name: "section", kind: s.Kind, subagent: s.Subagent, again: s.Again}, &s)
}

func (p *pieces) item(it *knowledge.Item) printed {
	return p.cached(piece{
		name: p.itemOf(it.Kind), kind: it.Kind, seq: it.Seq, part: it.Part,
		text: it.Text, detail: it.Detail, rest: it.Rest, at: it.At,
	}, it)
}

// tail prints what follows all sections: the files of notes, the number of omitted items, and advice about compound.
func (p *pieces) tail(l *layout, left int) printed {
	return p.cached(piece{name: "left", left: left}, page{Recovery: l.recovery, Left: left})
}

// itemOf returns the name of the part that prints the items of a kind: the kind's own, else that of its form, else
// "item".
func (p *pieces) itemOf(kind knowledge.Kind) string {
	name, ok := p.kinds[kind]
	if !ok {
		name = "item"
		for _, own := range []string{"item as " + string(kind.Def().Text.Form), "item of " + string(kind)} {
			if p.template.Lookup(own) != nil {
				name = own
			}
		}
		p.kinds[kind] = name
	}
	return name
}

// cached returns a part from the cache; it prints it at the first use.
func (p *pieces) cached(key piece, data any) printed {
	s, ok := p.cache[key]
	if !ok {
		s = p.part(key.name, data)
		p.cache[key] = s
	}
	return s
}

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
