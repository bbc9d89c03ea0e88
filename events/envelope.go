package events

import (
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
	PayloadKey = "p" // a digest of all that the hook said: equal keys can be two facts
)

// None replaces an unknown name: the session of a hook without session_id, the project of an event outside of projects.
const None = "none"

// Meta says who reported an event, when and about what: everything in an envelope but the event itself. Times are
// nanoseconds since 1970 UTC by the reporter's clock; they inform and never order (ADR-0021).
type Meta struct {
	Version int    `json:"v"`
	ID      string `json:"id"`              // UUIDv7 made by the reporter, the NATS message id (ADR-0002 rule 1)
	Type    Type   `json:"type"`            // stored name of the event
	TypeVer int    `json:"tv"`              // version of the event's shape, from 1
	At      int64  `json:"at"`              // reporter's own time, ns since 1970 UTC
	Agent   string `json:"agent,omitempty"` // claude, codex, gemini, opencode; empty for a person or a script
	Session string `json:"session"`         // the agent's session id, or None
	Lane    string `json:"lane,omitempty"`  // subagent id; empty is the main thread
	Project string `json:"project"`         // project key (ADR-0015 rule 4), or None
	Turn    string `json:"turn,omitempty"`  // prompt_id, turn_id: correlates, never identifies (ADR-0002 rule 2)
	PID     int    `json:"pid,omitempty"`   // the agent's process id, for linking sessions (ADR-0020)
	Cause   string `json:"cause,omitempty"` // ID of the report's first event, on the others
	N       int    `json:"n,omitempty"`     // position within the report, from 0
	Key     string `json:"key,omitempty"`   // occurrence key: equal for two reports of one fact (ADR-0002 rule 3)
	EchoOf  uint64 `json:"echo_of,omitempty"`
	Rules   int    `json:"rules,omitempty"` // version of the redaction rules that the texts went through; 0 is none

	// Seq is the position in the log. It is not stored in the bytes; the log sets it on reading. 0 means not yet
	// appended.
	Seq uint64 `json:"-"`
}

// Time returns the reporter's own time in UTC.
func (m Meta) Time() time.Time { return time.Unix(0, m.At).UTC() }

// Envelope is one event as stored.
type Envelope struct {
	Meta
	// Body is the event in msgpack, as stored. Hash and compare these bytes, never a re-encoding: map order is not
	// stable.
	Body Raw `json:"body"`
	// More is what the hook said beyond the event's fields: JSON as received, but bounded and redacted. No fold reads
	// it now; a later version may.
	More []byte `json:"more,omitempty"`
}

// Wrap returns the envelope of an event, from what is known about its report. It sets Version, Type, TypeVer and Body,
// and ID, Session and Project if empty. The error names the type; it is ErrTooLarge for an event over MaxBytes.
func Wrap(e Event, about Meta) (Envelope, error) {
	d, err := declarationOf(e)
	if err != nil {
		return Envelope{}, err
	}
	body, err := marshal(e)
	if err != nil {
		return Envelope{}, wrapf(err, "encode %s", d.name)
	}
	about.Version, about.Type, about.TypeVer = EnvelopeVersion, d.name, d.version
	if about.ID == "" {
		about.ID = NewID()
	}
	if about.Session == "" {
		about.Session = None
	}
	if about.Project == "" {
		about.Project = None
	}
	env := Envelope{Meta: about, Body: body}
	if len(body) > MaxBytes {
		return Envelope{}, wrapf(ErrTooLarge, "%s of %d bytes", d.name, len(body))
	}
	return env, nil
}

// NewID returns a new event id: a UUIDv7.
func NewID() string {
	id, err := uuid.NewV7()
	if err != nil {
		// Only a broken random source leads here, and it would fail a v4 too: use the time.
		return uuid.NewSHA1(uuid.Nil, []byte(time.Now().String())).String()
	}
	return id.String()
}

// FurtherID derives the id of an event that is reported together with a first one. Equal ids and words always give the
// same result, different ones never do. It has the time of the first id, and Derived does not recognise it.
func FurtherID(first string, words ...string) string {
	of, err := uuid.Parse(first)
	if err != nil {
		return DerivedID(append([]string{first}, words...)...)
	}
	id := uuid.MustParse(DerivedID(append([]string{first}, words...)...))
	copy(id[:6], of[:6])
	id[6] = id[6]&0x0f | 0x70
	return id.String()
}

