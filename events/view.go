package events

import (
	"encoding/json"
	"math"

	"time"
)

// View is an event as people and scripts see it: `journal log --json` prints
// one per line. Its keys are stable.
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
	Unknown bool            `json:"unknown,omitempty"` // this program does not declare the type or its version
	Data    json.RawMessage `json:"data"`
	More    json.RawMessage `json:"more,omitempty"`
}

// ViewOf gives the view of a stored event. An Unknown shows its fields as they
// decode; bytes that do not fit their type are an error that names the event.
func ViewOf(e Envelope) (View, error) {
	v := View{
		Seq: e.Seq, ID: e.ID, Type: e.Type, Version: e.TypeVer, At: e.Time().Format(time.RFC3339Nano),
		Agent: e.Agent, Project: e.Project, Session: e.Session, Lane: e.Lane, Turn: e.Turn,
		Cause: e.Cause, EchoOf: e.EchoOf,
	}
	ev, err := Open(e)
	if err != nil {
		return v, err
	}
	var data any = ev
	if u, ok := ev.(Unknown); ok {
		v.Unknown = true
		var fields any
		if err := Check(u.Raw); err != nil {
			return v, err
		}
		if err := unmarshal(u.Raw, &fields); err != nil {
			return v, wrapf(ErrMalformed, "%s at seq %d: %v", e.Type, e.Seq, err)
		}
		data = jsonSafe(fields)
	}
	if v.Data, err = json.Marshal(data); err != nil {
		return v, wrapf(err, "show %s at seq %d", e.Type, e.Seq)
	}
	if json.Valid(e.More) {
		v.More = e.More
	}
	return v, nil
}

// jsonSafe replaces what msgpack can say and JSON cannot.
func jsonSafe(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = jsonSafe(v[k])
		}
	case []any:
		for i := range v {
			v[i] = jsonSafe(v[i])
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	case float32:
		return jsonSafe(float64(v))
	}
	return v
}
