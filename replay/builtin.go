package replay

import (
	"path"
	"sync"
	"text/template"
)

// parsed are the built-in templates that were asked for, by file: reading one takes
// longer than filling it in. They are not changed again, so they can be shared.
var parsed sync.Map // string to *template.Template

// builtinTemplate gives a template of a folder below templates, in English when
// there is none in the language.
func builtinTemplate(folder, lang string) (*template.Template, error) {
	name := path.Join("templates", folder, lang+".tmpl")
	if t, ok := parsed.Load(name); ok {
		return t.(*template.Template), nil
	}
	source, err := builtin.ReadFile(name)
	if err != nil {
		if lang == "en" {
			return nil, err
		}
		return builtinTemplate(folder, "en")
	}
	t, err := parse(lang, string(source))
	if err == nil {
		parsed.Store(name, t)
	}
	return t, err
}
