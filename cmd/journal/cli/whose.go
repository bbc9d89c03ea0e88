package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
)

// Encoder writes documents, each on a line, and says in each whose it is when it is read from a
// colleague's log.
type Encoder struct {
	whose []byte // an object with the members that say it; empty: this log's
	out   io.Writer
	buf   *bytes.Buffer
}

// EncoderTo returns an encoder of what the log that is read says.
func (t *Terminal) EncoderTo(w io.Writer) Encoder { return Encoder{t.At.whose(), w, &bytes.Buffer{}} }

// Encode writes one document.
func (e Encoder) Encode(v any) error {
	e.buf.Reset()
	if err := jsonTo(e.buf).Encode(v); err != nil {
		return err
	}
	if len(e.whose) == 0 {
		_, err := e.out.Write(e.buf.Bytes())
		return err
	}
	_, err := e.out.Write(append(withMembers(e.whose, e.buf.Bytes()), '\n'))
	return err
}

// whose is an object that says whose copy is read, empty for this log.
func (p *Place) whose() []byte {
	if p == nil {
		return nil
	}
	b, _ := json.Marshal(struct { // two names cannot fail
		Member string `json:"member"`
		Device string `json:"device"`
	}{p.Member, p.Device.Device})
	return b
}

// withMembers puts the members of an object before those of another one. What is no object stays.
func withMembers(first, doc []byte) []byte {
	doc = bytes.TrimSpace(doc)
	switch {
	case len(doc) < 2 || doc[0] != '{':
		return slices.Clone(doc)
	case doc[1] == '}':
		return slices.Clone(first)
	}
	return slices.Concat(first[:len(first)-1], []byte(","), doc[1:])
}

// printOf returns a document of a colleague's log with whose it is; a list waits for those of the others.
func (t *Terminal) printOf(v any) (doc any, later bool, err error) {
	var b bytes.Buffer
	if err := jsonTo(&b).Encode(v); err != nil {
		return nil, false, err
	}
	whose := t.At.whose()
	var items []json.RawMessage
	if json.Unmarshal(b.Bytes(), &items) != nil {
		return json.RawMessage(withMembers(whose, b.Bytes())), false, nil
	}
	for _, item := range items {
		t.collected = append(t.collected, withMembers(whose, item))
	}
	t.collecting = true
	return nil, true, nil
}

// PrintLists prints the list that the places have together, if there is one.
func (t *Terminal) PrintLists() error {
	if !t.collecting {
		return nil
	}
	return t.PrintJSON(append([]json.RawMessage{}, t.collected...))
}
