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
	Begin: func() func(string) transcript.Parser {
		return func(path string) transcript.Parser { return newReader(path) }
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
	row, err := first(path, rows)
	return row.Payload, err
}

// Row handles a row.
func (r *reader) Row(b []byte) error {
	row, err := parse(b)
	if err != nil {
		return transcript.ErrJSON
	}
	r.dispatch(row)
	return nil
}

// dispatch chooses the handler of a parsed row.
func (r *reader) dispatch(row row) {
	if !row.at.IsZero() {
		r.At = row.at
	}
	if r.meta.ID == "" {
		r.meta = r.headOf(row)
		if r.meta.Session = sessionOf(r.path, r.meta); r.meta.Session != r.meta.ID {
			r.lane = r.meta.ID
		}
		r.turn.cwd = cmp.Or(r.meta.Cwd, r.turn.cwd)
	}
	if r.meta.ID == "" {
		return
	}
	r.Whole(r.uniqueID(row.id))
	p := row.Payload
	switch {
	case row.Type == "turn_context":
		r.turn.cwd, r.turn.model = cmp.Or(p.Cwd, r.turn.cwd), cmp.Or(p.Model, r.turn.model)
	case row.Type == "compacted":
		r.compacted(row)
	case row.Type == "event_msg":
		r.event(row)
	case row.Type == "response_item":
		r.response(row)
	}
}

// headOf returns the payload that names the session, from the first complete row.
func (r *reader) headOf(row row) item {
	if !isHead(r.path, row) && threadIn(r.path) != "" {
		if meta, err := metaOf(r.path); err == nil {
			return meta
		}
	}
	if row.Type != "session_meta" {
		return item{}
	}
	return row.Payload
}

// hook returns what a row reports by itself, without a payload.
func (r *reader) hook(kind events.HookKind) events.Hook {
	return events.Hook{
		Agent: Name, Native: "transcript", Kind: kind, Session: r.Session(), Lane: r.lane, Turn: r.turn.id,
		At: r.At.UnixNano(), Root: r.meta.Cwd, Cwd: r.turn.cwd,
	}
}

// step adds a step that has no payload.
func (r *reader) step(h events.Hook, row, what string) { r.Add(h, r.uniqueID(row), what) }

// uniqueID returns the id of a row, made unique among all rollouts.
func (r *reader) uniqueID(row string) string { return r.meta.ID + " " + row }

// skim implements transcript.Format.Skim.
func skim(path string, in io.Reader) (transcript.Head, error) {
	switch filepath.Base(path) {
	case "history.jsonl", "session_index.jsonl": // of all sessions
		return transcript.Head{}, transcript.ErrOwn
	}
	row, err := first(path, transcript.NewRows(in, rowLimits, nil))
	if err != nil {
		return transcript.Head{}, err
	}
	forked := row.Payload.Forked
	return transcript.Head{Session: sessionOf(path, row.Payload), Began: row.at, Fork: forked != "", From: forked}, nil
}

// errOldForm is the error for a rollout in the old format without payloads.
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
		r, err := parse(b)
		var old struct {
			ID           string          `json:"id"`
			Instructions json.RawMessage `json:"instructions"`
		}
		switch {
		case !r.at.IsZero() && (isHead(path, r) || !torn && r.Type == "session_meta" && r.Payload.ID != ""):
			return r, nil
		case r.Type == "" && json.Unmarshal(b, &old) == nil && old.ID != "" && old.Instructions != nil:
			return row{}, errOldForm
		case threadIn(path) == "":
			return row{}, transcript.ErrNoSession
		case !torn:
			torn, head = true, tornHead(path, b)
		}
		if err != nil || r.at.IsZero() || r.Type == "" {
			continue
		}
		if head.at.IsZero() {
			head.at = r.at
		}
		if head.Payload.Cwd == "" && r.Type == "turn_context" {
			head.Payload.Cwd = r.Payload.Cwd
		}
	}
	if head.at.IsZero() {
		return row{}, transcript.ErrNoSession
	}
	return head, nil
}

// isHead reports whether a row names the session in the name of a rollout: forks have a copy of their parent's, too.
func isHead(path string, row row) bool {
	return row.Type == "session_meta" && row.Payload.ID != "" && row.Payload.ID == threadIn(path)
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

// payloadMembers holds members of a hook's payload.
type payloadMembers map[string]any

// begin reports the start of the session, or of the subagent, before its first other step.
func (r *reader) begin(row row) {
	if r.began {
		return
	}
	r.began = true
	row.id = "0"
	if r.lane != "" {
		r.addHookStep(row, "SubagentStart", nil)
		return
	}
	source := "startup"
	if r.meta.Forked != "" {
		source = "fork"
	}
	start := payloadMembers{"source": source, "model": r.turn.model}
	if filepath.IsAbs(r.path) {
		start["transcript_path"] = r.path
	}
	if s := r.addHookStep(row, "SessionStart", start); s != nil {
		s.Report.Hook.Headless = r.meta.headless()
	}
}

// addHookStep adds the step of a hook, from the payload that the client would have given it, and returns it. It is nil if a hook
// reported it, or the payload is broken.
func (r *reader) addHookStep(row row, hook string, members payloadMembers) *transcript.Step {
	if r.Watching {
		return nil
	}
	r.begin(row)
	return r.addStep(row, hook, hook, members)
}

// addStep adds a step; what distinguishes it from others of its row.
func (r *reader) addStep(row row, what, hook string, members payloadMembers) *transcript.Step {
	doc := payloadMembers{"hook_event_name": hook, "session_id": r.Session(), "cwd": r.turn.cwd}
	if hook != "SessionStart" {
		doc["turn_id"] = cmp.Or(row.Payload.Turn, r.turn.id)
	}
	if r.lane != "" {
		doc["agent_id"], doc["agent_type"] = r.lane, cmp.Or(r.meta.Role, r.meta.Source.Subagent.Spawn.Role, "default")
	}
	maps.Copy(doc, members)
	env := agents.Env{Now: r.At, Getenv: func(string) string { return "" }}
	s := r.Payload(Dialect, doc, env, r.uniqueID(row.id), what)
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
