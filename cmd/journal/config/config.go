// Package config reads what a person can configure.
package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/disk"
	"journal/journal/hookrun"
	"journal/projections"
	"journal/replay/recovery"
)

// Config is the configuration file: JSON, every field optional. Unknown fields
// are refused, because a misspelt one would be ignored in silence.
type Config struct {
	// Pressure holds the levels of context usage in percent (S1.4).
	Pressure projections.Thresholds `json:"pressure"`
	// Windows maps a model's id, or what it begins with, to its context window in
	// tokens, for headless sessions of models that no statusline has reported (S1.3).
	// What is not here has the window that the dialects know.
	Windows projections.Windows `json:"windows,omitempty"`
	// Guidance is the hint to the summariser of a compaction, what to keep (S3.5); default
	// true.
	Guidance *bool `json:"guidance,omitempty"`
	// Start adds what the project's sessions left to the start of a session; default true.
	// An unfinished skill is offered in any case (S3.3).
	Start *bool `json:"start,omitempty"`
	// Stop says whom the advice to promote working notes at the end of a turn is
	// for: "person" (default), "model", which starts another turn, or "off" (S1.2).
	Stop string `json:"stop,omitempty"`
	// Templates maps a language to the path of a recovery template that is used
	// instead of the built-in one; relative paths are beside the file.
	Templates map[string]string `json:"templates,omitempty"`

	// Retention bounds what is kept of old sessions; default: everything.
	Retention Retention `json:"retention,omitzero"`

	// Transcripts is "keep" if the owner keeps copies of the clients' transcripts, redacted; default: none.
	Transcripts string `json:"transcripts,omitempty"`

	// UI is about the pages of journal ui.
	UI UI `json:"ui,omitzero"`

	// Audit names the program that journal audit --judge asks.
	Audit Audit `json:"audit,omitzero"`

	// Prices maps a model's id, or what it begins with, to what its tokens cost. None is built in: it would be wrong in silence.
	Prices map[string]Price `json:"prices,omitempty"`

	dir string
}

// Price is the price of a million tokens, in the person's currency.
type Price struct {
	Input          float64 `json:"input"`
	CacheRead      float64 `json:"cache_read"`
	CacheWrite     float64 `json:"cache_write"`
	CacheWriteHour float64 `json:"cache_write_1h,omitempty"` // kept for an hour; 0 is twice the input, as Anthropic charges
	Output         float64 `json:"output"`
}

// Price returns what tokens of a model cost: by the longest beginning of its id that there is. ok is false without one.
func (c Config) Price(model string) (p Price, ok bool) {
	longest := -1
	for name, price := range c.Prices {
		if len(name) > longest && strings.HasPrefix(model, name) {
			longest, p, ok = len(name), price, true
		}
	}
	return p, ok
}

// Cost returns what requests cost: by the configured prices, else as the client reports it. ok is false without a price.
func (c Config) Cost(u events.TokensUsed) (cost float64, ok bool) {
	p, ok := c.Price(u.Model)
	if !ok {
		return float64(u.Price) / 1e6, u.Price > 0
	}
	t := u.Tokens
	hour := p.CacheWriteHour
	if hour == 0 {
		hour = 2 * p.Input
	}
	return (p.Input*float64(t.Input) + p.CacheRead*float64(t.CacheRead) + p.CacheWrite*float64(t.CacheWrite-t.CacheWriteHour) +
		hour*float64(t.CacheWriteHour) + p.Output*float64(t.Output)) / 1e6, true
}

// Audit is about journal audit.
type Audit struct {
	// Judge is the command, with its arguments, that reads a question on stdin and prints its answer; none by default.
	Judge []string `json:"judge,omitempty"`
}

// UI is about the pages of journal ui.
type UI struct {
	// Remember is for how many days a browser that was let in stays so; 0: as long as journal ui runs.
	Remember *int `json:"remember,omitempty"`
}

// Retention bounds what is kept of sessions in which nothing came for some time (ADR-0052).
// 0 is no bound.
type Retention struct {
	Days      int            `json:"days,omitempty"`
	Megabytes int            `json:"megabytes,omitempty"` // of the store, 10^6 bytes
	Projects  map[string]int `json:"projects,omitempty"`  // days, by project key or directory
}

// What is more would be another number as a duration, and as bytes.
const (
	maxDays      = 100_000
	maxMegabytes = 1_000_000_000
	maxRemember  = 400 // days; browsers keep no cookie for longer
)

