package qwen

import (
	"cmp"
	"encoding/json"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
)

// A chat, below ~/.qwen/projects/PROJECT/chats, has rows with ids that a branch of the session copies. Those of subagents are
// in subagents/SESSION, beside the chats.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.qwen/projects", Moved: transcript.Moved{From: "~/.qwen", Var: "QWEN_HOME", Also: "QWEN_RUNTIME_DIR"}, Names: []string{"*.jsonl"},
	Around:   around,
	Skim:     skim,
	Limits:   rowLimits,
	Begin:    transcript.Begin(newReader),
	Watch:    transcript.Watch(newReader),
	Parent:   parent,
	Requests: requests,
})

// rowLimits keeps of a long row what the dialect keeps of a hook.
var rowLimits = payload.Limits{
	Whole: payload.Paths("message.parts[].text", "systemPayload.displayText", "systemPayload.compressedHistory[].parts[].text",
		// Output of commands is searched before it is cut.
		"message.parts[].functionResponse.response.output", "message.parts[].functionResponse.response.error"),
	Drop: payload.Paths("toolCallResult.resultDisplay.fileDiff", "toolCallResult.resultDisplay.originalContent",
		"toolCallResult.resultDisplay.newContent", "systemPayload.snapshot", "systemPayload.snapshots"),
}

// Folders beside each other below that of a project.
const (
	chats     = "chats"
	subagents = "subagents"
)

// around implements transcript.Format.Around.
func around(path string) []string {
	dir := filepath.Dir(path)
	if filepath.Base(dir) == chats {
		return []string{path, filepath.Join(filepath.Dir(dir), subagents, strings.TrimSuffix(filepath.Base(path), ".jsonl"))}
	}
	return []string{dir, filepath.Join(filepath.Dir(filepath.Dir(dir)), chats, filepath.Base(dir)+".jsonl")}
}

// row is one row of a chat.
type row struct {
	UUID      string    `json:"uuid"`
	Parent    string    `json:"parentUuid"`
	SessionID string    `json:"sessionId"`
	Timestamp time.Time `json:"timestamp"`
	Type      string    `json:"type"` // user, assistant, tool_result, system
	Subtype   string    `json:"subtype"`
	Cwd       string    `json:"cwd"`
	Version   string    `json:"version"`
	Agent     string    `json:"agentId"`    // of a subagent
	Source    string    `json:"provenance"` // real_user, assistant_output, tool_result, system
	Forked    struct {
		SessionID string `json:"sessionId"`
	} `json:"forkedFrom"`
	Message struct {
		Parts []part `json:"parts"`
	} `json:"message"`
	Model  string `json:"model"`
	Tokens struct {
		Prompt int64 `json:"promptTokenCount"`
	} `json:"usageMetadata"`
	Window  int64 `json:"contextWindowSize"`
	Payload struct {
		Display    string `json:"displayText"` // what the person typed, if a hook added a text
		Phase      string `json:"phase"`
		Command    string `json:"rawCommand"`
		Typed      string `json:"userText"` // what the person typed, if it names files
		Compressed []struct {
			Parts []part `json:"parts"`
		} `json:"compressedHistory"`
		Event usage `json:"uiEvent"`
	} `json:"systemPayload"`
	Result struct {
		Status    string          `json:"status"` // success, error, cancelled
		Execution string          `json:"executionStatus"`
		Display   json.RawMessage `json:"resultDisplay"`
	} `json:"toolCallResult"`
}

// part is a part of a message.
type part struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought"`
	Call    *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		Response struct {
			Output string `json:"output"`
			Error  string `json:"error"`
		} `json:"response"`
	} `json:"functionResponse"`
}

