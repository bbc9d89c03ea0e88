package claude

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/agents/transcript/jsonl"
)

// A transcript is read as steps for an import, as receipts of what its compactions left, and
// for the parent of a fork. The order of steps is that of the rows in the file. In every
// transcript that was looked at a row stands after its parent, and rows of abandoned branches
// did happen; times are not monotonic and order nothing. A row whose uuid was seen already says
// nothing new.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.claude/projects", Ext: transcriptExt,
	Skim: skim,
	Readers: func(progress func(int64)) func(io.Reader, string) transcript.Reader {
		var tasks Tasks
		return func(in io.Reader, _ string) transcript.Reader { return NewReader(in, &tasks, progress) }
	},
	Contexts: contexts,
	Row:      func(in io.Reader) ([]byte, error) { return jsonl.NewRows(in, rowLimits, nil).Next() },
	Watch:    watch, Task: task,
	Parent: parent,
})

// rowLimits keep of a long row what the dialect keeps of a hook: texts of a
// person or the model whole, file bodies not at all.
var rowLimits = payload.Limits{
	Whole: func(path string) bool {
		switch path {
		case "message.content", "message.content[].text", "message.content[].input.todos[].content",
			"message.content[].input.prompt", "message.content[].input.plan", "attachment.prompt", "content",
			"toolUseResult.plan", "toolUseResult.prompt":
			return true
		// Output has 30,000 characters at most, and is searched before it is cut.
		case "toolUseResult.stdout", "toolUseResult.stderr", "message.content[].content":
			return true
		}
		return strings.HasPrefix(path, "toolUseResult.answers.")
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

// Reader reads one transcript. It is not safe for concurrent use.
type Reader struct {
	rows *jsonl.Rows
	env  agents.Env

	summary transcript.Summary
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
	uses    transcript.Calls[part]
	queue   queue
	words   transcript.Words // of the main thread
	saying  string           // id of the message that they are of, while nothing else followed
	typed   string           // command of the person's own, whose output is due
	// watching says that only what no hook tells is asked for: nothing else is read out
	// of rows, and what is told twice is for the asker.
	watching bool
	tasks    *Tasks
	pending  []transcript.Step
	payload  []byte // reused
}

// NewReader reads the transcript of a session. tasks is shared by the readers of an
// import, because a subagent's transcript does not tell its type; it may be nil.
// progress is told of bytes, and may be nil.
func NewReader(r io.Reader, tasks *Tasks, progress func(bytes int64)) *Reader {
	in := newReader(tasks)
	in.rows = jsonl.NewRows(r, rowLimits, func(n int64) {
		in.summary.Bytes += n
		if progress != nil {
			progress(n)
		}
	})
	return in
}

// newReader gives a reader that has no rows of its own.
func newReader(tasks *Tasks) *Reader {
	in := &Reader{
		source: "startup", at: time.Unix(0, 0), seen: map[string]bool{}, threads: map[string]*thread{},
		chains: map[string]string{}, tasks: cmp.Or(tasks, &Tasks{}),
	}
	in.env.Past = true
	// Of the environment of that time only the project's directory is known.
	in.env.Getenv = func(name string) string {
		if name == Dialect.Vars.Project {
			return in.root
		}
		return ""
	}
	return in
}

// Summary counts what was read so far.
func (r *Reader) Summary() transcript.Summary { return r.summary }

// Session is the session that the rows name, empty before the first of them.
func (r *Reader) Session() string { return r.session }

// Next gives the next step, io.EOF after the last. It returns no other error than
// those of the reader below: a row that is broken is a step that says so.
func (r *Reader) Next() (transcript.Step, error) {
	for len(r.pending) == 0 {
		b, err := r.rows.Next()
		if err == io.EOF {
			r.end()
			if len(r.pending) == 0 {
				return transcript.Step{}, io.EOF
			}
			break
		}
		if err != nil {
			return transcript.Step{}, fmt.Errorf("read the transcript: %w", err)
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
	if !jsonl.Closed(b) {
		r.broken(errJSON)
		return
	}
	var one row
	one.read(b)
	r.take(one)
}

// take takes a row that is whole.
func (r *Reader) take(one row) {
	if !one.at.IsZero() {
		r.at = one.at
	}
	if one.session != "" && r.session == "" {
		r.session = one.session
	}
	if one.uuid != "" && !r.watching {
		if r.seen[one.uuid] {
			return // rewritten; it was told
		}
		r.seen[one.uuid] = true
		r.before, r.torn = one.uuid, 0
	}
	// Rows of other kinds are the client's own: lists of summaries, snapshots of
	// files, modes.
	switch one.kind {
	case "queue-operation":
		if r.session != "" {
			r.operation(one)
		}
	case "user", "assistant", "system", "attachment":
		if r.session != "" {
			r.chain(one)
		}
	}
}

// chain takes a row of the conversation.
func (r *Reader) chain(one row) {
	if r.root == "" {
		r.root = jsonl.Unquote(one.cwd)
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
// client may rewrite the file without its beginning (docs/CLIENTS.md §10).
func (r *Reader) broken(err error) {
	r.summary.Broken++
	r.torn++
	if r.session == "" {
		return // no transcript, as far as one can see
	}
	h := r.hook(events.Other, r.at)
	h.Broken = err.Error()
	r.pending = append(r.pending, transcript.Step{Report: agents.Report{Hook: h}, Row: r.before, What: "broken " + strconv.Itoa(r.torn)})
}

// hook is what a row tells by itself, without a payload.
func (r *Reader) hook(kind events.HookKind, at time.Time) events.Hook {
	return events.Hook{Agent: Name, Native: "transcript", Kind: kind, Session: r.session, At: at.UnixNano(), Root: r.root}
}

// when is the time of a row, or of the newest that has one.
func (r *Reader) when(one row) time.Time {
	if one.at.IsZero() {
		return r.at
	}
	return one.at
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

var (
	errNoSession = errors.New("no session")
	// errJSON is the reason of a row that is no JSON object from end to end.
	errJSON = errors.New("not a JSON object")
)

// skim reads the first rows of a file.
func skim(r io.Reader) (transcript.Head, error) {
	in := jsonl.NewRows(r, rowLimits, nil)
	for range 64 {
		b, err := in.Next()
		if err != nil {
			break
		}
		if !jsonl.Closed(b) {
			continue
		}
		var one row
		one.read(b)
		if one.session != "" && !one.at.IsZero() {
			return transcript.Head{Session: one.session, Began: one.at, Fork: len(one.forked) > 0}, nil
		}
	}
	return transcript.Head{}, errNoSession
}
