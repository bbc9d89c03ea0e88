package projections_test

import (
	"math"
	"math/bits"
	"reflect"
	"strings"

	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
)

// target is what the tests of this package fold, unless they say otherwise.
var target = projections.Target{Project: "p", Session: "s"}

// declared lists every event type.
var declared = events.Declared()

// newEvent returns a pointer to the zero event of a declared type.
func newEvent(tb rapid.TB, typ events.Type, version int) reflect.Value {
	tb.Helper()
	e, err := events.Open(events.Envelope{Meta: events.Meta{Type: typ, TypeVer: version}, Body: events.Raw{0x80}})
	if err != nil {
		tb.Fatal(err)
	}
	if _, unknown := e.(events.Unknown); unknown {
		tb.Fatalf("%s version %d is not declared", typ, version)
	}
	return reflect.New(reflect.TypeOf(e))
}

// bit is the most frequent draw.
var bit = rapid.Bool()

// choice draws one of some values with equal frequency: rapid's own choice prefers the first ones, and folds that
// differ in their last type or lane would hardly be noticed.
type choice[T any] []T

func evenly[T any](values ...T) choice[T] { return values }

func (c choice[T]) Draw(t *rapid.T, label string) T {
	n := 0
	for range bits.Len(uint(len(c)-1)) + 3 {
		n *= 2
		if bit.Draw(t, label) {
			n++
		}
	}
	return c[n%len(c)]
}

func (c choice[T]) generator() *rapid.Generator[T] {
	return rapid.Custom(func(t *rapid.T) T { return c.Draw(t, "value") })
}

// words are plausible field values by field name. They are few, so that events meet: the same port, the same file, the
// same decision twice.
var words = map[string][]string{
	"status":  {"pending", "in_progress", "completed", "deleted", "running", "blocked", "complete", "finished", "discarded"},
	"trigger": {"auto", "manual", ""},
	"marker":  {events.LastCompactMarker, events.CompoundMarker},
	"kind":    {"pressure", "cleared", "stop", "start", "guidance", "flow", "plan", "stock", "skill", "compound", "compile", "compile"},
	"level":   {"none", "info", "urgent"},
	"op":      {"write", "edit", "read"},
	"source":  {"startup", "resume", "clear", "fork"},
	"reason":  {"clear", "logout", "other"},
	"port":    {"build", "ship"},
	"skill":   {"compile", "review"},
	"phase":   {"1", "2", "2b"},
	"task":    {"1", "2", ""},
	"path":    {"/src/a.go", "src/a.go", "/src/b.go", "/src/c.go", ".cpm-progress-s.md", ".cpm-progress.md"},
	"command": {"make", "go test ./...", "ls", "git reset --hard HEAD"},
	"lane":    {"a", "b"},
	"use":     {"u1", "u2"},
	"from":    {"/src", "/src/a.go", "s", "t"},
	"to":      {"/lib", "/src/b.go"},
	"target":  {"src/a-b", "src/a/b"},
	"text":    {"", "one", "two", "three", "/cpm:brief a page", "Compile src/a/b/CLAUDE.md into .claude/tmp/s-compile-src-a-b.json"},
	"name":    {"target_dir", "status"},
	"value":   {"src/a-b", "src/a/b", "success", "failed", "a.go"},
	"verdict": {"good", "improve"},
	"answer":  {"fix_spec", "fix_code", "ignore"},

	"agent_type": {"compiler", "plugin:compiler", "validator"},
}

func drawText(t *rapid.T, field string) string {
	plausible := words[field]
	if plausible == nil {
		plausible = []string{"", "one", "two", "three"}
	}
	switch evenly(0, 1, 2, 3, 4, 5, 6, 7).Draw(t, "how "+field) {
	case 0:
		return rapid.String().Draw(t, field)
	case 1:
		return evenly("", "\xff\xfe", "\x00", "결정 사항", strings.Repeat("긴 글 ", 500)).Draw(t, field)
	default:
		return evenly(plausible...).Draw(t, field)
	}
}

