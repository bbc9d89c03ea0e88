package recovery

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"
	"text/template"
)

// builtin has a folder per language, with the recovery text, the guidance and the phrases.
//
//go:embed languages
var builtin embed.FS

// Languages lists the built-in languages by their folders, such as en, sorted.
func Languages() []string {
	folders, err := builtin.ReadDir("languages")
	if err != nil {
		panic(err)
	}
	var names []string
	for _, f := range folders {
		names = append(names, f.Name())
	}
	return names
}

// Language returns the built-in language with which a locale begins, as in ko_KR.UTF-8 and Korean_Korea.949, and English for any other.
func Language(locale string) string {
	locale = strings.ToLower(locale)
	for _, name := range Languages() {
		if strings.HasPrefix(locale, name) {
			return name
		}
	}
	return "en"
}

// fileOf returns the path of a file in builtin. kind is its name without .tmpl.
func fileOf(kind, lang string) string { return path.Join("languages", Language(lang), kind+".tmpl") }

// parsed caches the built-in templates by file: parsing one takes longer than executing it. They are never changed, so
// they can be shared.
var parsed sync.Map // string to *template.Template

// builtinTemplate returns a template of a language, or the English one if the language is not built in.
func builtinTemplate(kind, lang string) (*template.Template, error) {
	name := fileOf(kind, lang)
	if t, ok := parsed.Load(name); ok {
		return t.(*template.Template), nil
	}
	source, err := builtin.ReadFile(name)
	if err != nil {
		return nil, err
	}
	t, err := templateOf(kind+" "+lang, string(source))
	if err != nil {
		return nil, err
	}
	shared, _ := parsed.LoadOrStore(name, t) // concurrent callers get the same template
	return shared.(*template.Template), nil
}

// TheirTemplate returns the template for a recovery of another member of the team, read from another log, in English if the
// language is not built in. Each heading names the member, and no instruction addresses the reader. place is
// MEMBER/DEVICE.
func TheirTemplate(lang, place string) (*template.Template, error) {
	t, err := builtinTemplate("recovery", lang)
	if err != nil {
		return nil, err
	}
	source, err := builtin.ReadFile(fileOf("theirs", lang))
	if err != nil {
		return nil, err
	}
	if t, err = t.Clone(); err != nil {
		return nil, err
	}
	member, _, _ := strings.Cut(place, "/")
	return t.Funcs(template.FuncMap{
		"heading": headingIn(t), "whose": func() string { return member }, "place": func() string { return place },
	}).Parse(string(source))
}

// Phrase returns one of the short texts in phrases.tmpl of a language, in English if the language is not built in. data is
// that of the phrase's template.
func Phrase(lang, name string, data any) (string, error) {
	t, err := builtinTemplate("phrases", lang)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("phrase %s in %s: %w", name, lang, err)
	}
	return strings.TrimSpace(b.String()), nil
}
