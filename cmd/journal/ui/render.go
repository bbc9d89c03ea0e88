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

// templatesIn returns the templates of a language. It parses them when they are first requested.
func (s *Server) templatesIn(lang string) (*template.Template, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.parsed[lang]; ok {
		return t, nil
	}
	say := page.Texts(lang)
	parts, err := page.Parts(say)
	if err != nil {
		return nil, err
	}
	t, err := parts.Funcs(s.functions(say)).ParseFS(templates, "templates/*.html")
	if err != nil {
		return nil, err
	}
	s.parsed[lang] = t
	return t, nil
}

// functions returns the functions of the templates in one language.
func (s *Server) functions(say page.Say) template.FuncMap {
	return template.FuncMap{
		"asset":   func(name string) string { return "/assets/" + digest() + "/" + name },
		"short":   page.Short,
		"title":   page.Title,
		"base":    func() string { return s.base },
		"writes":  func() bool { return s.config.Note != nil }, // pages may write notes
		"id":      journal.ShortID,
		"name":    s.list.projectName,
		"day":     func(at int64) string { return s.time(at, time.DateOnly) },
		"clock":   func(at int64) string { return s.time(at, time.TimeOnly) },
		"when":    func(at int64) string { return s.time(at, minutes) },
		"iso":     func(at int64) string { return time.Unix(0, at).UTC().Format(time.RFC3339) },
		"ago":     func(at int64) string { return s.ago(say, at) },
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
	Path  string
	Value any
}

// minutes is the layout of a time to the minute.
const minutes = "2006-01-02 15:04"

// time formats a time in nanoseconds since 1970, empty for 0.
func (s *Server) time(at int64, layout string) string {
	if at == 0 {
		return ""
	}
	return time.Unix(0, at).In(s.config.Zone).Format(layout)
}

// ago returns the time since at, ns since 1970, as text in the largest unit that fits.
func (s *Server) ago(say page.Say, at int64) string {
	d := s.config.Now().Sub(time.Unix(0, at))
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
func (s *Server) path(t projections.Target) string { return s.base + pathOf(t) }

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

// show writes a whole page, in the language and theme that its request asks for: the named template with view as its data, within
// the frame. here is the entry of the navigation to which the page belongs.
func (s *Server) show(w http.ResponseWriter, r *http.Request, name, title, here string, view any) error {
	f := frame{Title: title, Lang: s.lang(r), Form: s.guard.formToken(r), Here: here, Base: s.base}
	if c, err := r.Cookie("journal-theme"); err == nil {
		f.Theme = c.Value
	}
	f.Team = s.copies != nil || s.device != (cli.Device{})
	if s.device != (cli.Device{}) {
		f.Whose = s.say(r)("whose", s.device)
	}
	if here == "team" { // s is this machine's server, and the page is not about its log alone
		f.Base = teamPath
	}
	return s.send(w, r, filled{"top", f}, filled{name, view}, filled{"end", nil})
}

// filled is a template, by name, with its data.
type filled struct {
	name string
	data any
}

// write sends a part of a page: the named template with its data.
func (s *Server) write(w http.ResponseWriter, r *http.Request, name string, data any) error {
	return s.send(w, r, filled{name, data})
}

// send executes templates in the request's language and sends the result. After an error it sends nothing. Characters that
// would hide text appear as marks.
func (s *Server) send(w http.ResponseWriter, r *http.Request, all ...filled) error {
	t, err := s.templatesIn(s.lang(r))
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
func (s *Server) answered(serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := serve(w, r)
		if err != nil && !errors.As(err, new(missingError)) && s.config.Lost(err) {
			err = serve(w, r)
		}
		switch {
		case err == nil, r.Context().Err() != nil: // a client that is gone waits for no answer
		case errors.As(err, new(missingError)):
			s.problem(w, r, http.StatusNotFound, "missing", err.Error())
		default:
			s.config.Logger.Warn("page", "path", r.URL.Path, "error", err.Error())
			s.problem(w, r, http.StatusInternalServerError, "failed", err.Error())
		}
	}
}

// missingError means that a page does not exist. Its text names what is missing.
type missingError string

// Error implements error.
func (e missingError) Error() string { return string(e) }

// missing answers that the page does not exist.
func (s *Server) missing(w http.ResponseWriter, r *http.Request) {
	s.problem(w, r, http.StatusNotFound, "missing", "")
}

// problem answers a request with the reason why there is no page, and what to do: a page for a person, a line for a script.
func (s *Server) problem(w http.ResponseWriter, r *http.Request, code int, name, detail string) {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, text.Visible(cmp.Or(detail, s.say(r)("problem-"+name, nil))), code)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	err := s.show(w, r, "problem", s.say(r)("problem-"+name, nil), "", struct{ Name, Detail string }{name, detail})
	if err != nil {
		s.config.Logger.Warn("page", "path", r.URL.Path, "error", err.Error())
	}
}

// lang returns the language for a request: the one that the person chose on a page, else the first known one of those that the
// browser wants, else that of the config.
func (s *Server) lang(r *http.Request) string {
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
	return s.config.Lang
}

// say returns the phrases in the language for a request.
func (s *Server) say(r *http.Request) page.Say { return page.Texts(s.lang(r)) }

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
func (s *Server) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	b, err := assets.ReadFile("assets/" + name)
	if name == "page.css" {
		b, err = []byte(page.Style), nil
	}
	if err != nil {
		s.missing(w, r)
		return
	}
	types := map[string]string{"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
	w.Header().Set("Content-Type", types[name[strings.LastIndexByte(name, '.')+1:]]+"; charset=utf-8")
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	w.Write(b)
}

// projectPath returns the path of a project's page.
func projectPath(key string) string { return "/p/" + url.PathEscape(key) }