// text returns the words of a message, without the texts of hooks.
func text(parts []part) string {
	var all []string
	for _, p := range parts {
		if p.Text != "" && !p.Thought && !strings.HasPrefix(p.Text, "<"+promptContext+">") {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, "\n")
}

// reader reads one chat. It is not safe for concurrent use.
type reader struct {
	transcript.Reported
	transcript.Contexts   // none: chats do not show which texts a start added
	path                  string
	session, lane         string
	root, cwd             string // where the client was started, and where it is
	lastAnswer, answerRow string // the model's newest words of the turn, and their row
	command, invoked      string // what was typed by the newest row that recorded a command, and that row
	tokens                int64  // of the newest reported sample
	calls                 transcript.Calls[call]
	branches              transcript.Branches // prompts
	behind                map[string]int      // the prompt before each prompt, by the row before it
}

// call is a tool call of the model.
type call struct {
	name string
	args json.RawMessage
}

func newReader(path string) *reader {
	r := &reader{path: path, behind: map[string]int{}, Reported: transcript.Reported{At: time.Unix(0, 0)}}
	r.Hook = r.hook
	return r
}

func (r *reader) Session() string { return r.session }

// Row handles a row.
func (r *reader) Row(b []byte) error { return transcript.Decode(b, r.take) }

// Parse reads a row of a growing chat. It reports what no hook does: refused calls, words in the middle of a turn, ended
// background tasks, rewinds and the usage.
func (r *reader) Parse(b []byte) []transcript.Step {
	var entry row
	if transcript.Mentions(b, `"ui_telemetry"`, `"attribution_snapshot"`) || json.Unmarshal(b, &entry) != nil || r.Old(entry.Timestamp) {
		return nil
	}
	r.take(entry)
	return r.Flush()
}

// End reports the words of the last turn.
func (r *reader) End() { r.endTurn() }

// hook returns what a row reports by itself, without a payload.
func (r *reader) hook(kind events.HookKind) events.Hook {
	return events.Hook{Agent: Name, Native: "transcript", Kind: kind, Session: r.session, Lane: r.lane, At: r.At.UnixNano(), Root: r.root, Cwd: r.cwd}
}

// take handles a complete row.
func (r *reader) take(entry row) {
	if entry.UUID == "" || entry.SessionID == "" {
		return
	}
	if !entry.Timestamp.IsZero() {
		r.At = entry.Timestamp
	}
	if r.session == "" {
		r.session, r.lane, r.root, r.cwd = entry.SessionID, entry.Agent, agents.Root(entry.Cwd, ""), entry.Cwd
		r.began(entry)
	}
	if entry.Cwd != "" {
		r.cwd = entry.Cwd
	}
	switch {
	case entry.Type == "user":
		r.user(entry)
	case entry.Type == "assistant":
		r.answer(entry)
	case entry.Type == "tool_result":
		for _, p := range entry.Message.Parts {
			if p.Response != nil {
				r.result(entry, p)
			}
		}
	case entry.Subtype == "rewind":
		r.rewind(entry)
	case entry.Subtype == "slash_command" && entry.Payload.Phase == "invocation", entry.Subtype == "at_command":
		r.command, r.invoked = cmp.Or(entry.Payload.Command, entry.Payload.Typed), entry.UUID
	case entry.Subtype == "chat_compression" && len(entry.Payload.Compressed) > 0:
		r.Compactions++
		if !r.Watching {
			h := r.hook(events.CompactEnd)
			h.Text = redact.Text(summaryIn(text(entry.Payload.Compressed[0].Parts)))
			r.Add(h, entry.UUID, "compressed")
		}
	}
	r.Whole(entry.UUID)
}

// began reports the start of the session, or of the subagent.
func (r *reader) began(entry row) {
	switch {
	case r.Watching:
	case r.lane != "":
		r.Add(r.hook(events.SubagentStart), entry.UUID, "SubagentStart")
	default:
		members := map[string]any{"source": "startup"}
		if filepath.IsAbs(r.path) {
			members["transcript_path"] = r.path
		}
		r.payload(entry, "SessionStart", members)
	}
}

// user handles a row in the person's name.
func (r *reader) user(entry row) {
	middle := entry.Subtype == "mid_turn_user_message"
	if !middle {
		r.endTurn()
	}
	words := text(entry.Message.Parts)
	members := map[string]any{"prompt": words}
	if typed := entry.typed(r); typed != "" {
		members["submitted_prompt"], words = typed, typed
	}
	machine := entry.Subtype != "" && !middle && entry.Subtype != "realtime_message" || entry.Source != "" && entry.Source != "real_user"
	if !machine && r.lane == "" {
		r.Words = transcript.Words{Row: entry.UUID}
		r.behind[entry.Parent] = r.branches.Newest()
		id := transcript.Step{Row: entry.UUID, What: "UserPromptSubmit"}.IDs(1)[0]
		shown, _ := agents.Words(words)
		r.branches.Add(transcript.Prompt{ID: id, Words: transcript.WordsOf(shown), At: r.At.UnixNano(), Place: r.Place("")})
	}
	unhooked := entry.Subtype != "" || machine // no hook is called for it
	if words == "" || r.Watching && !unhooked {
		return
	}
	if s := r.payload(entry, "UserPromptSubmit", members); s != nil {
		s.Report.Hook.Machine = s.Report.Hook.Machine || machine
		s.Sure, s.Unhooked = !unhooked && r.lane == "", unhooked
	}
}

// typed returns what the person typed, if the message has more than that; empty if that is unknown.
func (entry row) typed(r *reader) string {
	switch {
	case entry.Subtype != "" && entry.Subtype != "mid_turn_user_message":
		return ""
	case entry.Payload.Display != "":
		return entry.Payload.Display
	case r.invoked != "" && entry.Parent == r.invoked:
		return r.command
	}
	return ""
}

// answer handles a message of the model.
func (r *reader) answer(entry row) {
	r.sample(entry)
	words := strings.TrimSpace(text(entry.Message.Parts))
	if words != "" {
		r.lastAnswer, r.answerRow = words, entry.UUID
		r.Words = r.Words.Then(entry.UUID, "", words)
	}
	for _, p := range entry.Message.Parts {
		if p.Thought {
			r.Words.Think(p.Text)
		}
		if p.Call != nil {
			r.Words.Called(p.Call.Name)
			r.calls.Put(p.Call.ID, called(p.Call.Name, p.Call.Args))
		}
	}
}

// called returns a call without the tool that calls those whose descriptions the client leaves out.
func called(name string, args json.RawMessage) call {
	var other struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"arguments"`
	}
	if name == "tool_call" && json.Unmarshal(args, &other) == nil && other.Name != "" {
		return call{other.Name, other.Args}
	}
	return call{name, args}
}

// result handles the result of a call. Of calls that did not run only a watcher reports something.
func (r *reader) result(entry row, p part) {
	c, known := r.calls.Take(p.Response.ID)
	if !known {
		c.name = p.Response.Name
	}
	response := p.Response.Response
	void := entry.Result.Execution == "not_started" || denied(response.Error)
	if r.Watching && !void {
		return
	}
	members := map[string]any{"tool_name": c.name, "tool_call_id": p.Response.ID, "tool_input": c.args}
	hook := "PostToolUse"
	if response.Error != "" || entry.Result.Status == "error" || entry.Result.Status == "cancelled" {
		hook = "PostToolUseFailure"
		members["error"] = response.Error
	} else {
		members["tool_response"] = map[string]any{"llmContent": response.Output, "returnDisplay": entry.Result.Display}
	}
	if s := r.payload(entry, hook, members); s != nil {
		s.What += " " + p.Response.ID
		s.Sure, s.Unhooked = hook == "PostToolUse", void
	}
}

// rewind handles the row that the client writes when the person went back to before a prompt.
func (r *reader) rewind(entry row) {
	behind, known := r.behind[entry.Parent]
	if !known {
		return
	}
	r.endTurn()
	if first, back := r.branches.Back(behind); back {
		r.Rewound(r.hook(events.Rewind), "rewind "+strconv.Itoa(r.Place(""))+" "+entry.UUID, transcript.Rewind{First: first})
	}
}

// endTurn reports the model's last words of a turn.
func (r *reader) endTurn() {
	if r.lastAnswer == "" {
		return
	}
	hook := "Stop"
	if r.lane != "" {
		hook = "SubagentStop"
	}
	if !r.Watching {
		r.payload(row{UUID: r.answerRow}, hook, map[string]any{"last_assistant_message": r.lastAnswer})
	}
	r.lastAnswer, r.answerRow = "", ""
}

// sample reports how full the context was, when it changed by five points.
func (r *reader) sample(entry row) {
	n := entry.Tokens.Prompt
	if n <= 0 || r.lane != "" || max(n-r.tokens, r.tokens-n) < max(entry.Window, 1)/20 {
		return
	}
	r.tokens = n
	h := r.hook(events.UsageSample)
	h.Model, h.Client, h.Usage = redact.Text(entry.Model), entry.Version, &events.Usage{Tokens: n, Window: entry.Window}
	if entry.Window > 0 {
		h.Usage.Percent = int(min(100, n*100/entry.Window))
	}
	r.Add(h, entry.UUID, "usage")
}

// payload adds the step of a hook, from the payload that the client would have given it.
func (r *reader) payload(entry row, hook string, members map[string]any) *transcript.Step {
	members["hook_event_name"], members["session_id"], members["cwd"] = hook, r.session, r.cwd
	if r.lane != "" {
		members["agent_id"] = r.lane
	}
	env := agents.Env{Now: r.At, Getenv: func(string) string { return r.root }}
	return r.Payload(Dialect, members, env, entry.UUID, hook)
}

// skim reads the beginning of a chat.
func skim(_ string, in io.Reader) (transcript.Head, error) {
	rows := transcript.NewRows(in, rowLimits, nil)
	for range 16 {
		b, err := rows.Next()
		if err != nil {
			break
		}
		var entry row
		if json.Unmarshal(b, &entry) == nil && (entry.Source != "" || len(entry.Message.Parts) > 0) && entry.UUID != "" && entry.SessionID != "" && !entry.Timestamp.IsZero() {
			from := entry.Forked.SessionID
			return transcript.Head{Session: entry.SessionID, Began: entry.Timestamp, Fork: from != "", From: from}, nil
		}
	}
	return transcript.Head{}, transcript.ErrNoSession
}

// parent implements transcript.Format.Parent: a copied row names the session that it is from.
func parent(path string, _ time.Time) (session, id string, err error) {
	rows, file, err := transcript.OpenRows(path, rowLimits)
	if err != nil {
		return "", "", err
	}
	defer file.Close()
	err = rows.Each(func(b []byte) bool {
		var entry row
		if json.Unmarshal(b, &entry) == nil {
			session, id = entry.Forked.SessionID, entry.UUID
		}
		return session == "" && entry.Subtype == "session_source"
	})
	return session, id, err
}

// usage holds the tokens of a request, as the client counts them.
type usage struct {
	Name    string `json:"event.name"`
	Model   string `json:"model"`
	Input   int64  `json:"input_token_count"` // includes what caches held
	Cached  int64  `json:"cached_content_token_count"`
	Output  int64  `json:"output_token_count"`
	Thought int64  `json:"thoughts_token_count"` // a part of the output
	Turn    string `json:"prompt_id"`
	Lane    string `json:"subagent_id"`
}

// requests reads what requests used. The session's chat counts all of them: those of subagents and summaries, too.
func requests() func([]byte) []transcript.Request {
	return func(b []byte) []transcript.Request {
		var entry row
		if !transcript.Mentions(b, `.api_response"`) || json.Unmarshal(b, &entry) != nil || entry.Subtype != "ui_telemetry" {
			return nil
		}
		u := entry.Payload.Event
		if !strings.HasSuffix(u.Name, ".api_response") {
			return nil
		}
		return []transcript.Request{{
			ID: entry.UUID, Copy: entry.UUID, Lane: u.Lane, Turn: cmp.Or(u.Lane, u.Turn), At: entry.Timestamp, Model: u.Model,
			Tokens: events.Tokens{Input: max(0, u.Input-u.Cached), CacheRead: u.Cached, Output: u.Output},
		}}
	}
}
