package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// ErrJSON is the error of a row that is not one JSON object, ErrNoSession that of a file that is no transcript, and ErrOwn
// that of a file that an agent keeps beside its transcripts.
var (
	ErrJSON      = errors.New("not a JSON object")
	ErrNoSession = errors.New("no row names a session")
	ErrOwn       = errors.New("a file of the agent's own")
)

// Parser reads the rows of one transcript in order, and adds their steps to the Reported that it embeds. It is not safe for
// concurrent use.
type Parser interface {
	// Row reads one row, and keeps no part of it. The error is the reason why it is unreadable.
	Row(b []byte) error
	// End handles the end of the file.
	End()
	// Session returns the session named in the rows, empty before the first.
	Session() string
	// Noted returns that Reported.
	Noted() *Reported
}

// Reported holds the steps and words of one transcript so far.
type Reported struct {
	// Hook returns a hook for what a row reports by itself, without a payload.
	Hook func(kind events.HookKind) events.Hook
	// Watching is set if only steps without a hook are wanted.
	Watching bool

	At          time.Time // of the newest row that has a time
	Words       Words
	Compactions int
	Pending     []Step // reported, and not taken yet

	since        time.Time
	places       map[string]int // how many steps each lane has, without rewinds
	before       string         // id of the newest row
	torn         int            // broken rows since
	rows, broken int
}

// Noted returns t.
func (t *Reported) Noted() *Reported { return t }

// End does nothing.
func (*Reported) End() {}

// Restarted returns nothing.
func (*Reported) Restarted() []Step { return nil }

// Since makes a watcher skip older rows.
func (t *Reported) Since(began time.Time) { t.since = began }

// Old reports whether to skip a row with this time.
func (t *Reported) Old(at time.Time) bool { return !t.since.IsZero() && at.Before(t.since) }

// Said returns the agent's last words since the newest prompt.
func (t *Reported) Said() (Words, bool) { return t.Words, t.Words.Row != "" }

// Whole records the id of a complete row.
func (t *Reported) Whole(id string) { t.before, t.torn = id, 0 }

// Flush returns the steps that were not taken yet.
func (t *Reported) Flush() []Step {
	all := t.Pending
	t.Pending = nil
	return all
}

// Add adds a step that has no payload.
func (t *Reported) Add(h events.Hook, row, what string) {
	t.add(Step{Report: agents.Report{Hook: h}, Row: row, What: what})
}

func (t *Reported) add(s Step) {
	if t.places == nil {
		t.places = map[string]int{}
	}
	t.places[s.Report.Hook.Lane]++
	t.Pending = append(t.Pending, s)
}

// Place returns how many steps of a lane were reported, without rewinds.
func (t *Reported) Place(lane string) int { return t.places[lane] }

// Break records a broken row. It is named after the row before it, because an agent may rewrite the file without its
// beginning (docs/CLIENTS.md §10).
func (t *Reported) Break(reason error) {
	t.broken++
	t.torn++
	h := t.Hook(events.Other)
	if h.Session == "" {
		return // no transcript, as far as can be seen
	}
	h.Broken = reason.Error()
	t.Add(h, t.before, "broken "+strconv.Itoa(t.torn))
}

// Tell adds the step of a hook with a payload and returns it; nil if the payload is broken, and so the row behind it.
func (t *Reported) Tell(d *agents.Dialect, payload []byte, env agents.Env, row, what string) *Step {
	env.Past = true
	s := Step{Report: d.Read(bytes.NewReader(payload), env), Row: row, What: what}
	if s.Report.Hook.Broken != "" {
		t.Break(errors.New(s.Report.Hook.Broken))
		return nil
	}
	s.Report.Owed, s.Report.Wait = "", 0
	t.add(s)
	return &t.Pending[len(t.Pending)-1]
}

// Payload is Tell for a payload of members that encode as JSON.
func (t *Reported) Payload(d *agents.Dialect, members map[string]any, env agents.Env, row, what string) *Step {
	b, err := json.Marshal(members)
	if err != nil {
		t.Break(err)
		return nil
	}
	return t.Tell(d, b, env, row, what)
}

// Begin returns a Format.Begin for readers that remember nothing from one transcript to the next.
func Begin[P Parser](open func(path string) P) func() func(string) Parser {
	return func() func(string) Parser { return func(path string) Parser { return open(path) } }
}

// Watch returns a Format.Watch for readers that are watchers too.
func Watch[P interface {
	Parser
	Watcher
}](open func(path string) P) func(string) Watcher {
	return func(path string) Watcher {
		r := open(path)
		r.Noted().Watching = true
		return r
	}
}

// Decode hands a row to take. The error is ErrJSON.
func Decode[R any](b []byte, take func(R)) error {
	var row R
	if json.Unmarshal(b, &row) != nil {
		return ErrJSON
	}
	take(row)
	return nil
}

// Reader reads one transcript. It is not safe for concurrent use.
type Reader struct {
	Parser
	Usage *Usage // of the rows so far, nil if nobody asks
	rows  *Rows
	bytes int64
	ended bool
}

