package codex

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
)

// A rollout is read as steps for an import, for what no hook reports about a running session, and as receipts of its
// compactions. A subagent has a rollout of its own; it is a lane of its parent's session.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.codex/sessions", Beside: archived, Moved: transcript.Moved{From: "~/.codex", Var: "CODEX_HOME"},
	Names:  []string{"*.jsonl", "*.jsonl" + transcript.Compressed},
	Around: around,
	Skim:   skim,
	Own:    own,
	Limits: rowLimits,
	Begin: func() func(string) transcript.Taker {
		return func(path string) transcript.Taker { return newReader(path) }
	},
	Contexts: contexts,
	Watch:    watch,
	Lane:     lanePath,
	Parent:   parent,
	Requests: requests,
})

// rowLimits keeps of a long row what the dialect keeps of a hook.
var rowLimits = payload.Limits{
	Whole: payload.Paths(
		"payload.message", "payload.last_agent_message", "payload.item.content[].text", "payload.arguments", "payload.input",
		// Output of commands is searched before it is cut.
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
	transcript.Reported
	path     string
	meta     item   // of the session, from the first row
	lane     string // of a subagent
	began    bool   // the start was reported
	turn     turn
	calls    transcript.Calls[call]
	known    transcript.Calls[bool] // calls that were read, also ended ones
	plan     string                 // that the agent proposed last
	usage    usage
	branches transcript.Branches // prompts
	newest   string              // turn of the newest of them
}

// newReader returns a reader of the rollout at a path.
func newReader(path string) *reader {
	r := &reader{path: path, Reported: transcript.Reported{At: time.Unix(0, 0)}}
	r.Hook = r.hook
	return r
}

// Session returns the person's session: for a subagent's rollout the parent's.
func (r *reader) Session() string { return r.meta.Session }

// maxDepth bounds how deep subagents start others.
const maxDepth = 8

// sessionOf returns the person's session of a rollout. Clients before 0.16 name only the parent of a subagent, which may be
// a subagent's.
func sessionOf(path string, meta item) string {
	for range maxDepth {
		parent := meta.parentThread()
		if meta.Session != "" || parent == "" {
			break
		}
		above, err := metaOf(rolloutOf(path, parent))
		if err != nil {
			return parent
		}
		meta = above
	}
	return cmp.Or(meta.Session, meta.ID)
}

// metaOf reads the first row of a rollout.
func metaOf(path string) (item, error) {
	if path == "" {
		return item{}, fs.ErrNotExist
	}
	rows, file, err := transcript.OpenRows(path, rowLimits)
	if err != nil {
		return item{}, err
	}
	defer file.Close()
	one, err := first(path, rows)
	return one.Payload, err
}

// Row handles a row.
func (r *reader) Row(b []byte) error {
	one, err := parse(b)
	if err != nil {
		return transcript.ErrJSON
	}
	r.take(one)
	return nil
}

// take handles a complete row.
func (r *reader) take(one row) {
	if !one.at.IsZero() {
		r.At = one.at
	}
	if r.meta.ID == "" {
		r.meta = r.headOf(one)
		if r.meta.Session = sessionOf(r.path, r.meta); r.meta.Session != r.meta.ID {
			r.lane = r.meta.ID
		}
		r.turn.cwd = cmp.Or(r.meta.Cwd, r.turn.cwd)
	}
	if r.meta.ID == "" {
		return
	}
	r.Whole(r.named(one.id))
	p := one.Payload
	switch {
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

// headOf returns the row that names the session, from the first whole row.
func (r *reader) headOf(one row) item {
	if !isHead(r.path, one) && threadIn(r.path) != "" {
		if meta, err := metaOf(r.path); err == nil {
			return meta
		}
	}
	if one.Type != "session_meta" {
		return item{}
	}
	return one.Payload
}

// hook returns what a row reports by itself, without a payload.
func (r *reader) hook(kind events.HookKind) events.Hook {
	return events.Hook{
		Agent: Name, Native: "transcript", Kind: kind, Session: r.Session(), Lane: r.lane, Turn: r.turn.id,
		At: r.At.UnixNano(), Root: r.meta.Cwd, Cwd: r.turn.cwd,
	}
}

// step adds a step that has no payload.
func (r *reader) step(h events.Hook, row, what string) { r.Add(h, r.named(row), what) }

// named returns the id of a row that is unique among all rollouts.
func (r *reader) named(row string) string { return r.meta.ID + " " + row }

// skim implements transcript.Format.Skim.
func skim(path string, in io.Reader) (transcript.Head, error) {
	switch filepath.Base(path) {
	case "history.jsonl", "session_index.jsonl": // of all sessions
		return transcript.Head{}, transcript.ErrOwn
	}
	one, err := first(path, transcript.NewRows(in, rowLimits, nil))
	if err != nil {
		return transcript.Head{}, err
	}
	forked := one.Payload.Forked
	return transcript.Head{Session: sessionOf(path, one.Payload), Began: one.at, Fork: forked != "", From: forked}, nil
}

// errOldForm is the reason why a rollout is not read whose rows have no payloads.
var errOldForm = errors.New("a rollout of a Codex before September 2025, whose rows have another form that is not read")

// first reads the first row, which names the session. In place of a torn or missing one it returns what is left of it, with the
// id in the rollout's name, the time of the next row and the directory of the next turn.
func first(path string, rows *transcript.Rows) (head row, err error) {
	torn := false
	for range 64 { // rows, in which a turn begins
		b, err := rows.Next()
		if err != nil {
			break
		}
		one, err := parse(b)
		var old struct {
			ID           string          `json:"id"`
			Instructions json.RawMessage `json:"instructions"`
		}
		switch {
		case !one.at.IsZero() && (isHead(path, one) || !torn && one.Type == "session_meta" && one.Payload.ID != ""):
			return one, nil
		case one.Type == "" && json.Unmarshal(b, &old) == nil && old.ID != "" && old.Instructions != nil:
			return row{}, errOldForm
		case threadIn(path) == "":
			return row{}, transcript.ErrNoSession
		case !torn:
			torn, head = true, tornHead(path, b)
		}
		if err != nil || one.at.IsZero() || one.Type == "" {
			continue
		}
		if head.at.IsZero() {
			head.at = one.at
		}
		if head.Payload.Cwd == "" && one.Type == "turn_context" {
			head.Payload.Cwd = one.Payload.Cwd
		}
	}
	if head.at.IsZero() {
		return row{}, transcript.ErrNoSession
	}
	return head, nil
}

// isHead reports whether a row names the session in the name of a rollout: forks have a copy of their parent's, too.
func isHead(path string, one row) bool {
	return one.Type == "session_meta" && one.Payload.ID != "" && one.Payload.ID == threadIn(path)
}

// tornHead returns what is left of a torn row that names the session.
func tornHead(path string, torn []byte) (head row) {
	_, members, _ := bytes.Cut(torn, []byte(`"payload":`))
	if bytes.Contains(torn, []byte(`"session_meta"`)) {
		_ = json.Unmarshal(transcript.WholeMembers(members), &head.Payload) // the members that can be read
	}
	head.Type, head.Payload.ID = "session_meta", threadIn(path)
	return head
}

// threadIn returns the id in the name of a rollout, rollout-2026-11-20T10-00-00-ID.jsonl; empty if the file has another name.
func threadIn(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	const began = len("rollout-2026-11-20T10-00-00-")
	if !strings.HasPrefix(name, "rollout-") || len(name) != began+len("00000000-0000-7000-8000-000000000000") {
		return ""
	}
	return name[began:]
}

// parent returns the parent of a fork, from the fork's first row.
func parent(path string, _ time.Time) (session, from string, err error) {
	meta, err := metaOf(path)
	if errors.Is(err, transcript.ErrNoSession) {
		if info, err := os.Stat(path); err == nil && info.Size() == 0 {
			return "", "", fmt.Errorf("the first row: %w", fs.ErrNotExist)
		}
		return "", "", nil
	}
	return meta.Forked, "", err
}

// about holds members of a hook's payload.
type about map[string]any

// begin reports the start of the session, or of the subagent, before its first other step.
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
	if filepath.IsAbs(r.path) {
		start["transcript_path"] = r.path
	}
	if s := r.say(one, "SessionStart", start); s != nil {
		s.Report.Hook.Headless = r.meta.headless()
	}
}

// say adds the step of a hook, from the payload that the client would have given it, and returns it. It is nil if a hook
// reported it, or the payload is broken.
func (r *reader) say(one row, hook string, members about) *transcript.Step {
	if r.Watching {
		return nil
	}
	r.begin(one)
	return r.tell(one, hook, hook, members)
}

// tell adds a step; what distinguishes it from others of its row.
func (r *reader) tell(one row, what, hook string, members about) *transcript.Step {
	doc := about{"hook_event_name": hook, "session_id": r.Session(), "cwd": r.turn.cwd}
	if hook != "SessionStart" {
		doc["turn_id"] = cmp.Or(one.Payload.Turn, r.turn.id)
	}
	if r.lane != "" {
		doc["agent_id"], doc["agent_type"] = r.lane, cmp.Or(r.meta.Role, r.meta.Source.Subagent.Spawn.Role, "default")
	}
	maps.Copy(doc, members)
	env := agents.Env{Now: r.At, Getenv: func(string) string { return "" }}
	s := r.Payload(Dialect, doc, env, r.named(one.id), what)
	if s == nil {
		return nil
	}
	switch members["tool_name"] { // results of other tools do not show whether they failed, and hooks do not report failures
	case nil:
		s.Sure = hook == "UserPromptSubmit" && r.lane == ""
	case shell, "apply_patch", "spawn_agent":
		s.Sure = true
	}
	return s
}
