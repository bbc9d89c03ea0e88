// Package wire defines the protocol between an appender and the owner of the log: the requests and replies over the owner's
// connection, and the bodies of spool files. Both have one format, because a spool file is a request that waits.
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

// Version is the version of the protocol. An owner serves every version up to its own. A newer appender asks an older owner to
// retire, and spools (ADR-0004 rule 8).
var Version = 1 + len(later)

// later adds one version for each of its bytes. The linker sets it in programs with which tests try an upgrade; else it is empty.
var later string

// The subjects of requests to the owner.
const (
	Append = "JOURNAL.v1.append" // a Request, or a Foreign; the answer is a Reply
	Status = "JOURNAL.v1.status" // empty; the answer is a StatusReply
	Drain  = "JOURNAL.v1.drain"  // empty; the answer is a Reply after the owner has drained the spool as far as it can
	Stop   = "JOURNAL.v1.stop"   // empty; the owner answers and leaves
	Retire = "JOURNAL.v1.retire" // the caller's Version, perhaps a space and its build; the owner leaves if that is newer
	// Confirm is for a ConfirmRequest; the answer is a Reply when the receipts from the session's transcript are in the log.
	Confirm = "JOURNAL.v1.confirm"
	// Judge is for a JudgeRequest; the answer is a Reply when the verdicts are in the log.
	Judge = "JOURNAL.v1.judge"
	// State is for a StateRequest; the answer is a StateReply.
	State = "JOURNAL.v1.state"
)

// Request hands events to the owner, and may request an answer for the agent.
type Request struct {
	Wire int `json:"wire"`
	// Events are the encoded envelopes of one report, in order.
	Events []events.Raw `json:"events"`
	// Root is the path of the events' project.
	Root string `json:"root,omitempty"`
	// Floor is the newest sequence that the appender knew when it spooled the request; 0 if it knew none. The request's events
	// are in the log after Floor or not at all (ADR-0002 rule 7).
	Floor uint64 `json:"floor,omitempty"`
	// Files are further events of the report, after Events: files that the hook read and the owner parses.
	Files []File `json:"files,omitempty"`
	// Answer requests an answer that is derived from the log up to the events; nil requests none.
	Answer *AnswerRequest `json:"owed,omitempty"`
}

// AnswerRequest requests an answer of a kind that the agent's hook can print.
type AnswerRequest struct {
	Kind  string `json:"kind"`           // RecoveryText and the other kinds below
	Event string `json:"event"`          // id of the event to answer
	Last  string `json:"last"`           // id of the last event of the request, as of which the answer is derived
	Lang  string `json:"lang,omitempty"` // a language or a locale: ko, ko_KR.UTF-8
	Units int    `json:"units"`          // limit in UTF-16 code units
	Vital int    `json:"vital"`          // UTF-16 code units within which the vital part must be
	// Again is true if the caller may have asked before and does not know the outcome. The owner then repeats an answer that it
	// claimed for the same event before. One call of an agent prints one answer.
	Again bool `json:"again,omitempty"`
}

// The kinds of answer. An owner returns no answer of a kind that it does not know.
const (
	RecoveryText = "recovery" // the text after a compaction
	// DueText is a recovery text that is still due, because no hook after the compaction could print it, else PressureNotice.
	DueText = "due"
	// StartOrDue is DueText or, at the first prompt after a start, StartText: for an agent that takes no text at the start.
	StartOrDue = "start-or-due"
	// DueAtWork is a recovery text that is still due after a tool call, else UrgentNotice.
	DueAtWork      = "due-at-work"
	PressureNotice = "pressure" // a restored text, a recovery text after a resume, the notice of a cleared context, or how full the context is (S1.4)
	UrgentNotice   = "urgent"   // the notice of an urgent level within a long turn
	StopAdvice     = "stop"     // the advice to promote working notes (S1.2)
	StartText      = "start"    // the overview for a new session (S1.10, S3.3)
	Guidance       = "guidance" // the facts that the summariser of a compaction should keep (S3.5)
)

// The receivers of an answer.
const (
	ToModel      = "model"
	ToPerson     = "person"
	ToSummariser = "summariser"
)

// ConfirmRequest names the session whose transcript the owner reads.
type ConfirmRequest struct {
	Project string `json:"project"`
	Session string `json:"session"`
}

// JudgeRequest hands the owner the verdicts of a judge about a compaction in a lane.
type JudgeRequest struct {
	Project string             `json:"project"`
	Session string             `json:"session"`
	Lane    string             `json:"lane,omitempty"`
	Judged  events.AuditJudged `json:"judged"`
}

// StateRequest asks for the cached state of a lane.
type StateRequest struct {
	Project string `json:"project"`
	Session string `json:"session"`
	Lane    string `json:"lane,omitempty"`
}

