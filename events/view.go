package events

import (
	"encoding/json"
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

// ViewOf gives the view of a stored event. An Unknown is shown whatever is in it;
// bytes that do not fit a declared type are an error that names the event.
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
