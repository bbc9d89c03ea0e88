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

// maxParsing bounds the time for parsing one text. Notes of 480 KiB take 5 ms, but one line of a
// malicious text can take minutes.
const maxParsing = 250 * time.Millisecond

// Gaps: the reasons for which there are no sections.
const (
	gapMalformed = "malformed"
	gapTime      = "out of time"
)

// Complete returns the encoded event of a file that a hook observed, with the fields that Read derives from the file's
// text. If the text cannot be unpacked, or the event cannot be encoded with these fields, the event has a gap instead. The
// error is events.ErrMalformed for anything but the observation of a file.
func Complete(f wire.File) (events.Raw, error) {
	found, meta, err := open(f.Event)
	if err != nil {
		return nil, err
	}
	if found.Gap != "" || found.Gone {
		return f.Event, nil // there is no content to read
	}
	if content, err := f.Text.Unpack(); err == nil {
		Read(&found, content)
		if whole, err := encode(found, meta); err == nil {
			return whole, nil
		}
	}
	dropContent(&found, gapMalformed)
	return encode(found, meta)
}

// WithoutContent returns an event of Complete with a gap in place of its content.
func WithoutContent(completed events.Raw) (events.Raw, error) {
	found, meta, err := open(completed)
	if err != nil {
		return nil, err
	}
	dropContent(&found, gapMalformed)
	return encode(found, meta)
}

// dropContent replaces the content of an observation by the reason for which it is missing.
func dropContent(found *events.FileObserved, gap string) {
	found.Labels, found.Entries, found.Text, found.Gap = nil, nil, "", gap
}

// open decodes the event of an observed file. The error is events.ErrMalformed for another event.
func open(b events.Raw) (found events.FileObserved, meta events.Meta, err error) {
	e, err := events.Decode(b, 0)
	if err != nil {
		return found, meta, err
	}
	ev, err := events.Open(e)
	if err != nil {
		return found, meta, err
	}
	found, ok := ev.(events.FileObserved)
	if !ok {
		err = fmt.Errorf("%w: %s is no observation of a file", events.ErrMalformed, e.Type)
	}
	return found, e.Meta, err
}

// encode encodes the event of an observed file.
func encode(found events.FileObserved, meta events.Meta) (events.Raw, error) {
	e, err := events.Wrap(found, meta)
	if err != nil {
		return nil, err
	}
	return events.Encode(e)
}

// Read sets the fields of an observation that are derived from the content of its file, by the file's kind. If the parser
// panics or takes longer than maxParsing, the observation has a gap instead.
func Read(found *events.FileObserved, content string) {
	readUntil(found, content, time.Now().Add(maxParsing))
}

// openBox matches a line with a box that is not ticked.
var openBox = text.Pattern(`(?m)^\s*[-*+] \[ \] `)

// readUntil implements Read. The parser must end before a time.
func readUntil(found *events.FileObserved, content string, until time.Time) {
	defer func() {
		switch recover() {
		case nil:
		case gapTime:
			dropContent(found, gapTime)
		default:
			dropContent(found, gapMalformed)
		}
	}()
	switch found.Kind {
	case events.CompoundFile:
		found.Labels, found.Gap = Members(content, "timestamp", "promotedCount") // folds read no others
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
		found.Labels, found.Entries = nil, nil // these kinds have no sections
	}
	if found.Kind != events.SkillFile {
		for i := range found.Entries {
			found.Entries[i].Heads = nil // no fold reads them, and the text holds them
		}
	}
	if found.Kind == events.SkillFile || found.Kind == events.MemoryFile {
		if whole := trimRight(content); len(whole) <= maxText {
			found.Text = whole
		}
	}
	fit(found)
}

// limitedReader ends the parsing of its text at the time until: the parser calls PeekLine at each step.
type limitedReader struct {
	md.Reader
	until time.Time
	steps int
}

// PeekLine implements md.Reader. After the time until it panics with gapTime: the parser cannot be stopped otherwise.
func (r *limitedReader) PeekLine() ([]byte, md.Segment) {
	if r.steps++; r.steps%256 == 0 && time.Now().After(r.until) {
		panic(gapTime)
	}
	return r.Reader.PeekLine()
}
