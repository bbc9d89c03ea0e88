package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
)

// Encoder writes JSON documents. To those from a colleague's log it adds the names of member and device.
type Encoder struct {
	*json.Encoder
	source []byte // a JSON object with these names; empty for this log
}

// EncoderTo returns an encoder that writes to w, each document on a line. The documents must be from the log that is being read.
func (t *Terminal) EncoderTo(w io.Writer) Encoder { return Encoder{jsonTo(w), t.Copy.sourceMembers()} }

// Encode writes one document.
func (e Encoder) Encode(v any) error {
	if len(e.source) == 0 {
		return e.Encoder.Encode(v)
	}
	var b bytes.Buffer
	if err := jsonTo(&b).Encode(v); err != nil {
		return err
	}
	return e.Encoder.Encode(withMembers(e.source, b.Bytes()))
}

// jsonTo returns an encoder of one document per line.
func jsonTo(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
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

// withMembers returns the JSON object doc with the members of the object source before its own. If doc is no object, it is
// returned unchanged.
func withMembers(source, doc []byte) json.RawMessage {
	switch {
	case doc[0] != '{':
		return doc
	case doc[1] == '}':
		return source
	}
	return slices.Concat(source[:len(source)-1], []byte(","), doc[1:])
}

// collectList keeps the items of a list from a colleague's log, with the names of member and device, for PrintLists. isList is
// false for any other document.
func (t *Terminal) collectList(v any) (isList bool, err error) {
	var b bytes.Buffer
	if err := jsonTo(&b).Encode(v); err != nil {
		return false, err
	}
	var items []json.RawMessage
	if json.Unmarshal(b.Bytes(), &items) != nil {
		return false, nil
	}
	if t.collected == nil {
		t.collected = []json.RawMessage{}
	}
	for _, item := range items {
		t.collected = append(t.collected, withMembers(t.Copy.sourceMembers(), item))
	}
	return true, nil
}

// PrintLists prints as one list the items that collectList kept from all colleagues' logs. If there was no list, it prints
// nothing.
func (t *Terminal) PrintLists() error {
	if t.collected == nil {
		return nil
	}
	return t.PrintJSON(t.collected)
}
