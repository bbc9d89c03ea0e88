package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
)

// Encoder writes JSON documents, each on a line. To those from a colleague's log it adds the names of member and device.
type Encoder struct {
	source []byte // a JSON object with the names of member and device; empty for this log
	out    io.Writer
	buf    *bytes.Buffer
}

// EncoderTo returns an encoder that writes to w. The documents must be from the log that is being read.
func (t *Terminal) EncoderTo(w io.Writer) Encoder {
	return Encoder{t.Copy.sourceMembers(), w, &bytes.Buffer{}}
}

// Encode writes one document.
func (e Encoder) Encode(v any) error {
	e.buf.Reset()
	if err := jsonTo(e.buf).Encode(v); err != nil {
		return err
	}
	doc := e.buf.Bytes()
	if len(e.source) > 0 {
		doc = append(withMembers(e.source, doc), '\n')
	}
	_, err := e.out.Write(doc)
	return err
}

// sourceMembers returns a JSON object with the names of the member and device whose copy is read; empty for this log.
func (p *TeamCopy) sourceMembers() []byte {
	if p == nil {
		return nil
	}
	b, _ := json.Marshal(struct { // strings cannot fail
		Member string `json:"member"`
		Device string `json:"device"`
	}{p.Member, p.Device.Device})
	return b
}

// withMembers returns the JSON object doc with the members of another object, first, before its own. If doc is no object, it is
// returned without the white space around it.
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

// collectList returns a document from a colleague's log with the names of member and device. A list is not returned: its items
// are kept for PrintLists, and collected is true.
func (t *Terminal) collectList(v any) (doc any, collected bool, err error) {
	var b bytes.Buffer
	if err := jsonTo(&b).Encode(v); err != nil {
		return nil, false, err
	}
	source := t.Copy.sourceMembers()
	var items []json.RawMessage
	if json.Unmarshal(b.Bytes(), &items) != nil {
		return json.RawMessage(withMembers(source, b.Bytes())), false, nil
	}
	for _, item := range items {
		t.collected = append(t.collected, withMembers(source, item))
	}
	t.collecting = true
	return nil, true, nil
}

// PrintLists prints as one list the items that collectList kept from all colleagues' logs. If there was no list, it prints
// nothing.
func (t *Terminal) PrintLists() error {
	if !t.collecting {
		return nil
	}
	return t.PrintJSON(append([]json.RawMessage{}, t.collected...))
}
