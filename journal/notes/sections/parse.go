package sections

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	md "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"journal/events"
	"journal/events/text"
)

// Parse parses markdown into the labels before the first heading of the second
// level, and one entry for each such heading, whose text reaches to the next
// heading of the first or second level. Only headings of the document itself
// count: not a line within a code fence (S1.5), indented code, HTML, a quotation
// or a list. Texts are as written, except for trailing white space.
func Parse(markdown string) (labels []events.Label, entries []events.Entry) {
	markdown = strings.TrimPrefix(markdown, "\ufeff")
	return sections(markdown, headings(md.NewReader([]byte(markdown))))
}

// sections implements Parse for a text whose headings are given.
func sections(markdown string, heads []heading) (labels []events.Label, entries []events.Entry) {
	front := markdown
	if i := slices.IndexFunc(heads, func(h heading) bool { return h.level == 2 }); i >= 0 {
		front = markdown[:heads[i].from]
	}
	labels = labelsIn(front)
	for i, h := range heads {
		if h.level != 2 {
			continue
		}
		body := markdown[h.to:sectionEnd(markdown, heads[i+1:], 2)]
		e := events.Entry{Heading: h.title, Text: trimRight(body), Labels: labelsIn(body)}
		for j, sub := range heads[i+1:] {
			if sub.level < 3 {
				break
			}
			if sub.level == 3 {
				under := markdown[sub.to:sectionEnd(markdown, heads[i+1+j+1:], 3)]
				e.Heads = append(e.Heads, events.Head{Heading: sub.title, Text: trimRight(under), Labels: labelsIn(under)})
			}
		}
		entries = append(entries, e)
	}
	return labels, entries
}

// heading is a heading of the document. Its bounds are the beginning of its first
// line and the end of its last line, which may be a setext underline.
type heading struct {
	level    int
	title    string
	from, to int
}

// blocks is a parser for headings, and for the blocks in which a line is no heading. It does not parse inline markup,
// which hides no heading and would take most of the time.
var blocks = parser.NewParser(parser.WithBlockParsers(
	util.Prioritized(parser.NewSetextHeadingParser(), 100),
	util.Prioritized(parser.NewThematicBreakParser(), 200),
	util.Prioritized(parser.NewListParser(), 300),
	util.Prioritized(parser.NewListItemParser(), 400),
	util.Prioritized(parser.NewCodeBlockParser(), 500),
	util.Prioritized(parser.NewATXHeadingParser(), 600),
	util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
	util.Prioritized(parser.NewBlockquoteParser(), 800),
	util.Prioritized(parser.NewHTMLBlockParser(), 900),
	util.Prioritized(parser.NewParagraphParser(), 1000),
))

// headings returns the headings of the document itself, in their order.
func headings(r md.Reader) []heading {
	source := r.Source()
	var all []heading
	for n := blocks.Parse(r).FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		found := heading{level: h.Level, from: lineStart(source, h.Pos()), to: lineEnd(source, h.Pos())}
		var title []string
		for i := range h.Lines().Len() {
			line := h.Lines().At(i)
			title = append(title, strings.TrimSpace(string(line.Value(source))))
			found.to = lineEnd(source, line.Start)
		}
		if source[h.Pos()] != '#' { // the underline of a setext heading
			found.to = lineEnd(source, found.to)
		}
		// A person reads a carriage return as a line break, but for markdown it is within the line.
		found.title = strings.ReplaceAll(strings.Join(title, " "), "\r", " ")
		all = append(all, found)
	}
	return all
}

// lineStart returns the index at which the line of b[i] begins.
func lineStart(b []byte, i int) int { return bytes.LastIndexByte(b[:i], '\n') + 1 }

// lineEnd returns the index behind the line of b[i] and its line break.
func lineEnd(b []byte, i int) int {
	if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(b)
}

// sectionEnd returns the end of a section whose heading has a level: the beginning of
// the first heading in rest that has this level or a higher one (a smaller number),
// or the end of the text.
func sectionEnd(markdown string, rest []heading, level int) int {
	for _, h := range rest {
		if h.level <= level {
			return h.from
		}
	}
	return len(markdown)
}

// trimRight removes trailing white space. Leading white space can be indentation.
func trimRight(s string) string { return strings.TrimRight(s, " \t\r\n") }

// Bounds of one observation (ADR-0014). An envelope may have 512 KiB; its other
// content fits into the rest.
const (
	maxText  = 256 << 10 // bytes of the text of one entry
	maxEvent = 480 << 10 // weight of an observation
)

// fit makes an observation fit into an event. It cuts entries' texts over maxText in their middle. If that does not
// suffice, it drops the labels, and then the oldest entries that have no room. The gap names what was dropped last.
func fit(f *events.FileObserved) {
	if weight(*f) <= maxEvent {
		return
	}
	for i := range f.Entries {
		e := &f.Entries[i]
		e.Text = text.Cut(e.Text, maxText/2, maxText/2)
	}
	if weight(*f) > maxEvent {
		f.Gap = "over 480 KiB: " + text.Counted(len(f.Labels), "label") + " left out"
		f.Labels = nil
	}
	all, room := f.Entries, maxEvent-weight(events.FileObserved{Path: f.Path, Labels: f.Labels, Text: f.Text})
	newestLast, _ := events.NewestLast(all)
	kept := 0
	for kept < len(all) {
		i := kept
		if newestLast {
			i = len(all) - 1 - kept
		}
		if room -= entryWeight(all[i]); room < 0 {
			break
		}
		kept++
	}
	if kept == len(all) {
		return
	}
	f.Gap = "over 480 KiB: " + text.Counted(len(all)-kept, "entry") + " left out"
	if newestLast {
		f.Entries = all[len(all)-kept:]
	} else {
		f.Entries = all[:kept]
	}
}

// frame is an upper bound for the encoded size of a value's field names and lengths, in bytes.
const frame = 64

// weight returns an upper bound of the encoded size of an observation, in bytes.
func weight(f events.FileObserved) int {
	n := 4*frame + len(f.Path) + len(f.Text) + labelsWeight(f.Labels)
	for _, e := range f.Entries {
		n += entryWeight(e)
	}
	return n
}

// entryWeight returns an upper bound of the encoded size of an entry, in bytes.
func entryWeight(e events.Entry) int {
	n := frame + len(e.Heading) + len(e.Text) + labelsWeight(e.Labels)
	for _, h := range e.Heads {
		n += frame + len(h.Heading) + len(h.Text) + labelsWeight(h.Labels)
	}
	return n
}

// labelsWeight returns an upper bound of the encoded size of labels, in bytes.
func labelsWeight(labels []events.Label) int {
	n := 0
	for _, l := range labels {
		n += frame + len(l.Name) + len(l.Value)
	}
	return n
}
