// Package config reads the configuration file and the environment variables of journal.
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
	"runtime"
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

// Config is the content of the configuration file: JSON, with every field optional (defaults). An unknown field is an error, so that
// a misspelt one is not ignored silently.
type Config struct {
	// Pressure holds the levels of context usage in percent (S1.4).
	Pressure projections.Thresholds `json:"pressure"`
	// Windows maps the beginning of model ids to a context window in tokens (S1.3). An entry counts where no statusline has
	// reported the window, as in a headless session. Models without an entry have the window that the agents' dialects know.
	Windows projections.Windows `json:"windows"`
	// Guidance tells the model that summarises a context what to keep (S3.5); default true.
	Guidance bool `json:"guidance"`
	// Start shows the agent at the start of a session what earlier sessions of the project left; default true.
	// An unfinished skill is offered in any case (S3.3).
	Start bool `json:"start"`
	// Stop is the recipient of the advice, at the end of a turn, to promote working notes: "person" (default), "model", which
	// starts another turn, or "off" (S1.2).
	Stop string `json:"stop"`
	// Templates maps a language to the path of a recovery template that replaces the built-in one. Relative paths start at
	// the directory of the file.
	Templates map[string]string `json:"templates"`

	// Retention bounds the sessions that the log keeps; default: it keeps all.
	Retention Retention `json:"retention"`

	// Transcripts is "keep" if the owner keeps redacted copies of the clients' transcripts, or "off" (default).
	Transcripts string `json:"transcripts"`

	// UI holds the settings of journal ui.
	UI UI `json:"ui"`

	// Audit holds the settings of journal audit.
	Audit Audit `json:"audit"`

	// Prices maps the beginning of model ids to the price of their tokens. No prices are built in: they would become wrong
	// silently.
	Prices map[string]Price `json:"prices"`

	dir string // directory of the file
}

// Price is the price of a million tokens, in the person's currency.
type Price struct {
	Input          float64 `json:"input"`
	CacheRead      float64 `json:"cache_read"`
	CacheWrite     float64 `json:"cache_write"`
	CacheWriteHour float64 `json:"cache_write_1h,omitempty"` // of tokens cached for an hour; 0 means twice Input, as Anthropic charges
	Output         float64 `json:"output"`
}

// price returns the price of a model's tokens: the entry with the longest beginning of its id. ok is false without an entry.
func (c Config) price(model string) (p Price, ok bool) {
	longest := -1
	for name, price := range c.Prices {
		if len(name) > longest && strings.HasPrefix(model, name) {
			longest, p, ok = len(name), price, true
		}
	}
	return p, ok
}

// Cost returns the cost of requests: by the configured prices, else as the client reported it. ok is false if there is neither.
func (c Config) Cost(u events.TokensUsed) (cost float64, ok bool) {
	p, ok := c.price(u.Model)
	if !ok {
		return float64(u.Price) / 1e6, u.Price > 0
	}
	t := u.Tokens
	hour := cmp.Or(p.CacheWriteHour, 2*p.Input)
	return (p.Input*float64(t.Input) + p.CacheRead*float64(t.CacheRead) + p.CacheWrite*float64(t.CacheWrite-t.CacheWriteHour) +
		hour*float64(t.CacheWriteHour) + p.Output*float64(t.Output)) / 1e6, true
}

// Audit holds the settings of journal audit.
type Audit struct {
	// Judge is the command that --judge runs, with its arguments; none by default. It reads a question on stdin and prints the
	// answer.
	Judge []string `json:"judge"`
}

// UI holds the settings of journal ui.
type UI struct {
	// Remember is the number of days for which a browser stays admitted; 0 means until journal ui ends. That is the default if the
	// system does not tell which user owns a connection, because then only the cookie keeps other users out.
	Remember int `json:"remember"`
}

// defaults returns the configuration without a file. UI.Remember is 0 where the function foreign of package ui cannot tell users
// apart.
func defaults() Config {
	c := Config{Guidance: true, Start: true, Stop: "person", Transcripts: "off"}
	if runtime.GOOS == "linux" {
		c.UI.Remember = 30
	}
	return c
}

// Retention bounds the sessions that the log keeps after their last event (ADR-0052). 0 means no bound.
type Retention struct {
	Days      int            `json:"days"`
	Megabytes int            `json:"megabytes"` // of the store, 10^6 bytes
	Projects  map[string]int `json:"projects"`  // days, by project key or directory
}

// Bounds of settings.
const (
	maxDays      = 100_000       // more could overflow a time.Duration
	maxMegabytes = 1_000_000_000 // more could overflow a number of bytes
	maxRemember  = 400           // days; browsers keep no cookie for longer
)

// Path returns the path of the configuration file: JOURNAL_CONFIG, else journal/config.json in the XDG configuration
// directory; empty without a home directory.
func Path(getenv func(string) string) string {
	if p := getenv("JOURNAL_CONFIG"); p != "" {
		return p
	}
	path, _ := disk.ConfigPath(getenv, "journal", "config.json") // empty without a home
	return path
}

// maxFile bounds the size of the file and of a template, in bytes.
const maxFile = 1 << 20

