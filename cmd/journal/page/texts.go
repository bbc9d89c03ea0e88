package page

import (
	"bytes"
	"embed"
	"html/template"
	"strconv"
	"strings"
	"sync"
	texts "text/template"
)

// phrases has one file for each language. It defines each text of the pages as a template with a name, here called a phrase.
//
//go:embed languages
var phrases embed.FS

// Say returns the phrase with a name in a language, filled with data. It returns an unknown name unchanged, because some names
// of events and states have no phrase.
type Say func(name string, data any) string

// phraseCache holds the parsed phrases by language.
var phraseCache sync.Map // string to *texts.Template

// Texts returns the phrases of a language, or the English ones if there is no such language.
func Texts(lang string) Say {
	t, ok := phraseCache.Load(lang)
	if !ok {
		source, err := phrases.ReadFile("languages/" + lang + ".tmpl")
		if err != nil {
			return Texts("en")
		}
		t, _ = phraseCache.LoadOrStore(lang, texts.Must(texts.New(lang).Funcs(texts.FuncMap{"count": FormatCount}).Parse(string(source))))
	}
	return func(name string, data any) string {
		var b bytes.Buffer
		if err := t.(*texts.Template).ExecuteTemplate(&b, name, data); err != nil {
			return name
		}
		return b.String()
	}
}

// FormatCount formats a number with narrow spaces between groups of three digits.
func FormatCount(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "\u202f" + s[at:]
	}
	return s
}

// Languages lists the languages of the pages, sorted.
func Languages() (names []string) {
	files, err := phrases.ReadDir("languages")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".tmpl"))
	}
	return names
}

//go:embed chart.html parts.html day.html
var parts embed.FS

// Style is the style sheet of every page.
//
//go:embed style.css
var Style string

// Parts returns the templates that all pages share, with the phrases of a language: those that chart.html, parts.html and
// day.html define. The caller may add templates.
func Parts(say Say) (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"say": say, "markdown": Markdown, "compactionName": CompactionName, "style": func() template.CSS { return template.CSS(Style) },
	}).ParseFS(parts, "*.html")
}
