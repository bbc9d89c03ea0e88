package events

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"

	"github.com/vmihailenco/msgpack/v5"
)

// Export is an event as `journal export` writes it: its view and the rest of its envelope, so that the same log can be
// rebuilt elsewhere. Its keys are stable.
type Export struct {
	Format int `json:"format"` // the Format of the program that wrote it
	View

	// The other fields are as in Meta.
	PID   int    `json:"pid,omitempty"`
	N     int    `json:"n,omitempty"`
	Key   string `json:"key,omitempty"`
	Rules int    `json:"rules,omitempty"`
}

// ExportOf returns the export of a stored event. It returns the errors of ViewOf.
func ExportOf(e Envelope) (Export, error) {
	v, err := ViewOf(e)
	return Export{Format: Format, View: v, PID: e.PID, N: e.N, Key: e.Key, Rules: e.Rules}, err
}

// ParseExport returns the event in a line of an export. The error is ErrMalformed, or that of CheckFormat.
func ParseExport(line []byte) (Envelope, error) {
	var x Export
	if err := json.Unmarshal(line, &x); err != nil {
		return Envelope{}, wrapf(ErrMalformed, "line of an export: %v", err)
	}
	if err := CheckFormat("export has format", x.Format); err != nil {
		return Envelope{}, err
	}
	return x.envelope()
}

// envelope returns the exported event, with the same id and sequence. For folds it is the same event, but its encoding may
// differ: an old shape has become the current one, and an undeclared type has only what JSON can express. The error is
// ErrMalformed.
func (x Export) envelope() (Envelope, error) {
	t, err := time.Parse(time.RFC3339Nano, x.At)
	if err != nil {
		return Envelope{}, wrapf(ErrMalformed, "time of #%d: %v", x.Seq, err)
	}
	m := Meta{
		Version: EnvelopeVersion, ID: x.ID, Type: x.Type, TypeVer: x.Version, At: t.UnixNano(), Agent: x.Agent, Session: x.Session,
		Lane: x.Lane, Project: x.Project, Turn: x.Turn, PID: x.PID, Cause: x.Cause, N: x.N, Key: x.Key, EchoOf: x.EchoOf, Rules: x.Rules,
	}
	if m.ID == "" || m.Type == "" || m.TypeVer < 1 || x.Seq == 0 {
		return Envelope{}, wrapf(ErrMalformed, "event without id, type, version or seq")
	}
	e, err := x.wrapData(m)
	if err != nil {
		return Envelope{}, wrapf(ErrMalformed, "%s at seq %d: %v", x.Type, x.Seq, err)
	}
	e.Seq = x.Seq
	if !bytes.Equal(x.More, []byte("null")) {
		e.More = x.More
	}
	return e, nil
}

// wrapData returns an envelope of m and the exported data.
func (x Export) wrapData(m Meta) (e Envelope, err error) {
	if d := declared[x.Type]; d != nil && !x.Unknown && x.Version <= d.version {
		v := reflect.New(d.goType)
		if err := json.Unmarshal(x.Data, v.Interface()); err != nil {
			return e, err
		}
		return Wrap(v.Elem().Interface().(Event), m)
	}
	dec := json.NewDecoder(bytes.NewReader(x.Data))
	dec.UseNumber()
	var fields map[string]any
	if err := dec.Decode(&fields); err != nil {
		return e, err
	}
	var body bytes.Buffer
	enc := msgpack.NewEncoder(&body)
	enc.SetSortMapKeys(true)
	enc.UseCompactInts(true)
	if err := enc.Encode(goNumbers(fields)); err != nil {
		return e, err
	}
	return Envelope{Meta: m, Body: body.Bytes()}, nil
}

// goNumbers converts the JSON numbers in a value to Go numbers.
func goNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = goNumbers(v[name])
		}
	case []any:
		for i := range v {
			v[i] = goNumbers(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // decoded JSON has valid numbers only
		return f
	}
	return v
}

// View is an event as people and scripts see it: `journal log --json` prints one per line. Its keys are stable.
type View struct {
	Seq     uint64          `json:"seq"`
	ID      string          `json:"id"`
	Type    Type            `json:"type"`
	Version int             `json:"version"`
	At      string          `json:"at"` // RFC 3339, UTC
	Agent   string          `json:"agent,omitempty"`
	Project string          `json:"project"`
	Session string          `json:"session"`
	Lane    string          `json:"lane,omitempty"`
	Turn    string          `json:"turn,omitempty"`
	Cause   string          `json:"cause,omitempty"`
	EchoOf  uint64          `json:"echo_of,omitempty"`
	Unknown bool            `json:"unknown,omitempty"` // this program does not declare the type or its version, or the event does not fit it
	Data    json.RawMessage `json:"data"`              // the event
	More    json.RawMessage `json:"more,omitempty"`    // as in Envelope
}

// ViewOf returns the view of a stored event. An event of an undeclared type, or one that does not fit its declared type, is
// shown as stored.
func ViewOf(e Envelope) (View, error) {
	v := View{
		Seq: e.Seq, ID: e.ID, Type: e.Type, Version: e.TypeVer, At: e.Time().Format(time.RFC3339Nano),
		Agent: e.Agent, Project: e.Project, Session: e.Session, Lane: e.Lane, Turn: e.Turn,
		Cause: e.Cause, EchoOf: e.EchoOf,
	}
	ev, err := Open(e)
	if err != nil {
		ev = Unknown{Type: e.Type, Version: e.TypeVer, Raw: e.Body}
	}
	if u, ok := ev.(Unknown); ok {
		if err := Check(u.Raw); err != nil {
			return v, wrapf(err, "%s at seq %d", e.Type, e.Seq)
		}
		v.Unknown, v.Data = true, jsonForm(u.Raw)
	} else if v.Data, err = json.Marshal(ev); err != nil {
		return v, wrapf(err, "show %s at seq %d", e.Type, e.Seq)
	}
	if json.Valid(e.More) {
		v.More = e.More
	}
	return v, nil
}