// ErrFile is wrapped by every error about the file or a template.
var ErrFile = errors.New("configuration")

// Load reads the configuration. Without a file it returns the default. After an error it returns the default, too, so that the
// program works although the file has a mistake.
func Load(getenv func(string) string) (Config, error) {
	path := Path(getenv)
	if path == "" {
		return defaults(), nil
	}
	b, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return defaults(), nil
	}
	if err != nil {
		return defaults(), fmt.Errorf("%w: %w", ErrFile, err)
	}
	c := defaults()
	c.dir = filepath.Dir(path)
	if err := c.decode(b); err != nil {
		return defaults(), fmt.Errorf("%w %s: %w", ErrFile, path, mistake(b, err))
	}
	c.Stop, c.Transcripts = cmp.Or(c.Stop, defaults().Stop), cmp.Or(c.Transcripts, defaults().Transcripts)
	if err := c.check(); err != nil {
		return defaults(), fmt.Errorf("%w %s: %w", ErrFile, path, err)
	}
	return c, nil
}

// decode sets the fields that b has. A field that Config does not have is an error.
func (c *Config) decode(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(c); err != nil {
		return err
	}
	return json.Unmarshal(b, new(json.RawMessage)) // Decode reads nothing behind the object, which may be more settings
}

// check returns an error for a value that is out of its bounds, or is none of the choices.
func (c Config) check() error {
	type bound struct {
		name        string
		value, most int
	}
	bounds := []bound{
		{"pressure.info", c.Pressure.Info, 100}, {"pressure.urgent", c.Pressure.Urgent, 100}, {"ui.remember", c.UI.Remember, maxRemember},
		{"retention.days", c.Retention.Days, maxDays}, {"retention.megabytes", c.Retention.Megabytes, maxMegabytes},
	}
	for _, name := range slices.Sorted(maps.Keys(c.Retention.Projects)) {
		bounds = append(bounds, bound{"retention.projects." + name, c.Retention.Projects[name], maxDays})
	}
	for _, b := range bounds {
		if b.value < 0 || b.value > b.most {
			return fmt.Errorf("%s is %d, must be 0 to %d", b.name, b.value, b.most)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Prices)) {
		if p := c.Prices[name]; min(p.Input, p.CacheRead, p.CacheWrite, p.CacheWriteHour, p.Output) < 0 {
			return fmt.Errorf("prices.%s has a price below 0", name)
		}
	}
	switch {
	case !slices.Contains([]string{"person", "model", "off"}, c.Stop):
		return fmt.Errorf("stop is %q, must be person, model or off", c.Stop)
	case !slices.Contains([]string{"keep", "off"}, c.Transcripts):
		return fmt.Errorf("transcripts is %q, must be keep or off", c.Transcripts)
	}
	return nil
}

// Fold returns the configuration of folds.
func (c Config) Fold() projections.Config {
	return projections.Config{Pressure: c.Pressure, Windows: c.Windows.WithDefaults(agents.Windows())}
}

// Template returns the source of the person's template for a language; empty if there is none or it cannot be read (Check
// returns that error).
func (c Config) Template(lang string) string {
	b, err := c.template(lang)
	if err != nil {
		return ""
	}
	return string(b)
}

// template reads the person's template for a language; nil if there is none.
func (c Config) template(lang string) ([]byte, error) {
	path := c.Templates[lang]
	if path == "" {
		return nil, nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, path)
	}
	return readFile(path)
}

// readFile returns the content of a file of the person's, without the byte order mark that editors on Windows write.
func readFile(path string) ([]byte, error) {
	b, err := disk.ReadFile(path, maxFile)
	return bytes.TrimPrefix(b, []byte("\ufeff")), err
}

// Check returns the error of Load, or that of a template that cannot be read.
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

// mistake returns an error that names the line of the file b that cannot be decoded. err is the error of the decoder.
func mistake(b []byte, err error) error {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	message, offset := "", int64(0)
	switch field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); {
	case unknown:
		message = "there is no setting " + field
		offset = int64(bytes.Index(b, []byte(field))) // the decoder returns no position
		for _, m := range membersOf(b) {
			if new(Config).decode([]byte(m.alone)) != nil {
				offset = int64(m.offset)
				break
			}
		}
	case errors.As(err, &syntax):
		message, offset = "this is not JSON", syntax.Offset
	case errors.As(err, &mismatch):
		message, offset = fmt.Sprintf("%s cannot be a %s", cmp.Or(mismatch.Field, "the document"), mismatch.Value), mismatch.Offset
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		message, offset = "it ends too early", int64(len(b))
	default:
		return err
	}
	return fmt.Errorf("line %d: %s", lineOf(b, int(max(0, min(offset, int64(len(b)))))), message)
}

// lineOf returns the number of the line of an offset.
func lineOf(b []byte, offset int) int { return 1 + bytes.Count(b[:offset], []byte("\n")) }

// member is a member of an object in the file.
type member struct {
	path   string // such as pressure.info
	offset int    // of its name in the file
	alone  string // the file without the other members, and with null as its value
}

