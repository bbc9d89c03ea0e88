package codex

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
)

// A rollout is the transcript of a session, or of a subagent: a lane of the session.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.codex/sessions", Beside: archived, Moved: transcript.Moved{From: "~/.codex", Var: "CODEX_HOME"},
	Names:    []string{"*.jsonl", "*.jsonl" + transcript.Compressed},
	Around:   around,
	Skim:     skim,
	OwnRows:  ownRows,
	Limits:   rowLimits,
	Begin:    transcript.Begin(newReader),
	Contexts: contexts,
	Watch:    watch,
	Lane:     lanePath,
	Parent:   parent,
	Requests: requests,
})

// rowLimits keeps the same parts of a long row as the dialect keeps of a hook.
var rowLimits = payload.Limits{
	Whole: payload.Paths(
		"payload.message", "payload.last_agent_message", "payload.item.content[].text", "payload.arguments", "payload.input",
		// The output of commands is searched for failures before it is cut.
		"payload.item.aggregated_output", "payload.output",
		// The texts of hooks and the prompts in a compacted context are compared as a whole.
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
	path      string
	meta      rowPayload // payload of the first row
	began     bool       // the start of the session or subagent was reported
	turn      turn
	unended   unended
	calls     transcript.Calls[call]
	known     transcript.Calls[bool] // ids of the calls that were read, also of those with a result
	plan      string                 // the plan that the agent proposed last
	usage     usage
	branches  transcript.Branches // prompts
	newest    string              // turn of the newest prompt
	name      string              // the session's newest name, "" if unknown
	objective string              // the newest goal that the person set, "" if there is none
}

// newReader returns a reader of the rollout at a path.
func newReader(path string) *reader {
	return &reader{path: path, Reported: transcript.NewReported(Name)}
}

// maxDepth bounds the number of parents that sessionOf follows.
const maxDepth = 8

// sessionOf returns the session of the rollout at path, whose first row has the payload meta. For a subagent it is the session that
// started the subagent, perhaps through other subagents. Some clients before 0.169 name only the parent, which may be a subagent.
func sessionOf(path string, meta rowPayload) string {
	for range maxDepth {
		parent := meta.parentThread()
		if meta.Session != "" || parent == "" {
			break
		}
		parentMeta, err := metaOf(rolloutOf(path, parent))
		if err != nil {
			return parent
		}
		meta = parentMeta
	}
	return cmp.Or(meta.Session, meta.ID)
}

// metaOf returns the payload of a rollout's first row. The error is fs.ErrNotExist for the path "".
func metaOf(path string) (rowPayload, error) {
	row, err := firstRow(path, transcript.RowsOf(path, rowLimits))
	return row.Payload, err
}

// Row implements transcript.Parser.
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
		r.SessionID, r.Root, r.Cwd = sessionOf(r.path, r.meta), r.meta.Cwd, r.meta.Cwd
		if r.SessionID != r.meta.ID {
			r.Lane = r.meta.ID
		}
	}
	if r.meta.ID == "" {
		return
	}
	r.Complete(r.uniqueID(row.id))
	p := row.Payload
	switch {
	case row.Type == "turn_context":
		r.Cwd, r.turn.model = cmp.Or(p.Cwd, r.Cwd), cmp.Or(p.Model, r.turn.model)
	case row.Type == "compacted":
		r.compacted(row)
	case row.Type == "event_msg":
		r.event(row)
	case row.Type == "response_item":
		r.response(row)
	}
}

// headOf returns the payload that names the session, empty if no row names it. row is the first complete row. If that is not the first
// row of the rollout, which is torn then, the payload comes from metaOf.
func (r *reader) headOf(row row) rowPayload {
	if !isHead(r.path, row) && threadIn(r.path) != "" {
		if meta, err := metaOf(r.path); err == nil {
			return meta
		}
	}
	if row.Type != "session_meta" {
		return rowPayload{}
	}
	return row.Payload
}

// step adds a step without a payload.
func (r *reader) step(h events.Hook, row, what string) { r.Add(h, r.uniqueID(row), what) }

// uniqueID returns an id of a row that is unique among all rollouts.
func (r *reader) uniqueID(row string) string { return r.meta.ID + " " + row }

// skim implements transcript.Format.Skim.
func skim(path string, in io.Reader) (transcript.Head, error) {
	switch filepath.Base(path) {
	case "history.jsonl", namesFile: // lists of all sessions
		return transcript.Head{}, transcript.ErrOwn
	}
	row, err := firstRow(path, transcript.NewRows(in, rowLimits).All)
	if err != nil {
		return transcript.Head{}, err
	}
	forked := row.Payload.Forked
	return transcript.Head{Session: sessionOf(path, row.Payload), Began: row.at, Fork: forked != "", From: forked}, nil
}

