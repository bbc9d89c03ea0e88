package payload

import (
	"io"
	"slices"
	"unicode/utf8"

	"journal/events/text"
)

// textBuffer collects the text of a string of unknown length: all of it up to a limit, and beyond that the beginning
// and the end, each with a margin. Its buffer is reused for every string. The text is always valid UTF-8.
type textBuffer struct {
	buf   []byte // the beginning, and from edge on the end
	limit int    // the longest text to keep whole
	head  int    // the length at which the beginning is complete
	edge  int    // where the beginning ended, -1 until it is complete
	tail  int    // the bytes of the end to keep
	lost  int    // bytes omitted between them

	// more returns a larger limit, 0 for none. It is called once, when the text outgrows the first limit.
	more func() int

	tap io.Writer // receives the whole text, may be nil

	batch  []byte // short runs, not yet part of the text
	mended []byte // reused for runs that are not UTF-8
	rune   []byte // reused for decoded escapes
}

func (h *textBuffer) reset(limit, head, tail int) {
	*h = textBuffer{
		buf:    h.buf[:0],
		limit:  limit,
		head:   head + margin,
		edge:   -1,
		tail:   tail + margin,
		batch:  h.batch[:0],
		mended: h.mended,
		rune:   h.rune,
	}
}

// size returns the length of the text.
func (h *textBuffer) size() int { return len(h.buf) + h.lost }

// fits reports whether the text is to be kept whole.
func (h *textBuffer) fits() bool {
	if h.size() > h.limit {
		h.raise()
	}
	return h.lost == 0 && h.size() <= h.limit
}

func (h *textBuffer) raise() {
	if h.more != nil {
		h.limit = max(h.limit, h.more())
		h.more = nil
	}
}

// room returns the length that the buffer may reach after the beginning. Twice the end makes each byte move at most
// once when the buffer slides.
func (h *textBuffer) room() int { return max(h.limit-h.edge, 2*h.tail) }

// addByte adds a run of bytes and the escape after it. Program text has an escape every ten bytes; batching these runs
// made a 600 KB read 2.8 times faster.
func (h *textBuffer) addByte(b []byte, c byte) {
	const size = 1 << 10
	if h.batch == nil {
		h.batch = make([]byte, 0, size)
	}
	if len(h.batch)+len(b) >= size {
		h.flush()
		if len(b) >= size {
			h.put(b)
			b = nil
		}
	}
	h.batch = append(append(h.batch, b...), c)
}

// addRune adds a decoded escape.
func (h *textBuffer) addRune(r rune) {
	h.rune = utf8.AppendRune(h.rune[:0], r)
	h.add(h.rune)
}

// add adds a run of bytes that ends between two runes.
func (h *textBuffer) add(b []byte) {
	h.flush()
	h.put(b)
}

// flush completes the text; it is called at the end.
func (h *textBuffer) flush() {
	if len(h.batch) > 0 {
		h.put(h.batch)
		h.batch = h.batch[:0]
	}
}

func (h *textBuffer) put(b []byte) {
	if h.tap != nil {
		_, _ = h.tap.Write(b)
	}
	if h.edge < 0 {
		b = h.mend(b)
		n := h.head - len(h.buf)
		if n >= len(b) {
			h.buf = append(h.buf, b...)
			return
		}
		n = text.RuneBefore(b, n)
		h.buf = append(h.buf, b[:n]...)
		b = b[n:]
		h.edge = len(h.buf)
	}
	if len(b) > h.room() {
		h.raise()
	}
	if len(b) > h.room() {
		// Only the end of the run can remain, so only that has to be mended.
		n := text.RuneAfter(b, len(b)-h.tail)
		h.lost += n
		b = b[n:]
	}
	b = h.mend(b)
	end := h.buf[h.edge:]
	if len(end)+len(b) > h.room() {
		h.raise()
	}
	if len(end)+len(b) > h.room() {
		n := len(end)
		if len(b) < h.tail {
			n = text.RuneAfter(end, max(0, len(end)+len(b)-h.tail))
		}
		h.lost += n
		h.buf = slices.Delete(h.buf, h.edge, h.edge+n)
	}
	h.buf = append(h.buf, b...)
}

// shrink removes everything between the beginning and the end. If they meet, the text stays in one piece.
func (h *textBuffer) shrink() {
	if h.edge < 0 {
		h.edge = len(h.buf)
	}
	if extra := len(h.buf) - h.edge - h.tail; extra > 0 {
		n := text.RuneAfter(h.buf[h.edge:], extra)
		h.lost += n
		h.buf = slices.Delete(h.buf, h.edge, h.edge+n)
	}
}

// mend returns b with each byte that is not part of a UTF-8 sequence replaced by
// U+FFFD. The result is valid until the next call.
func (h *textBuffer) mend(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	h.mended = slices.Grow(h.mended[:0], 3*len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		h.mended = utf8.AppendRune(h.mended, r)
		b = b[n:]
	}
	return h.mended
}
