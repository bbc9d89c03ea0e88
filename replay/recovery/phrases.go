package recovery

import (
	"bytes"
	"fmt"
	"strings"
	"text/template"
)

// Phrase gives one of the short texts of a language, English for one that is not
// built in: its phrases.tmpl has them by name.
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

// GuidanceTemplate gives the template of what the summariser of a compaction is
// told (S3.5), to be rendered from a recovery.
func GuidanceTemplate(lang string) (*template.Template, error) {
	return builtinTemplate("guidance", lang)
}
