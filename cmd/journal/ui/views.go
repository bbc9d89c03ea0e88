package ui

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/page"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
)

//go:embed templates
var templates embed.FS

// views writes pages, each in the language and theme that its request asks for. It parses the templates of a language when they
// are first requested.
type views struct {
	config Config
	guard  *guard
	// device is the device whose log the pages are about; the zero value is this machine.
	device      cli.Device
	base        string // prefix of the paths of all pages about the log
	team        bool   // there are pages about logs that members of a team share
	projectName func(project string) string

	mu     sync.Mutex
	parsed map[string]*template.Template // by language
}

// templatesIn returns the templates of a language.
func (v *views) templatesIn(lang string) (*template.Template, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if t, ok := v.parsed[lang]; ok {
		return t, nil
	}
	say := page.Texts(lang)
	parts, err := page.Parts(say)
	if err != nil {
		return nil, err
	}
	t, err := parts.Funcs(v.functions(say)).ParseFS(templates, "templates/*.html")
	if err != nil {
		return nil, err
	}
	v.parsed[lang] = t
	return t, nil
}

// functions returns the functions of the templates in one language.
func (v *views) functions(say page.Say) template.FuncMap {
	return template.FuncMap{
		"asset":   func(name string) string { return "/assets/" + digest() + "/" + name },
		"short":   page.Short,
		"title":   page.Title,
		"base":    func() string { return v.base },
		"id":      journal.ShortID,
		"name":    v.projectName,
		"day":     func(at int64) string { return v.time(at, time.DateOnly) },
		"clock":   func(at int64) string { return v.time(at, time.TimeOnly) },
		"when":    func(at int64) string { return v.time(at, minutes) },
		"iso":     func(at int64) string { return time.Unix(0, at).UTC().Format(time.RFC3339) },
		"ago":     func(at int64) string { return v.ago(say, at) },
		"count":   page.FormatCount,
		"tokens":  text.Short,
		"stamp":   func(s projections.Stamp) int64 { return int64(s) },
		"took":    took,
		"linked":  func(path string, value any) linked { return linked{path, value} },
		"fields":  strings.Fields,
		"langs":   page.Languages,
		"add":     func(a, b int) int { return a + b },
		"percent": func(part, all int) int { return 100 * part / max(all, 1) },
		// word returns the phrase for a name of the log, or the name with blanks for hyphens if there is no phrase.
		"word": func(kind, name string) string {
			if phrase := say(kind+name, nil); phrase != kind+name {
				return phrase
			}
			return strings.ReplaceAll(name, "-", " ")
		},
	}
}

// linked is data for a template, with the path of a session's page for the links in it.
type linked struct {
	Path string
	Of   any
}

// minutes is the layout of a time to the minute.
const minutes = "2006-01-02 15:04"

// time formats a time in nanoseconds since 1970, empty for 0.
func (v *views) time(at int64, layout string) string {
	if at == 0 {
		return ""
	}
	return time.Unix(0, at).In(v.config.Zone).Format(layout)
}

// ago returns the time since at, ns since 1970, as text in the largest unit that fits.
func (v *views) ago(say page.Say, at int64) string {
	d := v.config.Now().Sub(time.Unix(0, at))
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{365 * 24 * time.Hour, "ago-years"}, {24 * time.Hour, "ago-days"}, {time.Hour, "ago-hours"}, {time.Minute, "ago-minutes"}} {
		if n := int(d / unit.length); n > 0 {
			return say(unit.name, n)
		}
	}
	return say("ago-now", nil)
}

// path returns the path of a session's page, in the log that the pages are about.
func (v *views) path(t projections.Target) string { return v.base + pathOf(t) }

// pathOf returns the path of a session's page, in the log of this machine.
func pathOf(t projections.Target) string {
	return "/p/" + url.PathEscape(t.Project) + "/s/" + url.PathEscape(t.Session)
}

// frame is the data of the template that begins every page.
type frame struct {
	Title string // of the page
	Lang  string
	Theme string // "light" or "dark"; empty: the theme of the system
	Form  string // token of the forms
	Here  string // the entry of the navigation to which the page belongs
	Base  string // prefix of the paths that the script requests
	Whose string // a phrase about the device, for a page about its log; empty for this machine's log
	Team  bool   // there are pages about logs that members of a team share
}

