package projections_test

import (
	"math"
	"reflect"
	"strings"

	"pgregory.net/rapid"

	"journal/events"
	"journal/projections"
)

// target is what the tests of this package fold, unless they say otherwise.
var target = projections.Target{Project: "p", Session: "s"}

// newEvent gives a pointer to the zero event of a declared type.
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

// wrap gives the envelope of an event of any declared type.
func wrap(tb rapid.TB, e events.Event, m events.Meta) events.Envelope {
	tb.Helper()
	env, err := events.Wrap(e, m)
	if err != nil {
		tb.Fatal(err)
	}
	env.Seq = m.Seq
	return env
}

// words are plausible values of fields by their names. They are few, so that
// events meet: the same port, the same file, the same decision twice.
var words = map[string][]string{
	"status":  {"pending", "in_progress", "completed", "deleted", "running", "blocked", "complete", "finished", "discarded"},
	"trigger": {"auto", "manual", ""},
	"kind":    {"pressure", "stop", "start", "guidance"},
	"level":   {"none", "info", "urgent"},
	"op":      {"write", "edit", "read"},
	"source":  {"startup", "resume", "clear", "fork"},
	"reason":  {"clear", "logout", "other"},
	"port":    {"build", "ship"},
	"skill":   {"compile", "review"},
	"phase":   {"1", "2", "2b"},
	"task":    {"1", "2", ""},
	"path":    {"/src/a.go", "/src/b.go", "/src/c.go"},
	"command": {"make", "go test ./...", "ls"},
}

func drawText(t *rapid.T, field string) string {
	plausible := words[field]
	if plausible == nil {
		plausible = []string{"", "one", "two", "three"}
	}
	switch rapid.IntRange(0, 9).Draw(t, "how "+field) {
	case 0:
		return rapid.String().Draw(t, field)
	case 1:
		return rapid.SampledFrom([]string{"", "\xff\xfe", "\x00", "결정 사항", strings.Repeat("긴 글 ", 500)}).Draw(t, field)
	default:
		return rapid.SampledFrom(plausible).Draw(t, field)
	}
}

// drawValue fills v and all that is in it.
func drawValue(t *rapid.T, v reflect.Value, field string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(drawText(t, field))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, field))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.OneOf(
			rapid.Int64Range(0, 110),
			rapid.SampledFrom([]int64{0, 1, 60, 75, 80, 90, 100, 1000, 200_000}),
			rapid.SampledFrom([]int64{-1, math.MinInt64, math.MaxInt64}),
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

// drawMeta draws who reports; most of it concerns the target.
func drawMeta(t *rapid.T) events.Meta {
	often := func(usual, other, label string) string {
		if rapid.IntRange(0, 4).Draw(t, "other "+label) == 0 {
			return other
		}
		return usual
	}
	m := events.Meta{
		Project: often("p", "q", "project"), Session: often("s", "t", "session"), Lane: often("", rapid.SampledFrom([]string{"a", "a", "b", "c", "d", "e"}).Draw(t, "subagent"), "lane"),
		Agent: rapid.SampledFrom([]string{"claude", "codex", ""}).Draw(t, "agent"),
		PID:   rapid.SampledFrom([]int{0, 7, 8, -1}).Draw(t, "pid"),
		At: rapid.OneOf(
			rapid.Int64Range(1_760_000_000, 1_760_002_000), // half an hour in seconds, so that cooldowns end
			rapid.SampledFrom([]int64{0, -1, -9_223_372_036, 9_223_372_036}),
		).Draw(t, "at") * 1e9,
	}
	if m.Session == "t" && rapid.Bool().Draw(t, "no session") {
		m.Session = events.None
	}
	if rapid.IntRange(0, 9).Draw(t, "echo") == 0 {
		m.EchoOf = rapid.Uint64Range(1, 400).Draw(t, "echo of")
	}
	return m
}

// drawEnvelope draws one stored event without its sequence: of any declared
// type and version, of a version from the future, of a type nobody declares.
// Most of them are of the types that about reads.
func drawEnvelope(t *rapid.T, about projections.Projection) events.Envelope {
	m := drawMeta(t)
	d := rapid.SampledFrom(events.Declared()).Draw(t, "type")
	if rapid.IntRange(0, 3).Draw(t, "read") > 0 {
		d = declarationOf(rapid.SampledFrom(about.Reads()).Draw(t, "type").Type)
	}
	switch rapid.IntRange(0, 19).Draw(t, "known") {
	case 0:
		d.Name, d.Version = "comet.sighted", 0
		fallthrough
	case 1:
		e := wrap(t, events.ProjectSeen{Root: drawText(t, "root")}, m)
		e.Type, e.TypeVer = d.Name, d.Version+1
		return e
	}
	v := newEvent(t, d.Name, d.Version).Elem()
	drawValue(t, v, "")
	return wrap(t, v.Interface().(events.Event), m)
}

func declarationOf(typ events.Type) events.Declaration {
	for _, d := range events.Declared() {
		if d.Name == typ {
			return d
		}
	}
	panic(typ + " is not declared")
}

func drawProjection(t *rapid.T) projections.Projection {
	return rapid.SampledFrom(projections.All()).Draw(t, "projection")
}

// drawLog draws a log that has much to say to one projection; its sequences are
// ten apart, so that others fit between. Every tenth log is long enough for
// lists of several chunks.
func drawLog(t *rapid.T, about projections.Projection) []events.Envelope {
	log := make([]events.Envelope, rapid.IntRange(0, 30).Draw(t, "events"))
	for i := range log {
		log[i] = drawEnvelope(t, about)
	}
	if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
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
	return rapid.SampledFrom([]projections.Target{target, target, other}).Draw(t, "target")
}

func drawConfig(t *rapid.T) projections.Config {
	return rapid.SampledFrom([]projections.Config{
		{}, {}, {Pressure: projections.Thresholds{Info: 30, Urgent: 50}}, {Pressure: projections.Thresholds{Info: 90, Urgent: 10}},
	}).Draw(t, "config")
}
