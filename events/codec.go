package events

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/vmihailenco/msgpack/v5"
)

// Encode gives the bytes of an envelope as they are stored: one msgpack map.
// The error is ErrTooLarge over MaxBytes.
func Encode(e Envelope) ([]byte, error) {
	if e.Body == nil {
		e.Body = emptyMap
	}
	b, err := marshal(e)
	if err != nil {
		return nil, wrapf(err, "encode envelope of %s", e.Type)
	}
	if len(b) > MaxBytes {
		return nil, wrapf(ErrTooLarge, "%s of %d bytes", e.Type, len(b))
	}
	return b, nil
}

// Decode reads the bytes of an envelope after Check. What it does not know is
// skipped; the event itself stays encoded in Body, and a body that is not there
// is an empty one. seq is the place in the log that the bytes came from, 0 when
// they came from elsewhere. Body and More are parts of b, which nobody may write
// into any more. The error is ErrMalformed.
func Decode(b []byte, seq uint64) (Envelope, error) {
	e, ok := readEnvelope(b)
	if !ok {
		var err error
		if e, err = decodeAny(b); err != nil {
			return Envelope{}, err
		}
	}
	e.Seq = seq
	return e, nil
}

// decodeAny is Decode for envelopes in any valid encoding; for bytes that are not an envelope its error says why.
func decodeAny(b []byte) (Envelope, error) {
	var e Envelope
	if err := Check(b); err != nil {
		return e, err
	}
	// The decoder also takes a list of as many values as there are fields now:
	// with the next field such bytes could not be read any more.
	if !isMap(b) {
		return e, wrapf(ErrMalformed, "envelope is not a map")
	}
	if err := unmarshal(b, &e); err != nil {
		return Envelope{}, wrapf(ErrMalformed, "envelope: %v", err)
	}
	if e.ID == "" || e.Type == "" || e.Version < 1 || e.TypeVer < 1 {
		return Envelope{}, wrapf(ErrMalformed, "envelope without id, type or version")
	}
	if e.Body == nil {
		e.Body = emptyMap
	}
	if !isMap(e.Body) {
		return Envelope{}, wrapf(ErrMalformed, "body of %s is not a map", e.Type)
	}
	return e, nil
}

// emptyMap stands for a body that says nothing. Nobody writes into a Raw.
var emptyMap = Raw{0x80}

// Open gives the event in an envelope that Decode or Wrap gave, brought up to
// its current shape. An undeclared type or a version from the future is an
// Unknown, not an error. The error is for a declared type whose bytes do not fit,
// and names type, version and seq.
func Open(e Envelope) (Event, error) {
	d, ok := declared[e.Type]
	if !ok || e.TypeVer < 1 || e.TypeVer > d.version {
		return Unknown{Type: e.Type, Version: e.TypeVer, Raw: e.Body}, nil
	}
	ev, err := d.readers[e.TypeVer-1](e.Body)
	if err != nil {
		return nil, wrapf(ErrMalformed, "%s version %d at seq %d: %v", e.Type, e.TypeVer, e.Seq, err)
	}
	return ev, nil
}

// The field names of events are those of their JSON form, so that one tag names
// a field everywhere.
const fieldTag = "json"

func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := msgpack.GetEncoder()
	defer msgpack.PutEncoder(enc)
	enc.Reset(&buf)
	enc.SetCustomStructTag(fieldTag)
	enc.UseCompactInts(true)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// unmarshal decodes exactly one value. The caller has run Check.
func unmarshal(b []byte, v any) error {
	dec := msgpack.GetDecoder()
	defer msgpack.PutDecoder(dec)
	r := bytes.NewReader(b)
	dec.Reset(r)
	dec.SetCustomStructTag(fieldTag)
	if err := dec.Decode(v); err != nil {
		if err == io.EOF {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	return nil
}

var (
	// ErrTooLarge is returned for an event whose bytes exceed MaxBytes. The
	// caller has to cut its texts; nothing was encoded.
	ErrTooLarge = errors.New("event is too large")

	// ErrMalformed is returned for bytes that are not one well-formed, bounded
	// msgpack value of the expected shape. Retrying is useless.
	ErrMalformed = errors.New("malformed event")

	// ErrUndeclared is returned where an event type is needed that this program
	// declares and the name is not one. `journal events` lists them.
	ErrUndeclared = errors.New("undeclared event type")

	// ErrNotAppendable is returned for types that only the journal itself may
	// append, such as the record of an answer (ADR-0030 rule 4).
	ErrNotAppendable = errors.New("event type is not for appenders")
)

func wrapf(err error, format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