// Path returns the configuration's file: $JOURNAL_CONFIG, else journal/config.json
// in the XDG configuration directory.
func Path(getenv func(string) string) string {
	if p := getenv("JOURNAL_CONFIG"); p != "" {
		return p
	}
	path, _ := disk.ConfigPath(getenv, "journal", "config.json") // empty without a home
	return path
}

// maxFile bounds what is read of the file and of a template, in bytes.
const maxFile = 1 << 20

// ErrFile matches every error about the file.
var ErrFile = errors.New("configuration")

// Load reads the configuration; a missing file is the default one. After an
// error the default is returned beside it, so that a mistake in the file costs
// the person's choices and nothing else.
func Load(getenv func(string) string) (Config, error) {
	path := Path(getenv)
	if path == "" {
		return Config{}, nil
	}
	b, err := disk.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, nil
	}
	if err != nil {
		return Config{}, fmt.Errorf("%w: %w", ErrFile, err)
	}
	c := Config{dir: filepath.Dir(path)}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return Config{}, fmt.Errorf("%w %s: %w", ErrFile, path, mistake(b, err))
	}
	for name, v := range map[string]int{"info": c.Pressure.Info, "urgent": c.Pressure.Urgent} {
		if v < 0 || v > 100 {
			return Config{}, fmt.Errorf("%w %s: pressure.%s is %d, must be 1 to 100", ErrFile, path, name, v)
		}
	}
	bounds := map[string]int{"days": c.Retention.Days, "megabytes": c.Retention.Megabytes}
	for name, n := range c.Retention.Projects {
		bounds["projects."+name] = n
	}
	if d := c.UI.Remember; d != nil && (*d < 0 || *d > maxRemember) {
		return Config{}, fmt.Errorf("%w %s: ui.remember is %d, must be 0 to %d days", ErrFile, path, *d, maxRemember)
	}
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		most := maxDays
		if name == "megabytes" {
			most = maxMegabytes
		}
		if n := bounds[name]; n < 0 || n > most {
			return Config{}, fmt.Errorf("%w %s: retention.%s is %d, must be 0 to %d", ErrFile, path, name, n, most)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Prices)) {
		if p := c.Prices[name]; min(p.Input, p.CacheRead, p.CacheWrite, p.CacheWriteHour, p.Output) < 0 {
			return Config{}, fmt.Errorf("%w %s: prices.%s has a price below 0", ErrFile, path, name)
		}
	}
	if !slices.Contains([]string{"", "person", "model", "off"}, c.Stop) {
		return Config{}, fmt.Errorf("%w %s: stop is %q, must be person, model or off", ErrFile, path, c.Stop)
	}
	if !slices.Contains([]string{"", "keep", "off"}, c.Transcripts) {
		return Config{}, fmt.Errorf("%w %s: transcripts is %q, must be keep or off", ErrFile, path, c.Transcripts)
	}
	return c, nil
}

// Fold returns the parameters of folds.
func (c Config) Fold() projections.Config {
	return projections.Config{Pressure: c.Pressure, Windows: c.Windows.Over(agents.Windows())}
}

// NoGuidance reports whether guidance was switched off.
func (c Config) NoGuidance() bool { return c.Guidance != nil && !*c.Guidance }

// NoStart reports whether the text at the start of a session was switched off.
func (c Config) NoStart() bool { return c.Start != nil && !*c.Start }

// Template returns the source of the person's template for a language, empty when
// there is none or it cannot be read.
func (c Config) Template(lang string) string {
	b, err := c.template(lang)
	if err != nil {
		return ""
	}
	return string(b)
}

func (c Config) template(lang string) ([]byte, error) {
	path := c.Templates[lang]
	if path == "" {
		return nil, nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, path)
	}
	return disk.ReadFile(path, maxFile)
}

// Check returns the errors of the configuration: that of Load, and templates that cannot be read.
func Check(getenv func(string) string) error {
	c, err := Load(getenv)
	if err != nil {
		return err
	}
	for _, lang := range slices.Sorted(maps.Keys(c.Templates)) {
		if _, err := c.template(lang); err != nil {
			return fmt.Errorf("%w %s: templates.%s: %w", ErrFile, Path(getenv), lang, err)
		}
	}
	return nil
}

// mistake returns an error that names the line at which a file cannot be decoded.
func mistake(b []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	message, after := "", int64(0)
	switch field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); {
	case unknown:
		message = "there is no setting " + field
		after = int64(bytes.Index(b, []byte(field))) // the decoder returns no position
	case errors.As(err, &syntax):
		message, after = "this is no JSON", syntax.Offset
	case errors.As(err, &kind):
		message, after = fmt.Sprintf("%s cannot be a %s", kind.Field, kind.Value), kind.Offset
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		message, after = "it ends too early", int64(len(b))
	default:
		return err
	}
	after = max(0, min(after, int64(len(b))))
	return fmt.Errorf("line %d: %s", 1+bytes.Count(b[:after], []byte("\n")), message)
}