// NewReader returns a reader of the rows of in. limits bound what is kept of long rows. progress receives byte counts,
// and may be nil.
func NewReader(in io.Reader, limits payload.Limits, t Parser, progress func(bytes int64)) *Reader {
	r := &Reader{Parser: t}
	r.rows = NewRows(in, limits, func(n int64) {
		r.bytes += n
		if progress != nil {
			progress(n)
		}
	})
	return r
}

// Summary returns the counts so far.
func (r *Reader) Summary() Summary {
	t := r.Noted()
	return Summary{Rows: t.rows, Broken: t.broken, Bytes: r.bytes, Compactions: t.Compactions}
}

// Next returns the next step, io.EOF after the last. Its only errors are errors of the files: a broken row becomes a step
// that reports it.
func (r *Reader) Next() (Step, error) {
	t := r.Noted()
	for len(t.Pending) == 0 {
		b, err := r.rows.Next()
		switch {
		case err == io.EOF && r.ended:
			return Step{}, io.EOF
		case err == io.EOF:
			r.ended = true
			r.End()
		case err != nil:
			return Step{}, fmt.Errorf("read the transcript: %w", err)
		case len(b) > 0:
			t.rows++
			if r.Usage != nil {
				r.Usage.Row(b)
			}
			if err := r.Row(b); err != nil {
				t.Break(err)
			}
		}
	}
	s := t.Pending[0]
	t.Pending = t.Pending[1:]
	return s, nil
}

// First returns the head of a file whose first row names its session. read returns what a row has of it, without a session for
// another row; ok is false for a torn one. If the first row is torn, session, from the file's path, and the time of the next row
// stand in its place. The error is ErrNoSession.
func First(in io.Reader, limits payload.Limits, session string, read func(row []byte) (head Head, ok bool)) (Head, error) {
	rows := NewRows(in, limits, nil)
	for n := range 16 {
		b, err := rows.Next()
		if err != nil {
			break
		}
		head, ok := read(b)
		switch ok = ok && !head.Began.IsZero(); {
		case ok && head.Session != "":
			return head, nil
		case session == "", ok && n == 0:
			return Head{}, ErrNoSession
		case ok:
			head.Session = session
			return head, nil
		}
	}
	return Head{}, ErrNoSession
}

// Contexts holds the contexts that rows showed.
type Contexts struct {
	All   []Context // one for each compaction, oldest first
	Shown int       // rows that showed something of them
}

// Context returns the newest.
func (c *Contexts) Context() (newest Context, shown int) {
	if n := len(c.All); n > 0 {
		newest = c.All[n-1]
	}
	return newest, c.Shown
}

// wholeRow is the length up to which a row is returned unchanged. Rows of transcripts usually have up to 63 KB, with
// images some megabytes; a longer one is shortened while it is read.
const wholeRow = 1 << 20

// maxRow is longer than any row: no string of JavaScript, in which most agents are written, is longer.
const maxRow = 512 << 20

// ErrEndless is returned for a row of more than 512 MiB: a file of zeros, as after a crash, may never end.
const ErrEndless = Unfit("no transcript: a row of it has more than 512 MiB")

// Unfit is the reason why nothing of a file is read, even if a part is readable.
type Unfit string

func (u Unfit) Error() string { return string(u) }

// Rows reads the rows of a file, in memory that does not depend on a row's length. It is not safe for concurrent use.
type Rows struct {
	in     *bufio.Reader
	limits payload.Limits
	buf    []byte
	rest   [][]byte // of a line that is not one whole row
	read   func(int64)
}

// NewRows reads rows from r. limits bound what is kept of a row over 1 MiB; read receives byte counts, and may be nil.
func NewRows(r io.Reader, limits payload.Limits, read func(int64)) *Rows {
	if read == nil {
		read = func(int64) {}
	}
	return &Rows{in: bufio.NewReaderSize(r, 256<<10), limits: limits, read: read}
}

// Each calls take with the rows until take returns false. take must not keep them.
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

// Next returns the next row without its end, valid until the next call, and io.EOF after the last. For a long row that
// is no JSON it returns the beginning. The error is ErrEndless, or that of the reader.
func (l *Rows) Next() ([]byte, error) {
	if len(l.rest) > 0 {
		row := l.rest[0]
		l.rest = l.rest[1:]
		return row, nil
	}
	part, err := l.in.ReadSlice('\n')
	if err == nil || errors.Is(err, io.EOF) { // the usual row is in the buffer
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
	if len(row) == 0 {
		return row, err
	}
	if err != nil && !errors.Is(err, io.EOF) { // the next call returns EOF
		return row, err
	}
	if !Closed(row) {
		if l.rest = Salvage(bytes.Clone(row)); len(l.rest) > 0 {
			row, l.rest = l.rest[0], l.rest[1:]
		}
	}
	return row, nil
}

// long returns what is kept of a row of any length; of a broken one, its unchanged beginning.
func (l *Rows) long() ([]byte, error) {
	rest := &restOfRow{rows: l, left: maxRow - len(l.buf)}
	v, broken := payload.Read(io.MultiReader(bytes.NewReader(l.buf), rest), l.limits)
	if _, err := io.Copy(io.Discard, rest); err != nil { // the next row begins after it
		return nil, err
	}
	if broken != nil {
		return l.buf[:min(64, len(l.buf))], nil
	}
	return v.Clean(redact.TextAt).JSON(), nil
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
