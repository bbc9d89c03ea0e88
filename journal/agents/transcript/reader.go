package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strconv"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

var (
	// ErrJSON is returned for a row that is not one JSON object.
	ErrJSON = errors.New("not a JSON object")
	// ErrNoSession is returned for a file that is not a transcript.
	ErrNoSession = errors.New("no row names a session and its time")
	// ErrOwn is returned for a file of the agent that is not a transcript.
	ErrOwn = errors.New("a file of the agent's own")
)

// Parser reads the rows of one transcript in order. It embeds a Reported, which implements all methods but Row, and adds steps to the
// Reported. It is not safe for concurrent use.
type Parser interface {
	// Row reads one row, and keeps no part of b. The error is the reason why the row cannot be read.
	Row(b []byte) error
	// End handles the end of the file.
	End()
	// State returns the embedded Reported.
	State() *Reported
}

// Reported is the common state of parsers: what the rows of one transcript reported so far. Parsers embed it.
type Reported struct {
	Agent       string
	SessionID   string // the session's id in hooks; "" until a row names it
	Lane        string
	Turn        string // the running turn's id in hooks, "" if rows do not have it
	Root, Cwd   string
	Watching    bool      // the transcript is watched: only steps that no hook reports are wanted
	At          time.Time // time of the newest row that has one
	Words       Words
	Pending     []Step // steps that were added and not returned yet
	Compactions int

	since        time.Time // rows before it are old (see Since); zero for none
	place        int       // number of steps of the main lane, without rewinds
	before       string    // id of the newest complete row
	torn         int       // number of broken rows after that row
	sampled      int64     // tokens in the newest sample
	rows, broken int
}

// NewReported returns the state before the first row of an agent's transcript.
func NewReported(agent string) Reported { return Reported{Agent: agent, At: time.Unix(0, 0)} }

// State implements Parser.
func (t *Reported) State() *Reported { return t }

// Hook returns a hook of a kind for a fact of the current row, with the fields that Reported has. It has no payload.
func (t *Reported) Hook(kind events.HookKind) events.Hook {
	return events.Hook{
		Agent: t.Agent, Native: "transcript", Kind: kind, Session: t.SessionID, Lane: t.Lane, Turn: t.Turn, At: t.At.UnixNano(), Root: t.Root, Cwd: t.Cwd,
	}
}

// End implements Parser for parsers that report nothing at the end of a file.
func (*Reported) End() {}

// Restarted implements Watcher for parsers that report no killed calls.
func (*Reported) Restarted() []Step { return nil }

// Since sets the time before which rows are old. The zero time means that none is.
func (t *Reported) Since(began time.Time) { t.since = began }

// Old reports whether a row with this time is old: the reader must skip it.
func (t *Reported) Old(at time.Time) bool { return !t.since.IsZero() && at.Before(t.since) }

// LastWords returns the agent's last words since the newest prompt. It is false until a row has a prompt or words.
func (t *Reported) LastWords() (Words, bool) { return t.Words, t.Words.Row != "" }

// Complete records the id of a row that was read, for AddBroken.
func (t *Reported) Complete(id string) { t.before, t.torn = id, 0 }

// Flush removes the pending steps and returns them.
func (t *Reported) Flush() []Step {
	all := t.Pending
	t.Pending = nil
	return all
}

// Add adds a step that has no payload.
func (t *Reported) Add(h events.Hook, row, what string) {
	t.add(Step{Report: agents.Report{Hook: h}, Row: row, What: what})
}

// add adds a step.
func (t *Reported) add(s Step) {
	if s.Report.Hook.Lane == "" {
		t.place++
	}
	t.Pending = append(t.Pending, s)
}

// Place returns the number of steps of the main lane so far. It does not count rewinds.
func (t *Reported) Place() int { return t.place }

// AddSample adds a step with the size of the context in tokens, unless it changed by less than 5 % of the window since the newest
// sample. h is a hook with the model. window is 0 if unknown: then it adds every size. It ignores a size of 0.
func (t *Reported) AddSample(h events.Hook, row string, tokens, window int64) {
	if tokens <= 0 || max(tokens-t.sampled, t.sampled-tokens) < max(window, 1)/20 {
		return
	}
	t.sampled = tokens
	h.Model, h.Usage = redact.Text(h.Model), &events.Usage{Tokens: tokens, Window: window}
	if window > 0 {
		h.Usage.Percent = int(min(100, tokens*100/window))
	}
	t.Add(h, row, "usage")
}

// AddBroken adds the step of a broken row. Its id derives from the newest row that was read, because an agent may rewrite the file
// without its beginning (docs/CLIENTS.md §10). It adds nothing before a row has named the session.
func (t *Reported) AddBroken(reason error) {
	t.broken++
	t.torn++
	h := t.Hook(events.Other)
	if h.Session == "" {
		return // the file may not be a transcript
	}
	h.Broken = reason.Error()
	t.Add(h, t.before, "broken "+strconv.Itoa(t.torn))
}

