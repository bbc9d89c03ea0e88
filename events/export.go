package events

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"

	"github.com/vmihailenco/msgpack/v5"
)

// Export is an event as `journal export` writes it: its view, and the rest of its
// envelope, so that the same log can be made of it elsewhere. Its keys are stable.
type Export struct {
	View
	PID   int    `json:"pid,omitempty"`
	N     int    `json:"n,omitempty"`
	Key   string `json:"key,omitempty"`
	Rules int    `json:"rules,omitempty"`
}

// ExportOf gives the export of a stored event, with the error of ViewOf.
func ExportOf(e Envelope) (Export, error) {
	v, err := ViewOf(e)
	return Export{View: v, PID: e.PID, N: e.N, Key: e.Key, Rules: e.Rules}, err
}

// ParseExport reads a line that was an Export. The error is ErrMalformed.
func ParseExport(line []byte) (Envelope, error) {
	var x Export
	if err := json.Unmarshal(line, &x); err != nil {
		return Envelope{}, wrapf(ErrMalformed, "line of an export: %v", err)
	}
	return x.envelope()
}

// envelope gives the event that was exported, under the same id and at the same place.
// Every fold takes it for the same; its bytes are others: an old shape has become the
// current one, and what JSON cannot express in a type that this program does not declare
// stays as JSON expressed it. The error is ErrMalformed.
func (x Export) envelope() (Envelope, error) {
	at, err := time.Parse(time.RFC3339Nano, x.At)
	if err != nil {
		return Envelope{}, wrapf(ErrMalformed, "time of #%d: %v", x.Seq, err)
	}
	m := Meta{
		Version: EnvelopeVersion, ID: x.ID, Type: x.Type, TypeVer: x.Version, At: at.UnixNano(), Agent: x.Agent, Session: x.Session,
		Lane: x.Lane, Project: x.Project, Turn: x.Turn, PID: x.PID, Cause: x.Cause, N: x.N, Key: x.Key, EchoOf: x.EchoOf, Rules: x.Rules,
	}
	if m.ID == "" || m.Type == "" || m.TypeVer < 1 || x.Seq == 0 {
		return Envelope{}, wrapf(ErrMalformed, "event without id, type, version or seq")
	}
	e, err := x.body(m)
	if err != nil {
		return Envelope{}, wrapf(ErrMalformed, "%s at seq %d: %v", x.Type, x.Seq, err)
	}
	e.Seq = x.Seq
	if !bytes.Equal(x.More, []byte("null")) {
		e.More = x.More
	}
	return e, nil
}

// body makes the envelope of what Data holds.
func (x Export) body(m Meta) (e Envelope, err error) {
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
	if err := enc.Encode(numbered(fields)); err != nil {
		return e, err
	}
	return Envelope{Meta: m, Body: body.Bytes()}, nil
}

// numbered gives a value that JSON spelled, with its numbers as such.
func numbered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = numbered(v[name])
		}
	case []any:
		for i := range v {
			v[i] = numbered(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // what is no number is no JSON
		return f
	}
	return v
}
