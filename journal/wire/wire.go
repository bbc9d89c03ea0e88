// Package wire is what an appender and the owner of the log say to each other:
// requests over the owner's connection, and the bodies of spool files. The two
// are one format, because a spool file is a request that waits.
//
// docs/FORMAT.md describes it for other languages.
package wire

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"journal/events"
)

// Version is that of the protocol. An owner serves every version up to its own; a newer
// appender asks an older owner to retire, and spools (ADR-0004 rule 8).
var Version = 1 + len(later)

// later is linked into the later programs that tests upgrade to; else it is empty.
var later string

// The subjects that the owner answers on.
const (
	Append = "JOURNAL.v1.append" // a Request; the answer is a Reply
	Status = "JOURNAL.v1.status" // empty; the answer is a StatusReply
	Drain  = "JOURNAL.v1.drain"  // empty; answered with a Reply when the spool is empty
	Stop   = "JOURNAL.v1.stop"   // empty; answered, then the owner leaves
	Retire = "JOURNAL.v1.retire" // the caller's version; a newer one makes the owner leave
	// Confirm takes a ConfirmRequest; answered with a Reply when the receipts that
	// the session's transcript shows are in the log.
	Confirm = "JOURNAL.v1.confirm"
	// Judge takes a JudgeRequest; answered with a Reply when the verdicts are in the log.
	Judge = "JOURNAL.v1.judge"
	// State takes a StateRequest; the answer is a StateReply.
	State = "JOURNAL.v1.state"
)

// Request hands events to the owner and may ask for what the agent is owed.
type Request struct {
	Wire int `json:"wire"`
	// Events are the encoded envelopes of one report, in order.
	Events []events.Raw `json:"events"`
	// Root is the path that the events' project key stands for.
	Root string `json:"root,omitempty"`
	// Floor is the newest sequence that the appender knew of when it spooled the
	// request; 0 is unknown. The request's events are in the log after Floor or not
	// at all (ADR-0002 rule 7).
	Floor uint64 `json:"floor,omitempty"`
	// Files are further events of the report, after Events: files that the hook has
	// read, and that the owner parses.
	Files []File `json:"files,omitempty"`
	// Owed asks for an answer as of the events; nil asks for none.
	Owed *Owed `json:"owed,omitempty"`
}

// Owed names the kind of answer that an agent's hook can take.
type Owed struct {
	Kind  string `json:"kind"`           // RecoveryText and the other kinds below
	Event string `json:"event"`          // id of the event that the answer is for
	Last  string `json:"last"`           // id of the last event of the request: the answer is derived as of that
	Lang  string `json:"lang,omitempty"` // or a locale: the first word of one at least
	Units int    `json:"units"`          // limit in UTF-16 code units
	Vital int    `json:"vital"`          // the vital part must be within the first Vital units
	// Again reports whether the caller may have asked before and does not know the outcome: an
	// answer that was claimed for the same event is then given again. One call of an agent
	// prints one answer.
	Again bool `json:"again,omitempty"`
}

// The kinds of answer. An owner that does not know a kind gives none.
const (
	RecoveryText = "recovery" // gives a compacted context back what it lost
	// DueText is a recovery text that is still due, because no hook after the compaction
	// could take it; else PressureNotice. DueAtWork is the same after a tool call; else
	// UrgentNotice.
	DueText = "due"
	// StartOrDue is DueText, but StartText with the first prompt after a start, for an
	// agent that takes no text at the start itself.
	StartOrDue     = "start-or-due"
	DueAtWork      = "due-at-work"
	PressureNotice = "pressure" // the context is filling up (S1.4)
	UrgentNotice   = "urgent"   // the same in a long turn, when it is urgent
	StopAdvice     = "stop"     // working notes wait to be promoted (S1.2)
	StartText      = "start"    // what a new session should know (S1.10, S3.3)
	Guidance       = "guidance" // what the summariser of a compaction should keep (S3.5)
)

// Whom an answer is for.
const (
	ToModel      = "model"
	ToPerson     = "person"
	ToSummariser = "summariser"
)

// ConfirmRequest names the session whose transcript is to be read.
type ConfirmRequest struct {
	Project string `json:"project"`
	Session string `json:"session"`
}

// JudgeRequest hands the owner what a judge answered about a compaction of a lane.
type JudgeRequest struct {
	Project string             `json:"project"`
	Session string             `json:"session"`
	Lane    string             `json:"lane,omitempty"`
	Judged  events.AuditJudged `json:"judged"`
}

// StateRequest asks for the state that the owner keeps of a lane.
type StateRequest struct {
	Project string `json:"project"`
	Session string `json:"session"`
	Lane    string `json:"lane,omitempty"`
}

// StateReply is that state, for comparing it with a replay.
type StateReply struct {
	Wire int `json:"wire"`
	// Seq is the last event of the state; 0 if the owner keeps none.
	Seq uint64 `json:"seq,omitempty"`
	// Config holds the parameters of the fold, and States the state of each
	// projection by its name, both as JSON.
	Config []byte            `json:"config,omitempty"`
	States map[string][]byte `json:"states,omitempty"`
	Error  string            `json:"error,omitempty"`
}