// AddHook adds the step of a hook that gets a payload with these members, besides the members that every payload has, and returns the
// step. lane is the subagent's, "" in the main lane. The only environment variable is the one with the project's directory. Step.What is
// the hook's name. A broken payload counts as a broken row; then the result is nil.
func (t *Reported) AddHook(d *agents.Dialect, lane, row, hook string, members map[string]any) *Step {
	all := map[string]any{d.Names.Hook: hook, d.Names.Session: t.SessionID, d.Names.Cwd: t.Cwd}
	if lane != "" {
		all[d.Names.Lane] = lane
	}
	maps.Copy(all, members)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // shorter
	if err := enc.Encode(all); err != nil {
		t.AddBroken(err)
		return nil
	}
	env := agents.Env{Now: t.At, Past: true, Getenv: func(name string) string {
		if name == "" || name != d.Vars.Project {
			return ""
		}
		return t.Root
	}}
	s := Step{Report: d.Read(&b, env), Row: row, What: hook}
	if s.Report.Hook.Broken != "" {
		t.AddBroken(errors.New(s.Report.Hook.Broken))
		return nil
	}
	s.Report.AnswerKind, s.Report.Wait = "", 0
	t.add(s)
	return &t.Pending[len(t.Pending)-1]
}

// StartMembers returns the members of the payload of a hook at a session's start. path is that of the transcript.
func StartMembers(d *agents.Dialect, source, path string) map[string]any {
	members := map[string]any{d.Names.Source: source}
	if filepath.IsAbs(path) {
		members[d.Names.Transcript] = path
	}
	return members
}

// Begin returns a Format.Begin for parsers that keep nothing from one transcript for the next.
func Begin[P Parser](open func(path string) P) func() func(string) Parser {
	return func() func(string) Parser { return func(path string) Parser { return open(path) } }
}

// Watch returns a Format.Watch for parsers that are watchers too. It sets Watching.
func Watch[P interface {
	Parser
	Watcher
}](open func(path string) P) func(string) Watcher {
	return func(path string) Watcher {
		r := open(path)
		r.State().Watching = true
		return r
	}
}

// Decode decodes a row and calls handle with it. The error is ErrJSON for a row that is not a JSON object.
func Decode[R any](b []byte, handle func(R)) error {
	var row R
	if Unmarshal(b, &row) != nil {
		return ErrJSON
	}
	handle(row)
	return nil
}

// Unmarshal decodes a JSON object. Members of an unexpected type stay empty: clients of other versions write them, and one such member
// must not cost the rest of a row.
func Unmarshal(b []byte, object any) error {
	err := json.Unmarshal(b, object)
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && mismatch.Field != "" {
		return nil
	}
	return err
}

// Time is the time of a row: in RFC 3339, or in milliseconds since 1970. It is zero for any other value.
type Time struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Time) UnmarshalJSON(b []byte) error {
	if millis, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		t.Time = possible(time.UnixMilli(millis).UTC())
	} else {
		t.Time = TimeOf(Unquote(b))
	}
	return nil
}

// TimeOf returns the time in a text in RFC 3339, zero for any other text.
func TimeOf(text string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, text) // zero after an error
	return possible(at)
}

// possible returns a time, or the zero time in place of one that an event cannot have: events count nanoseconds since 1970.
func possible(at time.Time) time.Time {
	if at.Unix() < 0 || at.Year() > 2261 {
		return time.Time{}
	}
	return at
}

// Reader reads the steps of one transcript. It is not safe for concurrent use.
type Reader struct {
	Parser
	Usage *Usage // adds up the requests in the rows; may be nil
	rows  *Rows
	bytes int64 // number of bytes that were read
	ended bool  // End was called
}

// NewReader returns a reader of the rows of in. limits bound the kept part of long rows. progress receives the number of bytes of
// each read, and may be nil.
func NewReader(in io.Reader, limits payload.Limits, p Parser, progress func(bytes int64)) *Reader {
	r := &Reader{Parser: p, rows: NewRows(in, limits)}
	r.rows.read = func(n int64) {
		r.bytes += n
		if progress != nil {
			progress(n)
		}
	}
	return r
}

// Summary returns the counts so far.
func (r *Reader) Summary() Summary {
	t := r.State()
	return Summary{Rows: t.rows, Broken: t.broken, Bytes: r.bytes, Compactions: t.Compactions}
}

// Next returns the next step, and io.EOF after the last one. A broken row is a step too, once a row has named the session. Other errors
// are those of reading the file.
func (r *Reader) Next() (Step, error) {
	t := r.State()
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
				t.AddBroken(err)
			}
		}
	}
	s := t.Pending[0]
	t.Pending = t.Pending[1:]
	return s, nil
}

// mostTorn is the number of rows at the beginning of a transcript among which First looks for a whole one.
const mostTorn = 16

