package codex

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/agents/transcript/jsonl"
	"journal/journal/disk"
)

// A rollout is read as steps for an import, for what no hook tells of a session at work, and
// as receipts of what its compactions left. A subagent has a rollout of its own; it is a lane
// of its parent's session.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.codex/sessions", Ext: ".jsonl",
	Skim: skim,
	Readers: func(progress func(int64)) func(io.Reader, string) transcript.Reader {
		return func(in io.Reader, path string) transcript.Reader { return newReader(in, path, progress) }
	},
	Contexts: contexts,
	Row:      func(in io.Reader) ([]byte, error) { return jsonl.NewRows(in, rowLimits, nil).Next() },
	Watch:    watch,
	Parent:   parent,
})

// rowLimits keep of a long row what the dialect keeps of a hook.
var rowLimits = payload.Limits{
	Whole: func(path string) bool {
		switch path {
		case "payload.message", "payload.last_agent_message", "payload.item.content[].text", "payload.arguments", "payload.input":
			return true
		// What a command printed is searched before it is cut.
		case "payload.item.aggregated_output", "payload.output":
			return true
		// Texts of hooks, and prompts that a compaction kept, are compared.
		case "payload.content[].text", "payload.replacement_history[].content[].text":
			return true
		}
		return false
	},
	Drop: func(path string) bool {
		switch path {
		case "payload.base_instructions", "payload.dynamic_tools", "payload.state", "payload.encrypted_content",
			"payload.replacement_history_metadata", "payload.retained_context", "payload.content[].image_url":
			return true
		}
		return false
	},
}

// reader reads one rollout. It is not safe for concurrent use.
type reader struct {
	words    transcript.Words
	rows     *jsonl.Rows
	watching bool // only what no hook tells is asked for
	path     string

	summary transcript.Summary
	meta    item      // of the session; the first row
	lane    string    // of a subagent
	at      time.Time // of the newest row that has one
	before  string    // id of the newest row
	torn    int       // broken rows since
	began   bool      // the beginning was told
	turn    turn
	calls   transcript.Calls[call]
	usage   usage
	pending []transcript.Step
}

// newReader reads the rollout at a path. progress is told of bytes, and may be nil.
func newReader(r io.Reader, path string, progress func(int64)) *reader {
	in := &reader{path: path, at: time.Unix(0, 0)}
	in.rows = jsonl.NewRows(r, rowLimits, func(n int64) {
		in.summary.Bytes += n
		if progress != nil {
			progress(n)
		}
	})
	return in
}

func (r *reader) Summary() transcript.Summary { return r.summary }

// Session is the session of the person: of a subagent's rollout the parent's.
func (r *reader) Session() string { return cmp.Or(r.meta.Session, r.meta.Parent, r.meta.ID) }

func (r *reader) Next() (transcript.Step, error) {
	for len(r.pending) == 0 {
		b, err := r.rows.Next()
		if err == io.EOF {
			return transcript.Step{}, io.EOF
		}
		if err != nil {
			return transcript.Step{}, fmt.Errorf("read the transcript: %w", err)
		}
		if len(b) == 0 {
			continue
		}
		r.summary.Rows++
		one, err := parse(b)
		if err != nil {
			r.broken(errJSON)
			continue
		}
		r.take(one)
	}
	s := r.pending[0]
	r.pending = r.pending[1:]
	return s, nil
}

var (
	errJSON      = errors.New("not a JSON object")
	errNoSession = errors.New("no session")
)

// broken keeps that a row was there. It is named by the row before it.
func (r *reader) broken(err error) {
	r.summary.Broken++
	r.torn++
	if r.meta.ID == "" {
		return // no transcript, as far as one can see
	}
	h := r.hook(events.Other)
	h.Broken = err.Error()
	r.step(h, r.before, fmt.Sprint("broken ", r.torn))
}

// take takes a row that is whole.
func (r *reader) take(one row) {
	if !one.at.IsZero() {
		r.at = one.at
	}
	if one.Type == "session_meta" && r.meta.ID == "" {
		r.meta = one.Payload
		if s := r.Session(); s != r.meta.ID {
			r.lane = r.meta.ID
		}
		r.turn.cwd = r.meta.Cwd
	}
	if r.meta.ID == "" {
		return
	}
	r.before, r.torn = one.id, 0
	switch p := one.Payload; {
	case one.Type == "turn_context":
		r.turn.cwd, r.turn.model = cmp.Or(p.Cwd, r.turn.cwd), cmp.Or(p.Model, r.turn.model)
	case one.Type == "compacted":
		r.compacted(one)
	case one.Type == "event_msg":
		r.event(one)
	case one.Type == "response_item":
		r.response(one)
	}
}

// hook is what a row tells by itself, without a payload.
func (r *reader) hook(kind events.HookKind) events.Hook {
	return events.Hook{
		Agent: Name, Native: "transcript", Kind: kind, Session: r.Session(), Lane: r.lane, Turn: r.turn.id,
		At: r.at.UnixNano(), Root: r.meta.Cwd, Cwd: r.turn.cwd,
	}
}

// step adds a step that no payload tells.
func (r *reader) step(h events.Hook, row, what string) {
	r.pending = append(r.pending, transcript.Step{Report: agents.Report{Hook: h}, Row: r.named(row), What: what})
}

// named is the id of a row among all rollouts.
func (r *reader) named(row string) string { return r.meta.ID + " " + row }

// skim reads the first row of a file.
func skim(in io.Reader) (transcript.Head, error) {
	one, err := first(in)
	if err != nil {
		return transcript.Head{}, err
	}
	r := reader{meta: one.Payload}
	return transcript.Head{Session: r.Session(), Began: one.at, Fork: one.Payload.Forked != ""}, nil
}

func first(in io.Reader) (row, error) {
	b, err := jsonl.NewRows(in, rowLimits, nil).Next()
	if err != nil {
		return row{}, errNoSession
	}
	one, err := parse(b)
	if err != nil || one.Type != "session_meta" || one.Payload.ID == "" || one.at.IsZero() {
		return row{}, errNoSession
	}
	return one, nil
}

// parent reads whom a fork was taken from: its first row says so.
func parent(path string, _ time.Time) (session, from string, err error) {
	f, fi, err := disk.Open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	one, err := first(f)
	if err != nil && fi.Size() == 0 {
		return "", "", fmt.Errorf("the first row: %w", fs.ErrNotExist)
	}
	return one.Payload.Forked, "", nil
}

// absolute is a path that a session can be known by, empty for any other.
func absolute(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	return path
}