// membersOf lists the members of a JSON object and of the objects in it, in their order. For anything else it returns nil.
func membersOf(b []byte) (all []member) {
	var add func(v hujson.Value, path, before, after string)
	add = func(v hujson.Value, path, before, after string) {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return
		}
		for _, m := range o.Members {
			path := path + m.Name.Value.(hujson.Literal).String()
			before, after := before+"{"+m.Name.String()+":", "}"+after
			all = append(all, member{path, m.Name.StartOffset, before + "null" + after})
			add(m.Value, path+".", before, after)
		}
	}
	if doc, err := hujson.Parse(b); err == nil {
		add(doc, "", "", "")
	}
	return all
}

// Setting is a setting with the value that is in force, and the source of the value.
type Setting struct {
	Name   string `json:"name"` // as in the file, such as pressure.info, or a name for what a variable sets, such as dir
	Value  any    `json:"value"`
	Source string `json:"source"` // "default", FILE:LINE, a variable of the environment, or a flag
}

// Idle returns how long an owner runs without a request: JOURNAL_IDLE, else ten minutes.
func Idle(getenv func(string) string) time.Duration {
	if d, _ := time.ParseDuration(getenv("JOURNAL_IDLE")); d > 0 { // 0 after an error
		return d
	}
	return 10 * time.Minute
}

// hasEffect reports whether the value of a variable of the environment is used.
func hasEffect(variable string, getenv func(string) string) bool {
	value := getenv(variable)
	switch variable {
	case "JOURNAL_IDLE":
		d, _ := time.ParseDuration(value) // 0 after an error
		return d > 0
	case "XDG_CONFIG_HOME", "XDG_STATE_HOME":
		return filepath.IsAbs(value)
	}
	return value != ""
}

// defaultSource is the source of a value that neither the file nor a variable sets.
const defaultSource = "default"

// Settings returns the settings in a fixed order. Those whose names contain a project, a model or a language
// come last. The error is that of Check. If the file cannot be loaded, its settings are the defaults.
func Settings(getenv func(string) string) ([]Setting, error) {
	c, err := Load(getenv)
	path := Path(getenv)
	lines, linesLower := map[string]int{}, map[string]int{} // by the path of a member, and by that in lower case
	if b, readErr := readFile(path); readErr == nil && err == nil {
		for _, m := range membersOf(b) {
			line := lineOf(b, m.offset)
			lines[m.path], linesLower[strings.ToLower(m.path)] = line, line
		}
	}
	var all []Setting
	addFromFile := func(name string, value any) {
		source := defaultSource
		if line := cmp.Or(lines[name], linesLower[strings.ToLower(name)]); line > 0 { // the decoder finds a field in any case
			source = fmt.Sprintf("%s:%d", path, line)
		}
		all = append(all, Setting{name, value, source})
	}
	addFromEnv := func(name string, value any, variables ...string) { // the first variable with an effect counts
		source := defaultSource
		if i := slices.IndexFunc(variables, func(v string) bool { return hasEffect(v, getenv) }); i >= 0 {
			source = variables[i]
		}
		all = append(all, Setting{name, value, source})
	}
	addFromEnv("dir", hookrun.Dir(getenv), "JOURNAL_DIR", "XDG_STATE_HOME")
	addFromEnv("config", path, "JOURNAL_CONFIG", "XDG_CONFIG_HOME")
	addFromEnv("owner", cmp.Or(getenv("JOURNAL_OWNER"), "auto"), "JOURNAL_OWNER")
	addFromEnv("idle", Idle(getenv).String(), "JOURNAL_IDLE")
	if _, session := agents.FromEnvironment(getenv); session != "" && getenv("JOURNAL_SESSION") == "" {
		all = append(all, Setting{"session", session, "the agent's own variable"})
	} else {
		addFromEnv("session", getenv("JOURNAL_SESSION"), "JOURNAL_SESSION")
	}
	addFromEnv("lang", recovery.Language(hookrun.Language(getenv)), "JOURNAL_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
	addFromEnv("notes", filepath.SplitList(getenv("JOURNAL_NOTES")), "JOURNAL_NOTES")
	info, urgent := c.Pressure.Levels()
	addFromFile("pressure.info", info)
	addFromFile("pressure.urgent", urgent)
	addFromFile("guidance", c.Guidance)
	addFromFile("start", c.Start)
	addFromFile("stop", c.Stop)
	addFromFile("ui.remember", c.UI.Remember)
	addFromFile("audit.judge", append([]string{}, c.Audit.Judge...))
	addFromFile("transcripts", c.Transcripts)
	addFromFile("retention.days", c.Retention.Days)
	addFromFile("retention.megabytes", c.Retention.Megabytes)
	addEach(addFromFile, "retention.projects.", c.Retention.Projects)
	addEach(addFromFile, "windows.", c.Windows)
	addEach(addFromFile, "prices.", c.Prices)
	addEach(addFromFile, "templates.", c.Templates)
	return all, Check(getenv)
}

// addEach calls add with the name and the value of each setting of a map, sorted by name.
func addEach[M ~map[string]V, V any](add func(name string, value any), prefix string, m M) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		add(prefix+name, m[name])
	}
}
