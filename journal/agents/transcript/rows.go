package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// wholeRow is the length up to which a row is given as it is. Rows of transcripts
// usually have up to 63 KB, with images some megabytes; a longer one is shortened
// while it is read.
const wholeRow = 1 << 20

// maxRow is the length of which no row is: no string of JavaScript, in which most agents write, is longer.
const maxRow = 512 << 20

// ErrEndless is returned for a row of more than 512 MiB: a file of zeros, as a crash leaves them, may go on for ever.
const ErrEndless = Unfit("no transcript: a row of it has more than 512 MiB")

// Unfit is why nothing of a file is read, though a part of it could be.
type Unfit string

func (u Unfit) Error() string { return string(u) }

// Rows gives the rows of a file in memory that a row's length does not raise. It is
// not safe for concurrent use.
type Rows struct {
	in     *bufio.Reader
	limits payload.Limits
	buf    []byte
	read   func(int64)
}

// NewRows reads rows from r. limits say what is kept of a row over 1 MiB; read is
// told of bytes, and may be nil.
func NewRows(r io.Reader, limits payload.Limits, read func(int64)) *Rows {
	if read == nil {
		read = func(int64) {}
	}
	return &Rows{in: bufio.NewReaderSize(r, 256<<10), limits: limits, read: read}
}

// Each hands the rows to take, which keeps none of them, until it wants no more.
func (l *Rows) Each(take func(row []byte) (more bool)) error {
	for {
		switch row, err := l.Next(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !take(row):
			return nil
		}
	}
}

// Next gives the next row without its end, valid until the next call, and io.EOF
// after the last. Of a row that is long and no JSON it gives the beginning. The error is ErrEndless, or that of the
// reader.
func (l *Rows) Next() ([]byte, error) {
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

func (l *Rows) ended(row []byte, err error) ([]byte, error) {
	row = bytes.TrimSpace(row)
	if len(row) > 0 && errors.Is(err, io.EOF) {
		err = nil // the next call says it
	}
	return row, err
}

// long gives what is kept of a row of any length; what is broken beyond its
// beginning comes out cut, as it is.
func (l *Rows) long() ([]byte, error) {
	rest := &restOfRow{rows: l, left: maxRow - len(l.buf)}
	v, broken := payload.Read(io.MultiReader(bytes.NewReader(l.buf), rest), l.limits)
	if _, err := io.Copy(io.Discard, rest); err != nil { // the next row begins after it
		return nil, err
	}
	if broken != nil {
		return l.buf[:min(64, len(l.buf))], nil
	}
	return v.Clean(redact.Named).JSON(), nil
}

// restOfRow reads up to the end of the row.
type restOfRow struct {
	rows *Rows
	part []byte
	left int // bytes that the row may still have
	err  error
}

func (r *restOfRow) Read(b []byte) (int, error) {
	for len(r.part) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		part, err := r.rows.in.ReadSlice('\n')
		r.rows.read(int64(len(part)))
		r.part = part
		r.left -= len(part)
		switch {
		case r.left < 0:
			r.err = ErrEndless
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
