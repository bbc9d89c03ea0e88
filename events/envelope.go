package events

import (
	"cmp"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Type is the stored name of an event, chosen by hand: noun.past-participle ("command.ran"). It does not follow the Go
// type's name.
type Type string

// EnvelopeVersion is the version of the envelope's layout. Fields are only ever added; a reader skips unknown ones.
const EnvelopeVersion = 1

// MaxBytes bounds one encoded envelope. The server refuses payloads over 1 MiB; half of that leaves room for headers
// and growth (ADR-0014 rule 3).
const MaxBytes = 512 << 10

// An occurrence key begins with its basis.
const (
	ToolKey    = "t" // the agent's id of a tool call: equal keys are one fact
	PayloadKey = "p" // a digest of the hook's whole payload: equal keys can be two facts
)

// None replaces an unknown name: the session of a hook without session_id, the project of an event outside of projects.
const None = "none"

// Meta is everything in an envelope but the event itself: its reporter, time, session and project. Times are by the
// reporter's clock, and order nothing (ADR-0021).
type Meta struct {
	Version int    `json:"v"`
	ID      string `json:"id"`                // UUIDv7 made by the reporter, or an id of DerivedID; the NATS message id (ADR-0002 rule 1)
	Type    Type   `json:"type"`              // stored name of the event
	TypeVer int    `json:"tv"`                // version of the event's shape, from 1
	At      int64  `json:"at"`                // reporter's own time, ns since 1970 UTC
	Agent   string `json:"agent,omitempty"`   // claude, codex, copilot, cursor, gemini, opencode, pi, qwen; empty for a person or a script
	Session string `json:"session"`           // the agent's session id, or None
	Lane    string `json:"lane,omitempty"`    // subagent id; empty is the main lane
	Project string `json:"project"`           // project key (ADR-0015 rule 4), or None
	Turn    string `json:"turn,omitempty"`    // prompt_id, turn_id: correlates, never identifies (ADR-0002 rule 2)
	PID     int    `json:"pid,omitempty"`     // the agent's process id, for linking sessions (ADR-0020)
	Cause   string `json:"cause,omitempty"`   // ID of the report's first event, on the others
	N       int    `json:"n,omitempty"`       // position within the report, from 0
	Key     string `json:"key,omitempty"`     // occurrence key: equal for two reports of one fact (ADR-0002 rule 3)
	EchoOf  uint64 `json:"echo_of,omitempty"` // of an echo: the sequence of the first report; else 0
	Rules   int    `json:"rules,omitempty"`   // version of the rules by which the texts were redacted; 0 if they were not

	// Seq is the position in the log. It is not stored in the bytes; the log sets it on reading. 0 means not yet
	// appended.
	Seq uint64 `json:"-"`
}

// Time returns the reporter's own time in UTC.
func (m Meta) Time() time.Time { return time.Unix(0, m.At).UTC() }

// Envelope is one event as stored.
type Envelope struct {
	Meta
	// Body is the event in msgpack, as stored. Hash and compare this encoding: another one may order members differently.
	Body Raw `json:"body"`
	// More holds the parts of the hook's payload beyond the event's fields: JSON as received, but bounded and redacted.
	// No fold reads it now; a later version may.
	More []byte `json:"more,omitempty"`
}

// As returns the event of an envelope if it is an E. ok is false for every other type, for a future version, and for a body
// that Open refuses. `journal verify` reports such bodies.
func As[E Event](e Envelope) (ev E, ok bool) {
	if e.Type != TypeOf[E]() {
		return ev, false
	}
	opened, err := Open(e)
	if err != nil {
		return ev, false
	}
	ev, ok = opened.(E)
	return ev, ok
}

// With returns the envelope with another event in it. It returns the errors of Wrap.
func (e Envelope) With(ev Event) (Envelope, error) {
	changed, err := Wrap(ev, e.Meta)
	changed.More = e.More
	return changed, err
}

// Wrap returns the envelope of an event with the metadata of its report. It sets Version, Type, TypeVer and Body, and
// ID, Session and Project if empty. The error is ErrUndeclared, ErrTooLarge for a body over MaxBytes,
// or that of Marshal.
func Wrap(e Event, meta Meta) (Envelope, error) {
	d := byGoType[reflect.TypeOf(e)]
	if d == nil {
		return Envelope{}, wrapf(ErrUndeclared, "%T", e)
	}
	body, err := Marshal(e)
	if err != nil {
		return Envelope{}, wrapf(err, "encode %s", d.name)
	}
	if len(body) > MaxBytes {
		return Envelope{}, wrapf(ErrTooLarge, "%s of %d bytes", d.name, len(body))
	}
	meta.Version, meta.Type, meta.TypeVer = EnvelopeVersion, d.name, d.version
	meta.Session, meta.Project = cmp.Or(meta.Session, None), cmp.Or(meta.Project, None)
	if meta.ID == "" {
		meta.ID = NewID()
	}
	return Envelope{Meta: meta, Body: body}, nil
}

// NewID returns a new event id: a UUIDv7.
func NewID() string { return uuid.Must(uuid.NewV7()).String() } // NewV7 fails only if crypto/rand does, which never happens

// FurtherID derives the id of an event from the id of the first event of its report, and from words that distinguish the event
// from the report's other events. The same arguments have the same result. If first is a UUID, the result has the form of a UUIDv7
// and the first 48 bits of first, which are the time in a UUIDv7; else it is that of DerivedID.
func FurtherID(first string, words ...string) string {
	derived := DerivedID(append([]string{first}, words...)...)
	parent, err := uuid.Parse(first)
	if err != nil {
		return derived
	}
	id := uuid.MustParse(derived)
	copy(id[:6], parent[:6])
	id[6] = id[6]&0x0f | 0x70
	return id.String()
}

// DerivedID derives an id from words: the same id from the same words, another id from others. Answers are claimed by
// events with such ids: of two requesters, one wins (ADR-0006).
func DerivedID(words ...string) string {
	var b []byte
	for _, w := range words {
		b = append(b, wordEscaper.Replace(w)...)
		b = append(b, 0)
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, b).String()
}

// Derived reports whether an id comes from DerivedID: it is a UUID of version 5.
func Derived(id string) bool { return len(id) == 36 && id[14] == '5' }

// wordEscaper escapes the byte that ends a word: agents choose their session ids, and JSON can contain a NUL.
var wordEscaper = strings.NewReplacer("\x00", "\x01\x01", "\x01", "\x01\x02")

// Selector selects events by the fields that the log indexes. An empty field matches everything.
type Selector struct {
	Project string
	Session string
	Type    Type
}

// Of returns a selector of each type, with the project and session of s.
func (s Selector) Of(types ...Type) []Selector {
	all := make([]Selector, len(types))
	for i, t := range types {
		all[i] = Selector{Project: s.Project, Session: s.Session, Type: t}
	}
	return all
}

// Match reports whether the selector selects an event.
func (s Selector) Match(m Meta) bool {
	return (s.Project == "" || s.Project == m.Project) &&
		(s.Session == "" || s.Session == m.Session) &&
		(s.Type == "" || s.Type == m.Type)
}

// Span is a part of the log: the sequences after After, up to and including Until. Until 0 is the end of the log when
// reading begins.
type Span struct {
	After, Until uint64
}

// readEnvelope checks and decodes an envelope in the form that Encode writes, in one pass. Body and More share
// b. ok is false for anything else; decodeAny then reads other valid encodings, and explains errors.
func readEnvelope(b []byte) (e Envelope, ok bool) {
	pairs, i, ok := members(b, 0)
	if !ok {
		return e, false
	}
	var texts extents
	for range pairs {
		var name []byte
		if name, i, ok = contentAt(b, i, str); !ok {
			return e, false
		}
		if i, ok = e.readField(name, b, i, &texts); !ok {
			return e, false
		}
	}
	if i != len(b) {
		return e, false
	}
	e.setTexts(b, &texts)
	if e.Body == nil {
		e.Body = emptyMap
	}
	return e, e.ID != "" && e.Type != "" && e.Version >= 1 && e.TypeVer >= 1
}

// readField reads the value of a field at b[i], and returns the offset after it. It sets the field; for a text it only sets
// the extent in texts. It skips unknown fields, which a later program added.
func (e *Envelope) readField(name, b []byte, i int, texts *extents) (next int, ok bool) {
	for f := range textNames {
		if string(name) == textNames[f] {
			text, next, ok := contentAt(b, i, str)
			texts[f] = extent{next - len(text), next}
			return next, ok
		}
	}
	switch string(name) {
	case "v":
		return readInteger(b, i, &e.Version)
	case "tv":
		return readInteger(b, i, &e.TypeVer)
	case "at":
		return readInteger(b, i, &e.At)
	case "pid":
		return readInteger(b, i, &e.PID)
	case "n":
		return readInteger(b, i, &e.N)
	case "echo_of":
		next, ok = readInteger(b, i, &e.EchoOf)
		return next, ok && int64(e.EchoOf) >= 0
	case "rules":
		return readInteger(b, i, &e.Rules)
	case "more":
		e.More, next, ok = contentAt(b, i, bin)
		return next, ok && len(e.More) > 0
	}
	next, err := skip(b, i, maxDepth-1)
	if err == nil && string(name) == "body" {
		e.Body = b[i:next:next]
		return next, isMap(e.Body)
	}
	return next, err == nil
}

// textNames are the names of the envelope's texts, in the order of setTexts.
var textNames = [...]string{"id", "type", "agent", "session", "lane", "project", "turn", "cause", "key"}

// extents holds the range of each text in the encoded envelope, in the order of textNames.
type extents [len(textNames)]extent

type extent struct{ from, to int }

// maxShared is the size up to which all texts of an envelope share one copied string, with the bytes between them: one
// allocation instead of nine. Encode writes the texts next to each other.
const maxShared = 512

// setTexts sets the text fields to copies of their extents in b.
func (e *Envelope) setTexts(b []byte, texts *extents) {
	first, last := len(b), 0
	for _, x := range texts {
		if x.to > x.from {
			first, last = min(first, x.from), max(last, x.to)
		}
	}
	shared := ""
	if first < last && last-first <= maxShared {
		shared = string(b[first:last])
	}
	for f, field := range [...]*string{&e.ID, (*string)(&e.Type), &e.Agent, &e.Session, &e.Lane, &e.Project, &e.Turn, &e.Cause, &e.Key} {
		switch x := texts[f]; {
		case x.from == x.to:
		case shared != "":
			*field = shared[x.from-first : x.to-first]
		default:
			*field = string(b[x.from:x.to])
		}
	}
}
