package recovery

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"journal/events"
	"journal/events/text"
	"journal/replay/knowledge"
)

// Limit bounds a recovery text, in UTF-16 units as agents count them.
type Limit struct {
	Units int // of the whole text; 0 for DefaultUnits
	Vital int // of the part with the most needed items, from the beginning; 0 for 1,900: Claude Code's preview has 2,000
}

// Text is a rendered recovery.
type Text struct {
	Text   string
	Units  int
	Digest string   // sha256 of the text, hex
	Items  []string // ids of the items that it shows, whole or in part
	// Partial lists the items that it shows in part, with their shares.
	Partial []events.PartialItem
}

// Template parses source, a person's own template. If source is empty, Template returns the built-in one of a language, or
// the English one if the language is not built in.
func Template(lang, source string) (*template.Template, error) {
	if source == "" {
		return builtinTemplate("recovery", lang)
	}
	return templateOf("recovery "+lang, source)
}

// templateOf parses a template. name is that in error messages.
func templateOf(name, source string) (*template.Template, error) {
	t := template.New(name).Funcs(functions)
	t, err := t.Funcs(template.FuncMap{"heading": headingIn(t)}).Parse(source)
	if err != nil {
		return nil, fmt.Errorf("template %s: %w", name, err)
	}
	return t, nil
}

// headingIn returns a function for templates that prints the heading of a section: the template named for its kind, else the
// kind.
func headingIn(t *template.Template) func(section) (string, error) {
	return func(s section) (string, error) {
		heading := t.Lookup("heading of " + string(s.Kind))
		if heading == nil {
			return string(s.Kind), nil
		}
		var b strings.Builder
		err := heading.Execute(&b, s)
		return b.String(), err
	}
}

// page is the data of a template.
type page struct {
	Recovery
	Vital []section // of the vital part
	More  []section // of the rest
	Left  int       // number of omitted items
}

// section is the part of a text about one kind.
type section struct {
	Kind     knowledge.Kind
	Subagent bool // the recovery is a subagent's
	Again    bool // it continues a section of the vital part
	Items    []knowledge.Item
}

// sections groups items by kind, in the order of the kinds. The section of the closing kind is last; empty for none.
func sections(items []knowledge.Item, subagent bool, closing knowledge.Kind) []section {
	var all []section
	for _, d := range knowledge.Kinds() {
		var ofKind []knowledge.Item
		for i := range items {
			if items[i].Kind == d.Kind {
				ofKind = append(ofKind, items[i])
			}
		}
		if len(ofKind) == 0 {
			continue
		}
		if d.Text.Newest { // the tiers before Spare count as Useful
			slices.SortStableFunc(ofKind, func(a, b knowledge.Item) int {
				return cmp.Or(cmp.Compare(max(a.Tier, knowledge.Useful), max(b.Tier, knowledge.Useful)), cmp.Compare(b.Seq, a.Seq))
			})
		}
		all = append(all, section{Kind: d.Kind, Subagent: subagent, Items: ofKind})
	}
	if i := slices.IndexFunc(all, func(s section) bool { return s.Kind == closing }); i >= 0 {
		last := all[i]
		all = append(slices.Delete(all, i, i+1), last)
	}
	return all
}

// DefaultUnits bounds a text if the agent's own limit is unknown, in UTF-16 units: of a text of more than 10,000 Claude Code
// shows only a preview (docs/CLIENTS.md §6).
const DefaultUnits = 9500

// Render returns the text of a recovery within a limit, or the zero Text if the recovery is empty. If not all items fit, it
// leaves out the least needed.
func Render(r Recovery, t *template.Template, limit Limit) (Text, error) {
	made, err := Make(r, t, limit)
	return made.Rendered, err
}

// Made is a rendered text and its layout, for callers that prepare a text in advance.
type Made struct {
	Rendered Text
	layout   layout
	limit    Limit
}

// Make returns what Render does, with the layout, so that Again can reuse it.
func Make(r Recovery, t *template.Template, limit Limit) (Made, error) {
	if r.Empty() {
		return Made{}, nil
	}
	r.Command = cmp.Or(r.Command, "journal")
	l := layout{recovery: r, template: t, pieces: newPieces(t)}
	units := cmp.Or(limit.Units, DefaultUnits)
	out := l.place(units, min(units, cmp.Or(limit.Vital, 1900)))
	if l.err != nil {
		return Made{}, l.err
	}
	// A person's template can have a frame that is too long by itself.
	made := Made{TextOf(text.CutUnits(out, units)), l, limit}
	end := len(out)
	if made.Rendered.Text != out {
		end = len(made.Rendered.Text) - len("…")
	}
	for _, p := range l.portions(end) {
		made.Rendered.Items = append(made.Rendered.Items, p.Item)
		if p.Percent < 100 {
			made.Rendered.Partial = append(made.Rendered.Partial, p)
		}
	}
	return made, nil
}

// Again returns the result of Render for a recovery that differs from this one only in AsOf. It prints only the head again.
// ok is false if the recovery has to be rendered.
func (m Made) Again(r Recovery, t *template.Template, limit Limit) (again Text, ok bool) {
	l := m.layout
	l.recovery.AsOf, r.Command = r.AsOf, cmp.Or(r.Command, "journal")
	if l.pieces == nil || t != l.template || limit != m.limit || !reflect.DeepEqual(l.recovery, r) {
		return Text{}, false
	}
	before := l.pieces.head(&l) // it is cached: the head for the AsOf of m
	head := l.pieces.part("head", l.framed())
	rest, ok := strings.CutPrefix(m.Rendered.Text, before.text)
	if !ok || l.pieces.err != nil || len(head.text) != len(before.text) || head.units != before.units {
		return Text{}, false
	}
	again = TextOf(head.text + rest)
	again.Items, again.Partial = m.Rendered.Items, m.Rendered.Partial
	return again, true
}

// TextOf returns a Text without Items.
func TextOf(s string) Text {
	sum := sha256.Sum256([]byte(s))
	return Text{Text: s, Units: text.Units(s), Digest: hex.EncodeToString(sum[:])}
}

// functions are the functions of templates.
var functions = template.FuncMap{
	// line joins the lines of a text.
	"line": func(s string) string { return text.Line(text.Seen(s)) },
	// fence encloses foreign text in fences that it cannot close.
	"fence": func(s string) string {
		f := "```"
		for strings.Contains(s, f) {
			f += "`"
		}
		return f + "text\n" + s + "\n" + f
	},
	// code encloses foreign text, joined to one line, in marks that it cannot close.
	"code": func(s string) string {
		s = text.Line(text.Seen(s))
		mark := "`"
		for strings.Contains(s, mark) {
			mark += "`"
		}
		if len(mark) > 1 { // the space separates a mark at the edge; readers drop it
			s = " " + s + " "
		}
		return mark + s + mark
	},
	// count formats a number with thousands separators.
	"count": func(n int) string {
		s := strconv.Itoa(n)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + "," + s[i:]
		}
		return s
	},
	// quote marks every line of a person's text, whatever kind of line break it has.
	"quote": func(s string) string {
		s = strings.TrimSpace(text.Seen(text.Breaks(s)))
		return strings.ReplaceAll("> "+strings.ReplaceAll(s, "\n", "\n> "), "> \n", ">\n")
	},
}
