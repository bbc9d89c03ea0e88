package replay

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
	"text/template"

	"journal/events/text"
)

//go:embed templates
var builtin embed.FS

// Limit bounds a recovery text, in UTF-16 code units as agents count them.
type Limit struct {
	Units int // of the whole text; default 9,500: Claude Code replaces more than 10,000 by a preview (CLIENTS section 6)
	Vital int // what is needed most stands within the first Vital units; default 1,900: the preview has 2,000
}

// Text is a rendered recovery.
type Text struct {
	Text   string
	Units  int
	Items  []string // ids of the items in it
	Digest string   // sha256 of the text, hex
}

// Template gives the template of a language, English for one that is not built
// in. source, when it is not empty, is a person's own text and is used instead.
func Template(lang, source string) (*template.Template, error) {
	if source == "" {
		return builtinTemplate("", lang)
	}
	return parse(lang, source)
}

func parse(name, source string) (*template.Template, error) {
	t, err := template.New(name).Funcs(functions).Parse(source)
	if err != nil {
		return nil, fmt.Errorf("recovery template %s: %w", name, err)
	}
	return t, nil
}

// page is what a template sees.
type page struct {
	Recovery
	Vital []section // needed most
	More  []section // the rest of what fits
	Left  int       // items that did not fit
}

type section struct {
	Kind     Kind
	Subagent bool // of a subagent's recovery: nobody but the main thread asked it
	Items    []Item
}

// Render gives the text of a recovery, the zero Text when it is empty. The
// items needed most come first, and items are left out, least needed first,
// until the text fits the limit.
func Render(r Recovery, t *template.Template, limit Limit) (Text, error) {
	if r.Empty() {
		return Text{}, nil
	}
	if limit.Units == 0 {
		limit.Units = 9500
	}
	if limit.Vital == 0 {
		limit.Vital = 1900
	}
	limit.Vital = min(limit.Vital, limit.Units)
	l := layout{recovery: r.shown(), template: t, printed: map[[2]int]string{}}
	l.place(limit)
	out := l.text()
	if l.err != nil {
		return Text{}, l.err
	}
	// A frame of a person's own can be too long by itself.
	out = text.CutUnits(out, limit.Units)
	sum := sha256.Sum256([]byte(out))
	done := Text{Text: out, Units: text.Units(out), Digest: hex.EncodeToString(sum[:])}
	for _, it := range l.items() {
		done.Items = append(done.Items, it.ID())
	}
	return done, nil
}

// order is the order of sections.
var order = []Kind{Request, OpenTodo, PortItem, Saved, Done, Note, Decision, Edited, Failed, Worked, Earlier, Read}

func sections(items []Item, subagent bool) []section {
	var all []section
	for _, k := range order {
		s := section{Kind: k, Subagent: subagent}
		for _, it := range items {
			if it.Kind == k {
				s.Items = append(s.Items, it)
			}
		}
		if len(s.Items) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// shownUnits bounds what of an item a text shows, in UTF-16 units; the whole
// stands in the log.
var shownUnits = map[Kind]int{
	Request: 500, OpenTodo: 300, PortItem: 300, Saved: 600, Done: 200, Note: 200, Decision: 300, Edited: 400, Failed: 200,
	Worked: 200, Earlier: 200, Read: 400,
}

// shown is the item with bounded texts.
func (i Item) shown() Item {
	i.Text, i.Detail = cut(i.Text, shownUnits[i.Kind]), cut(i.Detail, 240)
	i.units = text.Units(i.Text)
	return i
}

// shown is the recovery with bounded texts.
func (r Recovery) shown() Recovery {
	r.Port.Title = cut(r.Port.Title, 200)
	items := make([]Item, len(r.Items))
	for i, it := range r.Items {
		items[i] = it.shown()
	}
	r.Items = items
	return r
}

// cut trims a text, gives it one kind of line end and bounds its units.
func cut(s string, units int) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return text.CutUnits(strings.TrimSpace(s), units)
}

var functions = template.FuncMap{
	// line puts a text on one line.
	"line": oneLine,
	// fence puts foreign text between fences that it cannot close.
	"fence": func(s string) string {
		f := "```"
		for strings.Contains(s, f) {
			f += "`"
		}
		return f + "text\n" + s + "\n" + f
	},
	// code puts a foreign line between marks that it cannot close.
	"code": func(s string) string {
		s = oneLine(s)
		mark := "`"
		for strings.Contains(s, mark) {
			mark += "`"
		}
		if len(mark) > 1 { // the space keeps a mark at the edge apart; readers drop it
			s = " " + s + " "
		}
		return mark + s + mark
	},
	// quote marks every line of a person's text.
	"quote": func(s string) string {
		return strings.ReplaceAll("> "+strings.ReplaceAll(s, "\n", "\n> "), "> \n", ">\n")
	},
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
