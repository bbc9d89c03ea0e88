package notes

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"unicode/utf8"

	"journal/events/text"
	"journal/journal/disk"
	"journal/journal/redact"
	"journal/journal/wire"
)

// maxFile bounds the size of the files that are read, in bytes (ADR-0007 rule 4). The notes of
// some weeks take about ten kilobytes.
const maxFile = 1 << 20

// The gaps of an observation: the reasons for which the content of a file is missing.
const (
	gapLarge      = "over 1 MiB"
	gapDense      = "over 480 KiB, however compressed"
	gapBinary     = "binary"
	gapIrregular  = "not a regular file"
	gapOutside    = "a link that leads elsewhere"
	gapUnreadable = "unreadable"
	gapBusy       = "being written"
	gapFiles      = "more than 20 changed files"
	gapTime       = "out of time"
)

// open reads one file. If there is no content, the observation has the reason as its gap. ok is true if the file need not
// be read again until it differs from the hint.
func (w *Watcher) open(c candidate) (found File, content []byte, h hint, ok bool) {
	found = fileOf(c)
	if c.err != nil {
		found.Gap = gapUnreadable
		return found, nil, hint{Kind: c.kind, Unreadable: true}, true
	}
	info := c.info
	switch {
	case !info.Mode().IsRegular():
		found.Gap = gapIrregular
	case info.Size() > maxFile:
		found.Gap = gapLarge
	default:
		content, info, found.Gap = read(c)
	}
	found.Size, found.Changed = info.Size(), info.ModTime().UnixNano()
	h, ok = hintOf(c.kind, info, w.now())
	return found, content, h, ok && found.Gap != gapBusy
}

// fill sets the text of an observation to a file's content, redacted, or its gap. The owner derives the rest from the
// text: a hook has no time to start a markdown parser.
func (f *File) fill(content []byte) {
	if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
		f.Gap = gapBinary
		return
	}
	clean := redact.Text(string(content))
	f.Digest = text.Digest(clean)[:16]
	if f.Text = wire.Pack(clean); f.Text.Size() > maxText {
		f.Text, f.Gap = wire.Text{}, gapDense
	}
}

// read returns the content of a file, and the file's size and time when it was read.
// Without content it returns the gap. It follows links only below the candidate's base:
// a link in a cloned project must not bring a private key into the log.
func read(c candidate) (content []byte, info fs.FileInfo, gap string) {
	base, err := disk.OpenRoot(c.base)
	if err != nil {
		return nil, c.info, gapUnreadable
	}
	defer base.Close()
	rel, err := filepath.Rel(c.base, c.path)
	if err != nil {
		return nil, c.info, gapUnreadable
	}
	f, err := base.OpenFile(rel, openFlags, 0)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			return nil, c.info, gapUnreadable
		}
		return nil, c.info, gapOutside // the error for it has no name
	}
	defer f.Close()
	// The second round is for a file that somebody was writing during the first.
	for range 2 {
		before, err := f.Stat()
		if err != nil {
			return nil, c.info, gapUnreadable
		}
		switch {
		case !before.Mode().IsRegular():
			return nil, before, gapIrregular
		case before.Size() > maxFile:
			return nil, before, gapLarge
		}
		content, err := io.ReadAll(io.NewSectionReader(f, 0, maxFile+1))
		if err != nil {
			return nil, before, gapUnreadable
		}
		after, err := f.Stat()
		if err == nil && after.Size() == int64(len(content)) && after.ModTime().Equal(before.ModTime()) {
			return content, after, ""
		}
	}
	return nil, c.info, gapBusy
}
