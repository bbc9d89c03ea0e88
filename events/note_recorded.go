package events

import "errors"

// NoteRecorded says that something was noted that is not a decision: a Flow entry without a file.
type NoteRecorded struct {
	Text    string `json:"text"`
	Heading string `json:"heading,omitempty"`
}

func (NoteRecorded) event() {}

func (n NoteRecorded) validate() error {
	if n.Text == "" {
		return errors.New("text is required")
	}
	return nil
}

var _ = declare("note.recorded", "a working note", lasting[NoteRecorded](), appendable[NoteRecorded]())