// drawValue fills v at any depth.
func drawValue(t *rapid.T, v reflect.Value, field string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(drawText(t, field))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, field))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.OneOf(
			rapid.Int64Range(0, 110),
			evenly[int64](0, 1, 60, 75, 80, 90, 100, 1000, 200_000).generator(),
			evenly[int64](-1, math.MinInt64, math.MaxInt64).generator(),
		).Draw(t, field))
	case reflect.Uint64:
		v.SetUint(rapid.OneOf(rapid.Uint64Range(0, 400), rapid.Just(uint64(math.MaxUint64))).Draw(t, field))
	case reflect.Float64:
		v.SetFloat(rapid.Float64().Draw(t, field))
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			drawValue(t, v.Field(i), name)
		}
	case reflect.Slice:
		n := rapid.IntRange(-1, 4).Draw(t, "length of "+field)
		if n < 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			drawValue(t, v.Index(i), field)
		}
	default:
		t.Fatalf("no generator for a %s", v.Type())
	}
}

// drawMeta draws the reporter; most draws concern the target.
func drawMeta(t *rapid.T, about projections.Projection) events.Meta {
	m := events.Meta{
		Project: evenly("p", "p", "p", "p", "p", "p", "q").Draw(t, "project"),
		Session: evenly("s", "s", "s", "s", "s", "s", "t", events.None).Draw(t, "session"),
		Lane:    evenly("", "", "", "", "a").Draw(t, "lane"),
		Agent:   evenly("claude", "codex", "").Draw(t, "agent"),
		PID:     evenly(0, 7, 8, -1).Draw(t, "pid"),
		Turn:    evenly("", "1", "1", "2").Draw(t, "turn"),
		At: rapid.OneOf(
			rapid.Int64Range(1_760_000_000, 1_760_002_000), // half an hour in seconds, so that cooldowns end
			evenly[int64](0, -1, -9_223_372_036, 9_223_372_036).generator(),
		).Draw(t, "at") * 1e9,
	}
	if about.Scope() != projections.Lane {
		m.Lane = evenly("", "", "a", "b", "c", "d", "e", "f").Draw(t, "lane")
	}
	if evenly(0, 1, 2, 3, 4, 5, 6, 7).Draw(t, "echo") == 0 {
		m.EchoOf = rapid.Uint64Range(1, 400).Draw(t, "echo of")
	}
	return m
}

// drawEnvelope draws one stored event without its sequence: of any declared type and version, of a future version, or
// of an undeclared type. Most are of the types that about reads.
func drawEnvelope(t *rapid.T, about projections.Projection) events.Envelope {
	m := drawMeta(t, about)
	d := evenly(declared...).Draw(t, "type")
	if evenly(0, 1, 2, 3).Draw(t, "read") > 0 {
		d = declarationOf(evenly(about.Reads()...).Draw(t, "type").Type)
	}
	switch evenly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15).Draw(t, "known") {
	case 0:
		d.Name, d.Version = "comet.sighted", 0
		fallthrough
	case 1:
		e := eventstest.Wrap(t, events.ProjectSeen{Root: drawText(t, "root")}, m)
		e.Type, e.TypeVer = d.Name, d.Version+1
		return e
	}
	return eventstest.Wrap(t, drawEvent(t, d), m)
}

// drawEvent draws an event of one type.
func drawEvent(t *rapid.T, d events.Declaration) events.Event {
	v := newEvent(t, d.Name, d.Version).Elem()
	drawValue(t, v, "")
	return v.Interface().(events.Event)
}

func declarationOf(typ events.Type) events.Declaration {
	for _, d := range declared {
		if d.Name == typ {
			return d
		}
	}
	panic(typ + " is not declared")
}

func drawProjection(t *rapid.T) projections.Projection {
	return evenly(projections.All()...).Draw(t, "projection")
}

// drawLog draws a log with many events for one projection; its sequences are ten apart, so that others fit between.
// Every tenth log is long enough for lists of several chunks.
func drawLog(t *rapid.T, about projections.Projection) []events.Envelope {
	log := make([]events.Envelope, evenly(0, 1, 5, 10, 20, 40).Draw(t, "events"))
	for i := range log {
		log[i] = drawEnvelope(t, about)
	}
	if evenly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9).Draw(t, "long") == 0 {
		once := log
		for range 12 {
			log = append(log, once...)
		}
	}
	for i := range log {
		log[i].Seq = uint64(10 * (i + 1))
	}
	return log
}

func drawTarget(t *rapid.T) projections.Target {
	other := target
	other.Lane = "a"
	return evenly(target, target, other).Draw(t, "target")
}

func drawConfig(t *rapid.T) projections.Config {
	return evenly(
		projections.Config{},
		projections.Config{Pressure: projections.Thresholds{Info: 30, Urgent: 50}},
		projections.Config{Pressure: projections.Thresholds{Info: 90, Urgent: 10}},
	).Draw(t, "config")
}
