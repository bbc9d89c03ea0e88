package wire

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"

	"journal/events"
)

// File is a file that a hook observed: an encoded file.observed without what follows
// from the file's text, and that text, redacted.
type File struct {
	Event events.Raw `json:"event"`
	Text  Text       `json:"text"`
}

// Text is a text, compressed when it is long. The zero value is the empty text.
type Text struct {
	Plain    string `json:"plain,omitempty"`
	Deflated []byte `json:"deflated,omitempty"`
}

const (
	// longText is from where on a text is compressed: below, a hook takes longer to
	// compress it than to send it.
	longText = 64 << 10
	// maxText bounds what Unpack gives: no file is longer than 1 MiB, and the marks of
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
		panic(err) // only for a level that there is not
	}
	// A buffer takes everything.
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return Text{Deflated: b.Bytes()}
}

// Size is how many bytes the text takes in a request.
func (t Text) Size() int { return len(t.Plain) + len(t.Deflated) }

// Unpack gives the text. The error is events.ErrMalformed for what Pack did not make.
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
