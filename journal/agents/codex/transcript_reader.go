package codex

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
)

// A rollout is read as steps for an import, for what no hook tells of a session at work, and
// as receipts of what its compactions left. A subagent has a rollout of its own; it is a lane
// of its parent's session.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.codex/sessions", Ext: ".jsonl",
	Skim:   skim,
	Limits: rowLimits,
	Begin: func() func(string) transcript.Taker {
		return func(path string) transcript.Taker { return newReader(path) }
	},
	Contexts: contexts,
	Watch:    watch,
	Lane:     lanePath,
	Parent:   parent,
	Spent:    spent,
})

// rowLimits keep of a long row what the dialect keeps of a hook.
var rowLimits = payload.Limits{
	Whole: payload.Paths(
		"payload.message", "payload.last_agent_message", "payload.item.content[].text", "payload.arguments", "payload.input",
		// What a command printed is searched before it is cut.
		"payload.item.aggregated_output", "payload.output",
		// Texts of hooks, and prompts that a compaction kept, are compared.
		"payload.content[].text", "payload.replacement_history[].content[].text",
	),
	Drop: payload.Paths(
		"payload.base_instructions", "payload.dynamic_tools", "payload.state", "payload.encrypted_content",
		"payload.replacement_history_metadata", "payload.retained_context", "payload.content[].image_url",
	),
}

// reader reads one rollout. It is not safe for concurrent use.
type reader struct {
	transcript.Told
	path  string
	meta  item   // of the session; the first row
	lane  string // of a subagent
	began bool   // the beginning was told
	turn  turn
	calls transcript.Calls[call]
	usage usage
}

// newReader reads the rollout at a path.
func newReader(path string) *reader {
	r := &reader{path: path, Told: transcript.Told{At: time.Unix(0, 0)}}
	r.Hook = r.hook
	return r
}

// Session is the session of the person: of a subagent's rollout the parent's.
func (r *reader) Session() string {
	if r.meta.ID == "" {
		return ""
	}
	return cmp.Or(r.meta.Session, r.meta.Parent, r.meta.ID)
}

// Row takes a row.
func (r *reader) Row(b []byte) error {
	one, err := parse(b)
	if err != nil {
		return transcript.ErrJSON
	}
	r.take(one)
	return nil
}

// take takes a row that is whole.
func (r *reader) take(one row) {
	if !one.at.IsZero() {
		r.At = one.at
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
	r.Whole(r.named(one.id))
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
		At: r.At.UnixNano(), Root: r.meta.Cwd, Cwd: r.turn.cwd,
	}
}

// step adds a step that no payload tells.
func (r *reader) step(h events.Hook, row, what string) { r.Add(h, r.named(row), what) }

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
	b, err := transcript.NewRows(in, rowLimits, nil).Next()
	if err != nil {
		return row{}, transcript.ErrNoSession
	}
	one, err := parse(b)
	if err != nil || one.Type != "session_meta" || one.Payload.ID == "" || one.at.IsZero() {
		return row{}, transcript.ErrNoSession
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

// about are members of a hook's payload.
type about map[string]any

// begin tells the beginning of the session, or of the subagent, before anything else is
// told of it.
func (r *reader) begin(one row) {
	if r.began {
		return
	}
	r.began = true
	one.id = "0"
	if r.lane != "" {
		r.say(one, "SubagentStart", nil)
		return
	}
	source := "startup"
	if r.meta.Forked != "" {
		source = "fork"
	}
	start := about{"source": source, "model": r.turn.model}
	if path := absolute(r.path); path != "" {
		start["transcript_path"] = path
	}
	r.say(one, "SessionStart", start)
}

// say makes the step of a hook from the payload that the client would have given it.
func (r *reader) say(one row, hook string, members about) {
	if r.Watching {
		return // a hook told it
	}
	r.begin(one)
	r.tell(one, hook, hook, members)
}

// tell makes a step, what of its row it is.
func (r *reader) tell(one row, what, hook string, members about) {
	doc := about{"hook_event_name": hook, "session_id": r.Session(), "cwd": r.turn.cwd}
	if hook != "SessionStart" {
		doc["turn_id"] = cmp.Or(one.Payload.Turn, r.turn.id)
	}
	if r.lane != "" {
		doc["agent_id"], doc["agent_type"] = r.lane, cmp.Or(r.meta.Role, "default")
	}
	for name, v := range members {
		doc[name] = v
	}
	env := agents.Env{Now: r.At, Getenv: func(string) string { return "" }}
	s := r.Payload(Dialect, doc, env, r.named(one.id), what)
	if s == nil {
		return
	}
	switch members["tool_name"] { // of the others' results nothing says whether they failed, which no hook tells
	case nil:
		s.Sure = hook == "UserPromptSubmit" && r.lane == ""
	case shell, "apply_patch", "spawn_agent":
		s.Sure = true
	}
}
