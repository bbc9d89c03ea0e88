package events

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/vmihailenco/msgpack/v5"
)

// Encode returns the stored form of an envelope: one msgpack map. It returns ErrTooLarge for more than MaxBytes.
func Encode(e Envelope) ([]byte, error) {
	if e.Body == nil {
		e.Body = emptyMap
	}
	b, err := Marshal(e)
	if err != nil {
		return nil, wrapf(err, "encode envelope of %s", e.Type)
	}
	if len(b) > MaxBytes {
		return nil, wrapf(ErrTooLarge, "%s of %d bytes", e.Type, len(b))
	}
	return b, nil
}

// Decode checks and reads the stored form of an envelope. It skips unknown fields. The event stays encoded in Body. A
// missing body becomes an empty one. seq is the sequence of the envelope in the log, 0 if it comes from elsewhere. Body and
// More may be parts of b, which the caller must not modify any more. The error is ErrMalformed.
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

// decodeAny decodes an envelope in any valid encoding. Its error contains the reason why b is no envelope.
func decodeAny(b []byte) (Envelope, error) {
	var e Envelope
	if err := Check(b); err != nil {
		return e, err
	}
	// The decoder would also accept a list with one value for each current field. After the next new field nobody could
	// read such bytes.
	if !isMap(b) {
		return e, wrapf(ErrMalformed, "envelope is not a map")
	}
	if err := Unmarshal(b, &e); err != nil {
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

// emptyMap is a body without fields. A Raw is never modified.
var emptyMap = Raw{0x80}

// Open returns the event in an envelope from Decode or Wrap, converted to its current shape. It returns an Unknown for an
// undeclared type or a future version. The error is ErrMalformed if the body does not fit the declared type; it names type,
// version and sequence.
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

// fieldTag is the struct tag with the name of a field. Fields have the same names in msgpack as in JSON.
const fieldTag = "json"

// Marshal encodes a value in msgpack. It is safe for concurrent use.
func Marshal(v any) ([]byte, error) {
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

// Unmarshal decodes one value of msgpack. The caller must have run Check.
func Unmarshal(b []byte, v any) error {
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
	// ErrTooLarge means that an encoded event exceeds MaxBytes. The caller has to cut its texts.
	ErrTooLarge = errors.New("event is too large")

	// ErrMalformed means that bytes are not one well-formed, bounded msgpack value of the expected shape. Retrying is
	// useless.
	ErrMalformed = errors.New("malformed event")

	// ErrUndeclared means that this program does not declare an event type. `journal events` lists the declared ones.
	ErrUndeclared = errors.New("undeclared event type")

	// ErrNotAppendable means that a person or a script may not append a type, such as the record of an answer (ADR-0030
	// rule 4).
	ErrNotAppendable = errors.New("event type is not for appenders")
)

// wrapf returns an error with the formatted text in front of err.
func wrapf(err error, format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