// StateReply holds the cached state of a lane, for comparing it with a replay.
type StateReply struct {
	Wire int `json:"wire"`
	// Seq is the sequence of the state's last event; 0 if the owner has no state.
	Seq uint64 `json:"seq,omitempty"`
	// Config holds the parameters of the fold, and States the state of each projection by its name, both as JSON.
	Config []byte            `json:"config,omitempty"`
	States map[string][]byte `json:"states,omitempty"`
	Error  string            `json:"error,omitempty"`
}

// Reply is the owner's answer.
type Reply struct {
	Wire int `json:"wire"`
	// Seqs are the sequences of the events in the log, in their order.
	Seqs []uint64 `json:"seqs,omitempty"`
	// Error is the reason why the events were not stored.
	Error string `json:"error,omitempty"`
	// Refused is true if no retry helps. Otherwise the events belong in the spool.
	Refused bool `json:"refused,omitempty"`
	// Paused is true if the events were refused because a person has paused the recording, which is no failure.
	Paused bool `json:"paused,omitempty"`
	// Text is the requested answer; empty if there is none, or another caller got it.
	Text string `json:"text,omitempty"`
	// To is the receiver of Text.
	To string `json:"to,omitempty"`
}

// StatusReply is the owner's report about itself. Events to Deleted are the members of journal.Stats.
type StatusReply struct {
	Wire    int    `json:"wire"`
	PID     int    `json:"pid"`
	Since   int64  `json:"since"`   // start of the owner, in ns since 1970 UTC
	Version string `json:"version"` // of the owner's program
	Events  uint64 `json:"events"`
	First   uint64 `json:"first"`
	Last    uint64 `json:"last"`
	Bytes   uint64 `json:"bytes"`
	Deleted int    `json:"deleted"`
	Spooled int    `json:"spooled"` // files in the spool
	Aside   int    `json:"aside"`   // files set aside from the spool
	// Archived is the newest sequence in the archive.
	Archived uint64 `json:"archived"`
	Problem  string `json:"problem,omitempty"` // for a person; empty: none
}

// Foreign is a request in JSON, for appenders without msgpack. It has one event.
type Foreign struct {
	ID      string          `json:"id,omitempty"` // UUID; empty: derived from the name of a spool file, else new with each request
	Type    events.Type     `json:"type"`
	Data    json.RawMessage `json:"data,omitempty"`
	At      int64           `json:"at,omitempty"` // ns since 1970 UTC
	Agent   string          `json:"agent,omitempty"`
	Session string          `json:"session,omitempty"`
	Lane    string          `json:"lane,omitempty"`
	Project string          `json:"project,omitempty"` // key of the project; empty: that of Root
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

// Decode decodes the bytes of Encode into v. It first calls events.Check, because the bytes may be hostile.
func Decode(b []byte, v any) error {
	if err := events.Check(b); err != nil {
		return err
	}
	if err := events.Unmarshal(b, v); err != nil {
		return fmt.Errorf("decode %T: %w", v, err)
	}
	return nil
}

// ErrNewer is returned for a request of a later version than this program knows.
var ErrNewer = errors.New("request of a newer version")

// DecodeRequest decodes a request in msgpack.
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

// DecodeForeign decodes a request in JSON. It refuses unknown fields, because a misspelt one would be lost silently.
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

// IsJSON reports whether a request is in JSON rather than msgpack: no request in msgpack begins with a brace.
func IsJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 0 && b[0] == '{'
}

// File is a file that a hook observed: an encoded file.observed event without the fields that are derived from the file's text,
// and the text, redacted.
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
	// longText is the length from which a text is compressed, in bytes: a hook sends a shorter text faster than it compresses it.
	longText = 64 << 10
	// maxText bounds the result of Unpack, in bytes: files are at most 1 MiB, but marks may be longer than the secrets they replace.
	maxText = 4 << 20
)

// Pack returns s as a Text.
func Pack(s string) Text {
	if len(s) < longText {
		return Text{Plain: s}
	}
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed) // the only error is that of an invalid level
	_, _ = io.WriteString(w, s)                  // no error: the buffer grows
	_ = w.Close()
	return Text{Deflated: b.Bytes()}
}

// Size returns the number of bytes that the text takes in a request.
func (t Text) Size() int { return len(t.Plain) + len(t.Deflated) }

// Unpack returns the text. The error is events.ErrMalformed if the text does not decompress, or is longer than maxText.
func (t Text) Unpack() (string, error) {
	if len(t.Deflated) == 0 {
		return t.Plain, nil
	}
	b, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(t.Deflated)), maxText+1))
	if err != nil {
		return "", fmt.Errorf("%w: text of a file: %v", events.ErrMalformed, err)
	}
	if len(b) > maxText {
		return "", fmt.Errorf("%w: text of a file: more than %d bytes", events.ErrMalformed, maxText)
	}
	return string(b), nil
}