// First returns the head of a transcript whose first row names its session. The function read returns the head in a row, without a
// session if the row names none, and false for a torn row. A row without a time counts as torn. If the first row is torn, First returns
// the head in the next whole row, with the given session if the row names none. The file's path names the given session; it is "" if the
// path names none, and then the first row must not be torn. The error is ErrNoSession, or that of reading.
func First(in io.Reader, limits payload.Limits, session string, read func(row []byte) (head Head, ok bool)) (Head, error) {
	rows := NewRows(in, limits)
	for n := range mostTorn {
		b, err := rows.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, ErrEndless) {
			break
		}
		if err != nil {
			return Head{}, err
		}
		head, ok := read(b)
		ok = ok && !head.Began.IsZero()
		switch {
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

// Contexts holds the contexts that the rows of a transcript showed.
type Contexts struct {
	All   []Context // one for each compaction, oldest first
	Shown int       // number of rows that showed a part of a context
}

// Context implements Watcher.
func (c *Contexts) Context() (newest Context, shown int) {
	if n := len(c.All); n > 0 {
		newest = c.All[n-1]
	}
	return newest, c.Shown
}

// wholeRow is the length up to which a row is never shortened. Rows of transcripts usually have up to 63 KB, with images some
// megabytes.
const wholeRow = 1 << 20

// maxRow bounds a row, in bytes. Agents do not write longer ones: most are written in JavaScript, which has no longer string.
const maxRow = 512 << 20

// ErrEndless is returned for a row of more than 512 MiB. A file that a crash left full of zeros has such a row.
const ErrEndless = Unfit("no transcript: a row of it has more than 512 MiB")

// Unfit is the reason why nothing of a file is read, even if a part of it is readable. It is an error.
type Unfit string

// Error returns the reason.
func (u Unfit) Error() string { return string(u) }

// Rows reads the rows of a file, in memory that does not depend on a row's length. It is not safe for concurrent use.
type Rows struct {
	in     *bufio.Reader
	limits payload.Limits
	buf    []byte            // the current row, if it is longer than the buffer of in
	rest   [][]byte          // the next rows, from a line that Salvage has split
	read   func(bytes int64) // called after each read
}

// NewRows returns the rows of r. limits bound the kept part of a row over 1 MiB.
func NewRows(r io.Reader, limits payload.Limits) *Rows {
	return &Rows{in: bufio.NewReaderSize(r, 256<<10), limits: limits, read: func(int64) {}}
}

// All yields the rows, each valid until the next one. An error of Next other than io.EOF comes last, without a row.
func (l *Rows) All(yield func(row []byte, err error) bool) {
	for {
		switch row, err := l.Next(); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			yield(nil, err)
			return
		case !yield(row, nil):
			return
		}
	}
}

// Next returns the next row without its line end, valid until the next call, and io.EOF after the last. A row may be empty. Of a row
// over 1 MiB that is not JSON it returns the beginning. Other errors are ErrEndless, and those of the reader.
func (l *Rows) Next() ([]byte, error) {
	if len(l.rest) > 0 {
		row := l.rest[0]
		l.rest = l.rest[1:]
		return row, nil
	}
	part, err := l.in.ReadSlice('\n')
	if err == nil || errors.Is(err, io.EOF) { // most rows fit into the buffer of in
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

// ended returns a row that was read up to its end, trimmed. If the line is more than one row, it keeps the others in rest. err is the
// error of the read.
func (l *Rows) ended(row []byte, err error) ([]byte, error) {
	row = bytes.TrimSpace(row)
	if len(row) == 0 {
		return row, err
	}
	if err != nil && !errors.Is(err, io.EOF) { // after io.EOF the row is whole: the next call returns io.EOF
		return row, err
	}
	if !Closed(row) {
		if l.rest = Salvage(bytes.Clone(row)); len(l.rest) > 0 {
			row, l.rest = l.rest[0], l.rest[1:]
		}
	}
	return row, nil
}

// brokenBytes is the length of the beginning of a long broken row, in bytes: callers only see that it is no JSON.
const brokenBytes = 64

// long reads the rest of a row whose beginning is in buf, and returns the part of the row that limits keep. Of a broken row it returns
// the first brokenBytes.
func (l *Rows) long() ([]byte, error) {
	rest := &restOfRow{rows: l, left: maxRow - len(l.buf)}
	v, broken := payload.Read(io.MultiReader(bytes.NewReader(l.buf), rest), l.limits)
	if _, err := io.Copy(io.Discard, rest); err != nil { // skip up to the next row
		return nil, err
	}
	if broken != nil {
		return l.buf[:min(brokenBytes, len(l.buf))], nil
	}
	return v.Clean(redact.TextAt).JSON(), nil
}

// restOfRow reads the rest of the current row of rows, and ends with it.
type restOfRow struct {
	rows *Rows
	part []byte // bytes that were read from rows and not returned yet
	left int    // bytes that the row may still have
	err  error  // the error after part: io.EOF at the row's end, nil before
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
