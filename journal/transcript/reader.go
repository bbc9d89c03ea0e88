package transcript

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"journal/events"
	"journal/journal/hooks"
)

// Step is what one hook would have said.
type Step struct {
	Report hooks.Report
	// Row is the uuid of the row that it was read from, and What tells it from the
	// other steps of that row. Both are the same whenever the row is read, in
	// whatever file.
	Row, What string
	// Sure says that hooks of every client tell such a step: a prompt of a person,
	// a tool call that succeeded. Of the others nothing follows from their absence
	// (CLIENTS part 1 section 3).
	Sure bool
}

// IDs derives the ids of a step's n events (DECISIONS 2.8): the same row gives the
// same ids whatever file it stands in, so that rows which a fork took over are
// imported once. Only the beginning of a session belongs to one session.
func (s Step) IDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		words := []string{"transcript", s.Row, s.What, strconv.Itoa(i)}
		if s.Row == "" || s.Report.Hook.Kind == events.SessionStart || s.Report.Hook.Broken != "" {
			words = append(words, s.Report.Hook.Session)
		}
		ids[i] = events.DerivedID(words...)
	}
	return ids
}

// Summary counts what was read.
type Summary struct {
	Rows        int
	Broken      int // rows that are no JSON
	Bytes       int64
	Compactions int
}

// Reader reads one transcript. It is not safe for concurrent use.
type Reader struct {
	lines   *lines
	dialect *hooks.Dialect
	env     hooks.Env

	summary Summary
	session string
	root    string    // where the client was started: cwd of the first row
	at      time.Time // of the newest row that has one
	before  string    // uuid of the newest row
	torn    int       // broken rows since
	began   bool
	start   row // of a session whose beginning was not told yet
	source  string
	seen    map[string]bool // uuids
	threads map[string]*thread
	order   []*thread
	chains  map[string]string // lane by uuid, of subagents without a name
	uses    calls
	tasks   *Tasks
	pending []Step
	payload []byte // reused
}

// NewReader reads the transcript of a session of Claude Code. tasks is shared by the
// readers of an import, because a subagent's transcript does not tell its type; it
// may be nil. progress is told of bytes, and may be nil.
func NewReader(r io.Reader, tasks *Tasks, progress func(bytes int64)) (*Reader, error) {
	d, err := hooks.Named("claude")
	if err != nil {
		return nil, err
	}
	in := &Reader{
		dialect: d, source: "startup", at: time.Unix(0, 0), seen: map[string]bool{}, threads: map[string]*thread{},
		chains: map[string]string{}, tasks: cmp.Or(tasks, &Tasks{}),
	}
	in.lines = newLines(r, func(n int64) {
		in.summary.Bytes += n
		if progress != nil {
			progress(n)
		}
	})
	// Of the environment of that time only the project's directory is known.
	in.env.Getenv = func(name string) string {
		if name == "CLAUDE_PROJECT_DIR" {
			return in.root
		}
		return ""
	}
	return in, nil
}

// Summary counts what was read so far.
func (r *Reader) Summary() Summary { return r.summary }

// Session is the session that the rows name, empty before the first of them.
func (r *Reader) Session() string { return r.session }

// Next gives the next step, io.EOF behind the last. It returns no other error than
// those of the reader below: a row that is broken is a step that says so.
func (r *Reader) Next() (Step, error) {
	for len(r.pending) == 0 {
		b, err := r.lines.next()
		if err == io.EOF {
			r.end()
			if len(r.pending) == 0 {
				return Step{}, io.EOF
			}
			break
		}
		if err != nil {
			return Step{}, fmt.Errorf("read the transcript: %w", err)
		}
		if len(b) > 0 {
			r.read(b)
		}
	}
	s := r.pending[0]
	r.pending = r.pending[1:]
	return s, nil
}

func (r *Reader) read(b []byte) {
	r.summary.Rows++
	if !closed(b) {
		r.broken(errJSON)
		return
	}
	var one row
	one.read(b)
	if !one.at.IsZero() {
		r.at = one.at
	}
	if one.session != "" && r.session == "" {
		r.session = one.session
	}
	if one.uuid != "" {
		if r.seen[one.uuid] {
			return // rewritten; it was told
		}
		r.seen[one.uuid] = true
		r.before, r.torn = one.uuid, 0
	}
	// Rows of other kinds are the client's own: lists of summaries, snapshots of
	// files, modes.
	switch one.kind {
	case "user", "assistant", "system", "attachment":
		if r.session != "" {
			r.chain(one)
		}
	}
}

// chain takes a row of the conversation.
func (r *Reader) chain(one row) {
	if r.root == "" {
		r.root = unquote(one.cwd)
	}
	t := r.thread(one)
	if !r.began {
		r.began, r.start = true, one.head()
		if len(one.forked) > 0 {
			r.source = "fork"
		}
	}
	switch {
	case one.subtype == "compact_boundary":
		r.boundary(t, one)
	case one.subtype == "stop_hook_summary", one.subtype == "turn_duration":
		r.endTurn(t)
	case one.kind == "user" && one.summary:
		r.summarised(t, one)
	case one.kind == "user":
		r.user(t, one)
	case one.kind == "assistant":
		r.assistant(t, one)
	case one.kind == "attachment":
		r.attachment(t, one)
	}
}

// broken keeps that a row was there. It is named by the row before it, because a
// client may rewrite the file without its beginning (PROTOCOLS 1.11).
func (r *Reader) broken(err error) {
	r.summary.Broken++
	r.torn++
	if r.session == "" {
		return // no transcript, as far as one can see
	}
	h := events.Hook{
		Agent: r.dialect.Agent, Native: "transcript", Kind: events.Other, Session: r.session,
		At: r.at.UnixNano(), Root: r.root, Broken: err.Error(),
	}
	r.pending = append(r.pending, Step{Report: hooks.Report{Hook: h}, Row: r.before, What: "broken " + strconv.Itoa(r.torn)})
}

// end tells what only the end of the file says.
func (r *Reader) end() {
	for _, t := range r.order {
		r.endTurn(t)
		if t.lane != "" {
			r.endSubagent(t)
		}
	}
	r.order, r.threads = nil, map[string]*thread{}
}

var errNoSession = errors.New("no session")

// Skim says whether a file is a transcript, and which, from its first rows: when it
// begins and whether it says that it is a fork. The error says why it is none.
func Skim(r io.Reader) (session string, began time.Time, fork bool, err error) {
	in := newLines(r, func(int64) {})
	for range 64 {
		b, err := in.next()
		if err != nil {
			break
		}
		if !closed(b) {
			continue
		}
		var one row
		one.read(b)
		if one.session != "" && !one.at.IsZero() {
			return one.session, one.at, len(one.forked) > 0, nil
		}
	}
	return "", time.Time{}, false, errNoSession
}