// Reply is the owner's answer.
type Reply struct {
	Wire int `json:"wire"`
	// Seqs are the places of the events in the log, in their order.
	Seqs []uint64 `json:"seqs,omitempty"`
	// Error is the reason why the events were not taken. Refused means that no retry
	// helps; otherwise they belong in the spool.
	Error   string `json:"error,omitempty"`
	Refused bool   `json:"refused,omitempty"`
	// Paused says that they were refused because a person has stopped the recording: that is no failure.
	Paused bool `json:"paused,omitempty"`
	// Text is the answer that was owed; empty if there is none, or another caller
	// was given it.
	Text string `json:"text,omitempty"`
	// To says whom Text is for.
	To string `json:"to,omitempty"`
}

// StatusReply is the owner's report about itself.
type StatusReply struct {
	Wire    int    `json:"wire"`
	PID     int    `json:"pid"`
	Since   int64  `json:"since"` // ns since 1970 UTC
	Version string `json:"version"`
	Events  uint64 `json:"events"`
	First   uint64 `json:"first"`
	Last    uint64 `json:"last"`
	Bytes   uint64 `json:"bytes"`
	Deleted int    `json:"deleted"`
	Spooled int    `json:"spooled"`
	Aside   int    `json:"aside"`
	// Archived is the newest sequence of the second copy.
	Archived uint64 `json:"archived"`
	Problem  string `json:"problem,omitempty"`
}

// Foreign is a request in JSON: one event, for appenders without msgpack.
type Foreign struct {
	ID      string          `json:"id,omitempty"` // UUID; required in a spool file, so that it is appended once
	Type    events.Type     `json:"type"`
	Data    json.RawMessage `json:"data,omitempty"`
	At      int64           `json:"at,omitempty"` // ns since 1970 UTC
	Agent   string          `json:"agent,omitempty"`
	Session string          `json:"session,omitempty"`
	Lane    string          `json:"lane,omitempty"`
	Project string          `json:"project,omitempty"` // key; or
	Root    string          `json:"root,omitempty"`    // path of the project
}

// Encode encodes a value of this package in msgpack.
func Encode(v any) ([]byte, error) {
	b, err := events.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}

// Decode decodes a value of Encode, after events.Check, because the bytes may come
// from anybody.
func Decode(b []byte, v any) error {
	if err := events.Check(b); err != nil {
		return err
	}
	if err := events.Unmarshal(b, v); err != nil {
		return fmt.Errorf("decode %T: %w", v, err)
	}
	return nil
}

// ErrNewer is returned for a request of a later version than this program
// knows.
var ErrNewer = errors.New("request of a newer version")

// DecodeRequest reads a request in msgpack.
func DecodeRequest(b []byte) (Request, error) {
	var r Request
	if err := Decode(b, &r); err != nil {
		return r, err
	}
	if r.Wire > Version {
		return r, fmt.Errorf("%w: %d, this program knows %d", ErrNewer, r.Wire, Version)
	}
	if r.Wire < 1 {
		return r, fmt.Errorf("%w: request without version", events.ErrMalformed)
	}
	return r, nil
}

// DecodeForeign reads a request in JSON. Unknown fields are refused, because a misspelt
// one would be lost silently.
func DecodeForeign(b []byte) (Foreign, error) {
	var f Foreign
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return f, fmt.Errorf("%w: %v", events.ErrMalformed, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return f, fmt.Errorf("%w: more than one JSON value", events.ErrMalformed)
	}
	if f.Type == "" {
		return f, fmt.Errorf("%w: type is missing", events.ErrMalformed)
	}
	return f, nil
}

// IsJSON reports whether a request is in JSON rather than msgpack: no msgpack map
// of a request begins like JSON.
func IsJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 0 && b[0] == '{'
}

// File is a file that a hook observed: an encoded file.observed event without the fields that
// are derived from the file's text, and that text, redacted.
type File struct {
	Event events.Raw `json:"event"`
	Text  Text       `json:"text"`
}

// Text is a text, compressed if it is long. The zero value is the empty text.
type Text struct {
	Plain    string `json:"plain,omitempty"`
	Deflated []byte `json:"deflated,omitempty"`
}

const (
	// longText is the length from which a text is compressed: compressing a shorter one
	// takes a hook longer than sending it.
	longText = 64 << 10
	// maxText bounds the result of Unpack: files are at most 1 MiB, but the marks of
	// redaction may be longer than what they hide.
	maxText = 4 << 20
)

// Pack makes a Text.
func Pack(s string) Text {
	if len(s) < longText {
		return Text{Plain: s}
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		panic(err) // only for an invalid level
	}
	// Writing to a buffer cannot fail.
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return Text{Deflated: b.Bytes()}
}

// Size returns the number of bytes that the text takes in a request.
func (t Text) Size() int { return len(t.Plain) + len(t.Deflated) }

// Unpack returns the text. The error is events.ErrMalformed for what Pack did not make.
func (t Text) Unpack() (string, error) {
	if len(t.Deflated) == 0 {
		return t.Plain, nil
	}
	b, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(t.Deflated)), maxText+1))
	if err == nil && len(b) > maxText {
		err = fmt.Errorf("more than %d bytes", maxText)
	}
	if err != nil {
		return "", fmt.Errorf("%w: text of a file: %v", events.ErrMalformed, err)
	}
	return string(b), nil
}