// errOldForm is returned for a rollout in the old format without payloads.
var errOldForm = errors.New("a rollout of a Codex before September 2025, whose rows have another form that is not read")

// firstRow returns the first row of a rollout, which names the session. If the row is torn or missing, firstRow restores it: the id comes
// from the rollout's name, the time from the next row, and the directory from the next turn.
func firstRow(path string, rows iter.Seq2[[]byte, error]) (head row, err error) {
	torn, n := false, 0
	for b, err := range rows {
		if err != nil {
			return row{}, err
		}
		if n++; n > 64 { // the first turn begins within this many rows
			break
		}
		r, err := parse(b)
		isStart := r.Type == "session_meta" && r.Payload.ID != ""
		switch {
		case !r.at.IsZero() && (isHead(path, r) || !torn && isStart): // behind a torn row, another start is a copy of the parent's
			return r, nil
		case r.Type == "" && isOldForm(b):
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

// isOldForm reports whether a row is the first one of a rollout in the old format.
func isOldForm(b []byte) bool {
	var row struct {
		ID           string          `json:"id"`
		Instructions json.RawMessage `json:"instructions"`
	}
	return json.Unmarshal(b, &row) == nil && row.ID != "" && row.Instructions != nil
}

// isHead reports whether a row is the first row of the rollout at path: it has the id in the rollout's name. A fork also has a copy of
// its parent's first row.
func isHead(path string, row row) bool {
	return row.Type == "session_meta" && row.Payload.ID != "" && row.Payload.ID == threadIn(path)
}

// tornHead restores a torn first row from its complete members and the id in the rollout's name.
func tornHead(path string, torn []byte) (head row) {
	_, members, _ := bytes.Cut(torn, []byte(`"payload"`))
	members = bytes.TrimLeft(members, ": ")
	if bytes.Contains(torn, []byte(`"session_meta"`)) {
		_ = json.Unmarshal(transcript.WholeMembers(members), &head.Payload) // members with other types are skipped
	}
	head.Type, head.Payload.ID = "session_meta", threadIn(path)
	return head
}

// threadIn returns the id of the thread in the name of a rollout, rollout-2026-11-20T10-00-00-ID.jsonl, and "" for another name.
func threadIn(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	const began = len("rollout-2026-11-20T10-00-00-")
	if !strings.HasPrefix(name, "rollout-") || len(name) != began+len("00000000-0000-7000-8000-000000000000") {
		return ""
	}
	return name[began:]
}

// parent implements transcript.Format.Parent: the fork's first row names the parent.
func parent(path string, _ time.Time) (session, rowID string, err error) {
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
	if r.Lane != "" {
		r.addHookStep(row, "SubagentStart", nil)
		return
	}
	source := "startup"
	if r.meta.Forked != "" {
		source = "fork"
	}
	start := transcript.StartMembers(Dialect, source, r.path)
	start["model"] = r.turn.model
	if s := r.addHookStep(row, "SessionStart", start); s != nil {
		s.Report.Hook.Headless = r.meta.headless()
	}
}

// addHookStep adds the step of a hook and returns it. It returns nil and adds nothing while watching, because the hook itself reports the
// step. It also returns nil if the payload is broken.
func (r *reader) addHookStep(row row, hook string, members payloadMembers) *transcript.Step {
	if r.Watching {
		return nil
	}
	r.begin(row)
	return r.addStep(row, hook, hook, members)
}

// addStep adds the step of a hook, from the payload that the client would have sent to the hook, and returns it. what is Step.What. The
// result is nil if the payload is broken.
func (r *reader) addStep(row row, what, hook string, members payloadMembers) *transcript.Step {
	doc := payloadMembers{}
	if hook != "SessionStart" {
		doc["turn_id"] = cmp.Or(row.Payload.Turn, r.Turn)
	}
	if r.Lane != "" {
		doc["agent_type"] = cmp.Or(r.meta.Role, r.meta.Source.Subagent.Spawn.Role, "default")
	}
	maps.Copy(doc, members)
	s := r.AddHook(Dialect, r.Lane, r.uniqueID(row.id), hook, doc)
	if s == nil {
		return nil
	}
	s.What = what
	switch members["tool_name"] { // calls of other tools may have failed without a trace, and hooks do not report failures
	case nil:
		s.Sure = hook == "UserPromptSubmit" && r.Lane == ""
	case shell, "apply_patch", "spawn_agent":
		s.Sure = true
	}
	return s
}
