package sections

import (
	"fmt"
	"strings"
	"time"

	md "github.com/yuin/goldmark/text"

	"journal/events"
	"journal/events/text"
	"journal/journal/wire"
)

// maxParsing bounds the parsing of one text. Notes of 480 KiB take 5 ms, but one line of a
// malicious text can take minutes.
const maxParsing = 250 * time.Millisecond

// The gaps: reasons why there are no sections.
const (
	gapMalformed = "malformed"
	gapTime      = "out of time"
)

// Complete returns the encoded event of a file that a hook observed, with the fields that are derived from the file's
// text. A text that cannot be unpacked, or that no event can hold, becomes a gap. The error is events.ErrMalformed for
// anything but the observation of a file.
func Complete(f wire.File) (events.Raw, error) {
	found, about, err := open(f.Event)
	if err != nil {
		return nil, err
	}
	if found.Gap != "" || found.Gone {
		return f.Event, nil // it has no content, and its gap has the reason
	}
	if content, err := f.Text.Unpack(); err == nil {
		Read(&found, content)
		if whole, err := encode(found, about); err == nil {
			return whole, nil
		}
	}
	dropContent(&found, gapMalformed)
	return encode(found, about)
}

// WithoutContent returns the encoded event of an observed file without the fields that Complete adds.
func WithoutContent(whole events.Raw) (events.Raw, error) {
	found, about, err := open(whole)
	if err != nil {
		return nil, err
	}
	dropContent(&found, gapMalformed)
	return encode(found, about)
}

// dropContent replaces a file's content by the reason why it is missing.
func dropContent(found *events.FileObserved, gap string) {
	found.Labels, found.Entries, found.Text, found.Gap = nil, nil, "", gap
}

func open(b events.Raw) (found events.FileObserved, about events.Meta, err error) {
	e, err := events.Decode(b, 0)
	if err != nil {
		return found, about, err
	}
	ev, err := events.Open(e)
	if err != nil {
		return found, about, err
	}
	found, ok := ev.(events.FileObserved)
	if !ok {
		err = fmt.Errorf("%w: %s is no observation of a file", events.ErrMalformed, e.Type)
	}
	return found, e.Meta, err
}

func encode(found events.FileObserved, about events.Meta) (events.Raw, error) {
	e, err := events.Wrap(found, about)
	if err != nil {
		return nil, err
	}
	return events.Encode(e)
}

// Read adds the fields to an observation that are derived from the text of its file, by its kind. If the parser panics
// or takes too long, only this file is lost.
func Read(found *events.FileObserved, content string) {
	read(found, content, time.Now().Add(maxParsing))
}

// openBox matches a line with a box that is not ticked.
var openBox = text.Pattern(`(?m)^\s*[-*+] \[ \] `)

func read(found *events.FileObserved, content string, until time.Time) {
	defer func() {
		switch recover() {
		case nil:
		case tooLong:
			dropContent(found, gapTime)
		default:
			dropContent(found, gapMalformed)
		}
	}()
	switch found.Kind {
	case events.CompoundFile:
		found.Labels, found.Gap = Members(content, "timestamp", "promotedCount") // which folds read
		return
	case events.CompileFile:
		found.Labels, found.Gap = Members(content)
		fit(found)
		return
	}
	content = strings.TrimPrefix(content, "\ufeff")
	found.Labels, found.Entries = sections(content, headings(&limitedReader{Reader: md.NewReader([]byte(content)), until: until}))
	found.Open = len(openBox().FindAllStringIndex(content, -1))
	if found.Kind == events.OtherFile || found.Kind == events.MemoryFile {
		found.Labels, found.Entries = nil, nil
	}
	if found.Kind != events.SkillFile {
		for i := range found.Entries {
			found.Entries[i].Heads = nil // no fold reads them, and the text holds them
		}
	}
	if text := trimmed(content); (found.Kind == events.SkillFile || found.Kind == events.MemoryFile) && len(text) <= maxText {
		found.Text = text
	}
	fit(found)
}

// limitedReader ends the parsing of a text in time: it is asked for a line at each step of
// the parser.
type limitedReader struct {
	md.Reader
	until time.Time
	steps int
}

// tooLong is the panic that ends parsing; the parser has no other way to stop.
const tooLong = "out of time"

func (r *limitedReader) PeekLine() ([]byte, md.Segment) {
	if r.steps++; r.steps%256 == 0 && time.Now().After(r.until) {
		panic(tooLong)
	}
	return r.Reader.PeekLine()
}
