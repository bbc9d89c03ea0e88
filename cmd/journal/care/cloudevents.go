package care

import (
	"encoding/json"
	"fmt"
	"net/url"

	"journal/events"
)

// cloudEvent is an event in the JSON format of CloudEvents 1.0. Extension attributes are in lower case letters, as the
// standard requires.
type cloudEvent struct {
	SpecVersion     string          `json:"specversion"`
	ID              string          `json:"id"`
	Source          string          `json:"source"`
	Type            string          `json:"type"`
	Subject         string          `json:"subject"`
	Time            string          `json:"time"`
	DataContentType string          `json:"datacontenttype"`
	Sequence        string          `json:"sequence"` // of the extension Sequence: a string, which has to sort as the numbers do
	SequenceType    string          `json:"sequencetype"`
	TypeVersion     int             `json:"typeversion"`
	Agent           string          `json:"agent,omitempty"`
	Lane            string          `json:"lane,omitempty"`
	Turn            string          `json:"turn,omitempty"`
	Cause           string          `json:"cause,omitempty"`
	EchoOf          uint64          `json:"echoof,omitempty"`
	Data            json.RawMessage `json:"data"`
}

// cloudEventOf returns the CloudEvent of an event.
func cloudEventOf(v events.View) cloudEvent {
	return cloudEvent{
		SpecVersion: "1.0", ID: v.ID, Source: "journal:" + url.PathEscape(v.Project), Subject: v.Session,
		Type: "journal." + string(v.Type), Time: v.At, DataContentType: "application/json",
		Sequence: fmt.Sprintf("%020d", v.Seq), SequenceType: "Integer", TypeVersion: v.Version,
		Agent: v.Agent, Lane: v.Lane, Turn: v.Turn, Cause: v.Cause, EchoOf: v.EchoOf, Data: v.Data,
	}
}