// DerivedID derives an id from words. Everybody gets the same id from the same words, and from no others. Answers are
// claimed by events with such ids: of two askers, one wins (ADR-0006).
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

// readEnvelope reads an envelope as Encode writes it, in one pass that checks and decodes; Body and More share b.
// Anything unexpected gives ok false: Check and the general decoder then explain errors, and read other programs'
// encodings.
func readEnvelope(b []byte) (e Envelope, ok bool) {
	pairs, i, ok := members(b, 0)
	if !ok {
		return e, false
	}
	var t textExtents
	for range pairs {
		var name []byte
		if name, i, ok = textAt(b, i); !ok {
			return e, false
		}
		f := fieldOf(name)
		if f == otherField {
			var err error
			if i, err = skip(b, i, maxDepth-1); err != nil {
				return e, false
			}
			continue
		}
		if i, ok = e.readField(f, b, i, &t); !ok {
			return e, false
		}
	}
	if i != len(b) {
		return e, false
	}
	t.into(b, &e.Meta)
	if e.Body == nil {
		e.Body = emptyMap
	}
	return e, e.ID != "" && e.Type != "" && e.Version >= 1 && e.TypeVer >= 1
}

// readField reads the value of a field at b[i].
func (e *Envelope) readField(f field, b []byte, i int, t *textExtents) (next int, ok bool) {
	switch {
	case f < textFields:
		var text []byte
		text, next, ok = textAt(b, i)
		t[f] = extent{next - len(text), next}
		return next, ok
	case f == bodyField:
		if i >= len(b) || familyOf(b[i]) != object {
			return 0, false
		}
		next, err := skip(b, i, maxDepth-1)
		if err == nil {
			e.Body = b[i:next:next]
		}
		return next, err == nil
	case f == moreField:
		e.More, next, ok = contentAt(b, i, bin)
		return next, ok && len(e.More) > 0
	}
	n, next, ok := integerAt(b, i)
	switch f {
	case versionField:
		e.Version = int(n)
	case typeVerField:
		e.TypeVer = int(n)
	case atField:
		e.At = n
	case pidField:
		e.PID = int(n)
	case nField:
		e.N = int(n)
	case rulesField:
		e.Rules = int(n)
	case echoField:
		e.EchoOf = uint64(n)
		ok = ok && n >= 0
	}
	return next, ok
}

// field is a field of the envelope; text fields come first.
type field uint8

const (
	idField field = iota
	typeField
	agentField
	sessionField
	laneField
	projectField
	turnField
	causeField
	keyField
	textFields // their number

	versionField = textFields + iota
	typeVerField
	atField
	pidField
	nField
	echoField
	rulesField
	bodyField
	moreField
	otherField // added by a later program
)

func fieldOf(name []byte) field {
	switch string(name) {
	case "v":
		return versionField
	case "id":
		return idField
	case "type":
		return typeField
	case "tv":
		return typeVerField
	case "at":
		return atField
	case "agent":
		return agentField
	case "session":
		return sessionField
	case "lane":
		return laneField
	case "project":
		return projectField
	case "turn":
		return turnField
	case "pid":
		return pidField
	case "cause":
		return causeField
	case "n":
		return nField
	case "key":
		return keyField
	case "echo_of":
		return echoField
	case "rules":
		return rulesField
	case "body":
		return bodyField
	case "more":
		return moreField
	}
	return otherField
}

// textExtents is where the text fields are in the bytes.
type textExtents [textFields]extent

type extent struct{ from, to int }

// oneCopy is the size up to which all texts of an envelope are copied as one piece, with the bytes between them: one
// allocation instead of nine. Encode writes the texts next to each other.
const oneCopy = 512

// into sets the text fields of m.
func (t *textExtents) into(b []byte, m *Meta) {
	first, last := len(b), 0
	for _, x := range t {
		if x.to > x.from {
			first, last = min(first, x.from), max(last, x.to)
		}
	}
	get := func(f field) string { return string(b[t[f].from:t[f].to]) }
	if last-first <= oneCopy && first < last {
		all := string(b[first:last])
		get = func(f field) string {
			x := t[f]
			if x.to == x.from {
				return ""
			}
			return all[x.from-first : x.to-first]
		}
	}
	m.ID, m.Type, m.Agent = get(idField), Type(get(typeField)), get(agentField)
	m.Session, m.Lane, m.Project = get(sessionField), get(laneField), get(projectField)
	m.Turn, m.Cause, m.Key = get(turnField), get(causeField), get(keyField)
}
