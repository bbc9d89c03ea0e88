package replay

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
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

// Languages lists the built-in languages, sorted.
func Languages() []string {
	names, err := fs.Glob(builtin, "templates/*.tmpl")
	if err != nil {
		panic(err)
	}
	for i, n := range names {
		names[i] = strings.TrimSuffix(strings.TrimPrefix(n, "templates/"), ".tmpl")
	}
	return names
}

// Template gives the template of a language, English for one that is not built
// in. source, when it is not empty, is a person's own text and is used instead.
func Template(lang, source string) (*template.Template, error) {
	if source == "" {
		b, err := builtin.ReadFile("templates/" + lang + ".tmpl")
		if err != nil {
			b, err = builtin.ReadFile("templates/en.tmpl")
			if err != nil {
				return nil, err
			}
		}
		source = string(b)
	}
	t, err := template.New(lang).Funcs(functions).Parse(source)
	if err != nil {
		return nil, fmt.Errorf("recovery template %s: %w", lang, err)
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
	Kind  Kind
	Items []Item
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
	items := make([]Item, len(r.Items))
	for i, it := range r.Items {
		items[i] = it.shown()
	}
	// The estimate leaves room for the frame; rendering decides.
	whole := estimate(items, limit.Units-frame)
	first := estimate(items[:whole], limit.Vital-frame)
	for {
		p := page{
			Recovery: r, Left: len(items) - whole,
			Vital: sections(items[:first]), More: sections(items[first:whole]),
		}
		var b bytes.Buffer
		if err := t.Execute(&b, p); err != nil {
			return Text{}, fmt.Errorf("recovery template %s: %w", t.Name(), err)
		}
		out := strings.TrimSpace(b.String())
		n := text.Units(out)
		if n > limit.Units && whole > 0 {
			whole -= max(1, whole/10)
			first = min(first, whole)
			continue
		}
		if n > limit.Units { // a frame of the person's own that is too long by itself
			out = text.CutUnits(out, limit.Units)
			n = text.Units(out)
		}
		sum := sha256.Sum256([]byte(out))
		done := Text{Text: out, Units: n, Digest: hex.EncodeToString(sum[:])}
		for _, it := range items[:whole] {
			done.Items = append(done.Items, it.ID())
		}
		return done, nil
	}
}

// frame is about what the built-in templates need besides items.
const frame = 420

// estimate says how many items fit into so many units, headings counted.
func estimate(items []Item, units int) int {
	heading := map[Kind]bool{}
	for i, it := range items {
		cost := text.Units(it.Text) + text.Units(it.Detail) + 24
		if !heading[it.Kind] {
			heading[it.Kind] = true
			cost += 40
		}
		if units -= cost; units < 0 {
			return i
		}
	}
	return len(items)
}

// order is the order of sections.
var order = []Kind{Request, OpenTodo, PortItem, Decision, Edited, Failed, Worked, Earlier, Read}

func sections(items []Item) []section {
	var all []section
	for _, k := range order {
		s := section{Kind: k}
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

// shown bounds what of an item a text shows, in UTF-16 units; the whole stands
// in the log.
func (i Item) shown() Item {
	limits := map[Kind]int{Request: 500, OpenTodo: 300, PortItem: 300, Decision: 300, Edited: 400, Failed: 200, Worked: 200, Earlier: 200, Read: 400}
	i.Text = text.CutUnits(strings.TrimSpace(i.Text), limits[i.Kind])
	i.Detail = text.CutUnits(strings.TrimSpace(i.Detail), 240)
	return i
}

var functions = template.FuncMap{
	// line puts a text on one line.
	"line": func(s string) string { return strings.Join(strings.Fields(s), " ") },
	// fence puts foreign text between fences that it cannot close.
	"fence": func(s string) string {
		f := "```"
		for strings.Contains(s, f) {
			f += "`"
		}
		return f + "text\n" + s + "\n" + f
	},
	// quote marks every line of a person's text.
	"quote": func(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") },
}
