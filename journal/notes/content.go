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

// maxFile bounds how much of one file is read: all of it or nothing (ADR-0007 rule 4).
// Notes of weeks take some ten kilobytes.
const maxFile = 1 << 20

// The gaps: reasons why the content of a file is missing.
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

// open reads one file. ok reports that the file need not be read again until it changes. Without content the
// observation has the reason.
func (w *Watcher) open(c candidate) (found File, content []byte, seen hint, ok bool) {
	found = seenAs(c)
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
	seen, ok = hintOf(c.kind, info, w.now())
	return found, content, seen, ok && found.Gap != gapBusy
}

// fill copies a file's content into its observation. The owner derives the rest from the text: a hook has no time to
// start a markdown parser.
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

// read returns the content of a file and how it looked when it was read. It follows
// links only below the candidate's base: a cloned project's link must not bring a
// private key into the log.
func read(c candidate) ([]byte, fs.FileInfo, string) {
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
		return nil, c.info, gapOutside
	}
	defer f.Close()
	// A second try, in case a writer was in the middle of it.
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
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, before, gapUnreadable
		}
		content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
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
