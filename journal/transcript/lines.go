package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"journal/journal/payload"
	"journal/journal/redact"
)

// wholeRow is the length up to which a row is read as it is. Real ones have up to
// 63 KB (CLIENTS part 1 section 5), with images some megabytes; a longer one is
// shortened while it is read.
const wholeRow = 1 << 20

// rowLimits keep of a long row what the dialect keeps of a hook: texts of a
// person or the model whole, file bodies not at all.
var rowLimits = payload.Limits{
	Whole: func(path string) bool {
		switch path {
		case "message.content", "message.content[].text", "message.content[].input.todos[].content",
			"message.content[].input.prompt", "message.content[].input.plan", "attachment.prompt":
			return true
		}
		return false
	},
	Drop: func(path string) bool {
		switch path {
		case "toolUseResult.originalFile", "toolUseResult.file.content", "toolUseResult.file.base64",
			"toolUseResult.structuredPatch", "message.content[].source", "snapshot":
			return true
		}
		return false
	},
}

// lines gives the rows of a transcript in memory that a row's length does not
// raise.
type lines struct {
	in   *bufio.Reader
	buf  []byte
	read func(int64) // told of bytes
}

func newLines(r io.Reader, read func(int64)) *lines {
	return &lines{in: bufio.NewReaderSize(r, 256<<10), read: read}
}

// next gives the next row without its end, valid until the next call, and io.EOF
// behind the last.
func (l *lines) next() ([]byte, error) {
	part, err := l.in.ReadSlice('\n')
	if err == nil || errors.Is(err, io.EOF) { // the usual row lies in the buffer
		l.read(int64(len(part)))
		return l.ended(part, err)
	}
	l.buf = l.buf[:0]
	for {
		l.buf = append(l.buf, part...)
		l.read(int64(len(part)))
		switch {
		case !errors.Is(err, bufio.ErrBufferFull):
			return l.ended(l.buf, err)
		case len(l.buf) > wholeRow:
			return l.long()
		}
		part, err = l.in.ReadSlice('\n')
	}
}

func (l *lines) ended(row []byte, err error) ([]byte, error) {
	row = bytes.TrimSpace(row)
	if len(row) > 0 && errors.Is(err, io.EOF) {
		err = nil // the next call says it
	}
	return row, err
}

// long gives what is kept of a row of any length; what is broken beyond its
// beginning comes out cut, as it is.
func (l *lines) long() ([]byte, error) {
	rest := &restOfLine{lines: l}
	v, broken := payload.Read(io.MultiReader(bytes.NewReader(l.buf), rest), rowLimits)
	if err := rest.drain(); err != nil {
		return nil, err
	}
	if broken != nil {
		return l.buf[:min(64, len(l.buf))], nil
	}
	return v.Clean(redact.Text).JSON(), nil
}

// restOfLine reads up to the end of the line.
type restOfLine struct {
	lines *lines
	part  []byte
	err   error
}

func (r *restOfLine) Read(b []byte) (int, error) {
	for len(r.part) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		part, err := r.lines.in.ReadSlice('\n')
		r.lines.read(int64(len(part)))
		r.part = part
		switch {
		case err == nil:
			r.err = io.EOF
		case !errors.Is(err, bufio.ErrBufferFull):
			r.err = err
		}
	}
	n := copy(b, r.part)
	r.part = r.part[n:]
	return n, nil
}

// drain reads the rest, so that the next row begins where it begins.
func (r *restOfLine) drain() error {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	return nil
}