// show writes a whole page: the named template with view as its data, within the frame. here is the entry of the navigation to
// which the page belongs.
func (v *views) show(w http.ResponseWriter, r *http.Request, name, title, here string, view any) error {
	theme := ""
	if c, err := r.Cookie("journal-theme"); err == nil && (c.Value == "light" || c.Value == "dark") {
		theme = c.Value
	}
	f := frame{Title: title, Lang: v.lang(r), Theme: theme, Form: v.guard.formToken(r), Here: here, Base: v.base, Team: v.team}
	if v.device != (cli.Device{}) {
		f.Whose = v.say(r)("whose", v.device)
	}
	if here == "team" {
		f.Base = teamPath
	}
	return v.send(w, r, filled{"top", f}, filled{name, view}, filled{"end", nil})
}

// filled is a template, by name, with its data.
type filled struct {
	name string
	data any
}

// write sends a part of a page: the named template with its data.
func (v *views) write(w http.ResponseWriter, r *http.Request, name string, data any) error {
	return v.send(w, r, filled{name, data})
}

// send executes templates in the request's language and sends the result. After an error it sends nothing. Characters that
// would hide text appear as marks.
func (v *views) send(w http.ResponseWriter, r *http.Request, all ...filled) error {
	t, err := v.templatesIn(v.lang(r))
	if err != nil {
		return err
	}
	var html strings.Builder
	for _, part := range all {
		if err := t.ExecuteTemplate(&html, part.name, part.data); err != nil {
			return err
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, text.Visible(html.String()))
	return nil
}

// answered wraps a handler and reports its error. If the log's owner left meanwhile, it serves the request again.
func (v *views) answered(serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := serve(w, r)
		if err != nil && !notFound(err) && v.config.Lost(err) {
			err = serve(w, r)
		}
		switch {
		case err == nil, r.Context().Err() != nil: // a client that is gone waits for no answer
		case notFound(err):
			v.problem(w, r, http.StatusNotFound, "missing", err.Error())
		default:
			v.config.Logger.Warn("page", "path", r.URL.Path, "error", err.Error())
			v.problem(w, r, http.StatusInternalServerError, "failed", err.Error())
		}
	}
}

// notFound reports whether an error means that the page does not exist.
func notFound(err error) bool {
	return errors.Is(err, errNoSession) || errors.Is(err, errNoItem) || errors.Is(err, errNoCopy) || errors.Is(err, errNoTranscript)
}

// missing answers that the page does not exist.
func (v *views) missing(w http.ResponseWriter, r *http.Request) {
	v.problem(w, r, http.StatusNotFound, "missing", "")
}

// problem answers a request with the reason why there is no page, and what to do: a page for a person, a line for a script.
func (v *views) problem(w http.ResponseWriter, r *http.Request, code int, name, detail string) {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, text.Visible(cmp.Or(detail, v.say(r)("problem-"+name, nil))), code)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	err := v.show(w, r, "problem", v.say(r)("problem-"+name, nil), "", struct{ Name, Detail string }{name, detail})
	if err != nil {
		v.config.Logger.Warn("page", "path", r.URL.Path, "error", err.Error())
	}
}

// lang returns the language for a request: the one that the person chose on a page, else the first of those that the browser
// wants that exists, else that of the config, else English.
func (v *views) lang(r *http.Request) string {
	known := page.Languages()
	if c, err := r.Cookie("journal-lang"); err == nil && slices.Contains(known, c.Value) {
		return c.Value
	}
	for want := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(want), ";")
		name, _, _ = strings.Cut(strings.ToLower(name), "-")
		if slices.Contains(known, name) {
			return name
		}
	}
	if slices.Contains(known, v.config.Lang) {
		return v.config.Lang
	}
	return "en"
}

// say returns the phrases in the language for a request.
func (v *views) say(r *http.Request) page.Say { return page.Texts(v.lang(r)) }

//go:embed assets
var assets embed.FS

// digest returns a digest of the assets of this build. It is in their paths, so that a browser can cache them for a year.
var digest = sync.OnceValue(func() string {
	h := sha256.New()
	h.Write([]byte(page.Style))
	files, _ := assets.ReadDir("assets")
	for _, f := range files {
		b, _ := assets.ReadFile("assets/" + f.Name())
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
})

// serveAsset serves a script, the style or the picture of the pages.
func (v *views) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	b, err := assets.ReadFile("assets/" + name)
	if name == "page.css" {
		b, err = []byte(page.Style), nil
	}
	if err != nil {
		v.missing(w, r)
		return
	}
	types := map[string]string{"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
	w.Header().Set("Content-Type", types[name[strings.LastIndexByte(name, '.')+1:]]+"; charset=utf-8")
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	w.Write(b)
}

// projectPath returns the path of a project's page.
func projectPath(key string) string { return "/p/" + url.PathEscape(key) }