// Setting is one value that counts, and where it comes from.
type Setting struct {
	Name   string `json:"name"` // as in the file, as pressure.info, or what a variable sets
	Value  any    `json:"value"`
	Source string `json:"source"` // "default", FILE:LINE, or the variable of the environment
}

// Idle is the time for which an owner stays without a request: JOURNAL_IDLE, else ten minutes.
func Idle(getenv func(string) string) time.Duration {
	if d, err := time.ParseDuration(getenv("JOURNAL_IDLE")); err == nil && d > 0 {
		return d
	}
	return 10 * time.Minute
}

// unset is the source of a value that nobody set.
const unset = "default"

// Settings returns every setting in a fixed order, the models and languages of the file
// behind those that always are. After an error, that of Check, the defaults are returned beside it.
func Settings(getenv func(string) string) ([]Setting, error) {
	c, err := Load(getenv)
	path := Path(getenv)
	lines := map[string]int{}
	if b, readErr := disk.ReadFile(path, maxFile); readErr == nil && err == nil {
		lines = linesOf(b)
	}
	var all []Setting
	file := func(name string, value any) {
		source := unset
		if line, ok := lines[name]; ok {
			source = fmt.Sprintf("%s:%d", path, line)
		}
		all = append(all, Setting{name, value, source})
	}
	env := func(name string, value any, variables ...string) {
		source := unset
		for _, v := range slices.Backward(variables) {
			if given := getenv(v); given != "" && (filepath.IsAbs(given) || !strings.HasPrefix(v, "XDG_")) {
				source = v
			}
		}
		all = append(all, Setting{name, value, source})
	}
	env("dir", hookrun.Dir(getenv), "JOURNAL_DIR", "XDG_STATE_HOME")
	env("config", path, "JOURNAL_CONFIG", "XDG_CONFIG_HOME")
	env("owner", cmp.Or(getenv("JOURNAL_OWNER"), "auto"), "JOURNAL_OWNER")
	env("idle", Idle(getenv).String(), "JOURNAL_IDLE")
	if _, session := agents.FromEnvironment(getenv); session != "" && getenv("JOURNAL_SESSION") == "" {
		all = append(all, Setting{"session", session, "the agent's own variable"})
	} else {
		env("session", getenv("JOURNAL_SESSION"), "JOURNAL_SESSION")
	}
	env("lang", recovery.Language(hookrun.Language(getenv)), "JOURNAL_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
	env("notes", filepath.SplitList(getenv("JOURNAL_NOTES")), "JOURNAL_NOTES")
	info, urgent := c.Pressure.Levels()
	file("pressure.info", info)
	file("pressure.urgent", urgent)
	file("guidance", !c.NoGuidance())
	file("start", !c.NoStart())
	file("stop", cmp.Or(c.Stop, "person"))
	if d := c.UI.Remember; d != nil {
		file("ui.remember", *d)
	}
	file("transcripts", cmp.Or(c.Transcripts, "off"))
	file("retention.days", c.Retention.Days)
	file("retention.megabytes", c.Retention.Megabytes)
	for _, name := range slices.Sorted(maps.Keys(c.Retention.Projects)) {
		file("retention.projects."+name, c.Retention.Projects[name])
	}
	for _, name := range slices.Sorted(maps.Keys(c.Windows)) {
		file("windows."+name, c.Windows[name])
	}
	for _, name := range slices.Sorted(maps.Keys(c.Prices)) {
		file("prices."+name, c.Prices[name])
	}
	for _, name := range slices.Sorted(maps.Keys(c.Templates)) {
		file("templates."+name, c.Templates[name])
	}
	return all, Check(getenv)
}

// linesOf returns the line on which each member begins, by the names that lead to it.
func linesOf(b []byte) map[string]int {
	lines := map[string]int{}
	var inside func(prefix string, v hujson.Value)
	inside = func(prefix string, v hujson.Value) {
		if o, ok := v.Value.(*hujson.Object); ok {
			for _, m := range o.Members {
				name := prefix + m.Name.Value.(hujson.Literal).String()
				lines[name] = 1 + bytes.Count(b[:m.Name.StartOffset], []byte("\n"))
				inside(name+".", m.Value)
			}
		}
	}
	if all, err := hujson.Parse(b); err == nil {
		inside("", all)
	}
	return lines
}
