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

// A chat, in ~/.qwen/projects/PROJECT/chats, has rows with ids. The chat of a fork has copies of the rows, with the same ids. Chats of
// subagents are in subagents/SESSION, beside the folder chats.
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

// rowLimits keeps the same parts of a long row as the dialect keeps of a hook.
var rowLimits = payload.Limits{
	Whole: payload.Paths("message.parts[].text", "systemPayload.displayText", "systemPayload.compressedHistory[].parts[].text",
		// The output of commands is searched for failures before it is cut.
		"message.parts[].functionResponse.response.output", "message.parts[].functionResponse.response.error"),
	Drop: payload.Paths("toolCallResult.resultDisplay.fileDiff", "toolCallResult.resultDisplay.originalContent",
		"toolCallResult.resultDisplay.newContent", "systemPayload.snapshot", "systemPayload.snapshots"),
}

// Names of the folders in the folder of a project.
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
	UUID      string          `json:"uuid"`
	Parent    string          `json:"parentUuid"`
	SessionID string          `json:"sessionId"`
	Timestamp transcript.Time `json:"timestamp"`
	Type      string          `json:"type"` // user, assistant, tool_result, system
	Subtype   string          `json:"subtype"`
	Cwd       string          `json:"cwd"`
	Version   string          `json:"version"`
	Agent     string          `json:"agentId"`    // the subagent, "" in a session's chat
	Source    string          `json:"provenance"` // real_user, assistant_output, tool_result, system
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
		Display    string `json:"displayText"` // the person's words, if a hook added a text
		Phase      string `json:"phase"`
		Command    string `json:"rawCommand"`
		Typed      string `json:"userText"` // the person's words, if they name files
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

// text returns the joined texts of a message, without reasoning and texts of hooks.
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
	transcript.Contexts   // always empty: chats do not show which texts of hooks the context has
	path                  string
	lastAnswer, answerRow string // the model's newest words of the turn, and the id of their row
	command, commandRow   string // the newest command in a row, as the person typed it, and the id of the row
	calls                 transcript.Calls[call]
	branches              transcript.Branches // prompts
	previous              map[string]int      // index of the prompt before each prompt, by the id of the prompt's parent row
}

// call is a tool call of the model.
type call struct {
	name string
	args json.RawMessage
}

// newReader returns a reader of the transcript at a path.
func newReader(path string) *reader {
	return &reader{path: path, previous: map[string]int{}, Reported: transcript.NewReported(Name)}
}

// Row implements transcript.Parser.
func (r *reader) Row(b []byte) error { return transcript.Decode(b, r.dispatch) }

// Parse implements transcript.Watcher. It returns the steps that no hook reports: calls that did not run, prompts in the middle of a
// turn, ended background tasks, rewinds and samples of the usage.
func (r *reader) Parse(b []byte) []transcript.Step {
	var entry row
	if transcript.Mentions(b, `"ui_telemetry"`, `"attribution_snapshot"`) || transcript.Unmarshal(b, &entry) != nil || r.Old(entry.Timestamp.Time) {
		return nil
	}
	r.dispatch(entry)
	return r.Flush()
}

// End reports the words of the last turn.
func (r *reader) End() { r.endTurn() }

// dispatch handles a complete row.
func (r *reader) dispatch(entry row) {
	if entry.UUID == "" || entry.SessionID == "" {
		return
	}
	if !entry.Timestamp.IsZero() {
		r.At = entry.Timestamp.Time
	}
	if r.SessionID == "" {
		r.SessionID, r.Lane, r.Root, r.Cwd = entry.SessionID, entry.Agent, agents.Root(entry.Cwd, ""), entry.Cwd
		r.begin(entry)
	}
	r.Cwd = cmp.Or(entry.Cwd, r.Cwd)
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
		r.command, r.commandRow = cmp.Or(entry.Payload.Command, entry.Payload.Typed), entry.UUID
	case entry.Subtype == "chat_compression" && len(entry.Payload.Compressed) > 0:
		r.Compactions++
		if !r.Watching {
			h := r.Hook(events.CompactEnd)
			h.Text = redact.Text(summaryIn(text(entry.Payload.Compressed[0].Parts)))
			r.Add(h, entry.UUID, "compressed")
		}
	}
	r.Complete(entry.UUID)
}

// begin reports the start of the session, or of the subagent, with the id of the first row.
func (r *reader) begin(entry row) {
	switch {
	case r.Watching:
	case r.Lane != "":
		r.Add(r.Hook(events.SubagentStart), entry.UUID, "SubagentStart")
	default:
		r.AddHook(Dialect, r.Lane, entry.UUID, "SessionStart", transcript.StartMembers(Dialect, "startup", r.path))
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
	if typed := r.typed(entry); typed != "" {
		members["submitted_prompt"], words = typed, typed
	}
	byClient := entry.Subtype != "" && !middle && entry.Subtype != "realtime_message"
	machine := byClient || entry.Source != "" && entry.Source != "real_user"
	if !machine && r.Lane == "" {
		r.Words = r.Words.Asked(entry.UUID, "")
		r.previous[entry.Parent] = r.branches.Newest()
		inLog, _ := agents.Words(words)
		r.branches.Add(r.Prompt(entry.UUID, "UserPromptSubmit", inLog))
	}
	unhooked := entry.Subtype != "" || machine // the client calls no hook for such a prompt
	if words == "" || r.Watching && !unhooked {
		return
	}
	if s := r.AddHook(Dialect, r.Lane, entry.UUID, "UserPromptSubmit", members); s != nil {
		s.Report.Hook.Machine = s.Report.Hook.Machine || machine
		s.Sure, s.Unhooked = !unhooked && r.Lane == "", unhooked
	}
}

// typed returns the person's words for a prompt whose message also has other texts: they are in another member, or in the row of a
// command. It returns "" for other prompts.
func (r *reader) typed(entry row) string {
	switch {
	case entry.Subtype != "" && entry.Subtype != "mid_turn_user_message":
		return ""
	case entry.Payload.Display != "":
		return entry.Payload.Display
	case r.commandRow != "" && entry.Parent == r.commandRow:
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
		r.Words = r.Words.Next(entry.UUID, "", words)
	}
	for _, p := range entry.Message.Parts {
		if p.Thought {
			r.Words.Think(p.Text)
		}
		if p.Call != nil {
			r.Words.Called(p.Call.Name, p.Call.ID)
			r.calls.Put(p.Call.ID, unwrapped(p.Call.Name, p.Call.Args))
		}
	}
}

// unwrapped returns the call of a tool with arguments. For the tool tool_call it returns the call in the arguments: with tool_call the
// model calls those tools whose descriptions the client leaves out.
func unwrapped(name string, args json.RawMessage) call {
	var inner struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"arguments"`
	}
	if name == "tool_call" && json.Unmarshal(args, &inner) == nil && inner.Name != "" {
		return call{inner.Name, inner.Args}
	}
	return call{name, args}
}

// result handles the result of a call. A watcher reports only calls that did not run.
func (r *reader) result(entry row, p part) {
	c, known := r.calls.Take(p.Response.ID)
	if !known {
		c.name = p.Response.Name
	}
	response := p.Response.Response
	unhooked := entry.Result.Execution == "not_started" || denied(response.Error)
	if r.Watching && !unhooked {
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
	if s := r.AddHook(Dialect, r.Lane, entry.UUID, hook, members); s != nil {
		s.What += " " + p.Response.ID
		s.Sure, s.Unhooked = hook == "PostToolUse", unhooked
	}
}

// rewind handles the row of a rewind. The person took back the prompt after the row's parent, and everything after that prompt.
func (r *reader) rewind(entry row) {
	previous, known := r.previous[entry.Parent]
	if !known {
		return
	}
	r.endTurn()
	if first, back := r.branches.Back(previous); back {
		r.AddRewind(r.Hook(events.Rewind), "rewind "+strconv.Itoa(r.Place())+" "+entry.UUID, transcript.Rewind{First: first})
	}
}

// endTurn reports the model's last words of a turn.
func (r *reader) endTurn() {
	if r.lastAnswer == "" {
		return
	}
	hook := "Stop"
	if r.Lane != "" {
		hook = "SubagentStop"
	}
	if !r.Watching {
		r.AddHook(Dialect, r.Lane, r.answerRow, hook, map[string]any{"last_assistant_message": r.lastAnswer})
	}
	r.lastAnswer, r.answerRow = "", ""
}

// sample reports the size of the main lane's context.
func (r *reader) sample(entry row) {
	if r.Lane == "" {
		h := r.Hook(events.UsageSample)
		h.Model, h.Client = entry.Model, entry.Version
		r.AddSample(h, entry.UUID, entry.Tokens.Prompt, entry.Window)
	}
}

// skim implements transcript.Format.Skim.
func skim(_ string, in io.Reader) (transcript.Head, error) {
	rows := transcript.NewRows(in, rowLimits)
	for range 16 {
		b, err := rows.Next()
		if err != nil {
			break
		}
		var entry row
		if transcript.Unmarshal(b, &entry) != nil || entry.UUID == "" || entry.SessionID == "" || entry.Timestamp.IsZero() {
			continue
		}
		if entry.Source != "" || len(entry.Message.Parts) > 0 { // rows of Claude Code have neither
			from := entry.Forked.SessionID
			return transcript.Head{Session: entry.SessionID, Began: entry.Timestamp.Time, Fork: from != "", From: from}, nil
		}
	}
	return transcript.Head{}, transcript.ErrNoSession
}

// parent implements transcript.Format.Parent: the first row, or the first one after rows about the source of the session, names the
// session from which it was copied.
func parent(path string, _ time.Time) (session, id string, err error) {
	for b, err := range transcript.RowsOf(path, rowLimits) {
		if err != nil {
			return "", "", err
		}
		var entry row
		if transcript.Unmarshal(b, &entry) == nil {
			session, id = entry.Forked.SessionID, entry.UUID
		}
		if session != "" || entry.Subtype != "session_source" {
			break
		}
	}
	return session, id, nil
}

// usage holds the tokens of a request, as the client counts them.
type usage struct {
	Name    string `json:"event.name"`
	Model   string `json:"model"`
	Input   int64  `json:"input_token_count"` // including cached tokens
	Cached  int64  `json:"cached_content_token_count"`
	Output  int64  `json:"output_token_count"`
	Thought int64  `json:"thoughts_token_count"` // a part of the output
	Turn    string `json:"prompt_id"`
	Lane    string `json:"subagent_id"`
}

// requests implements transcript.Format.Requests. The session's chat also has the requests of subagents, and those for summaries.
func requests() func([]byte) []transcript.Request {
	return func(b []byte) []transcript.Request {
		var entry row
		if !transcript.Mentions(b, `.api_response"`) || transcript.Unmarshal(b, &entry) != nil || entry.Subtype != "ui_telemetry" {
			return nil
		}
		u := entry.Payload.Event
		if !strings.HasSuffix(u.Name, ".api_response") {
			return nil
		}
		return []transcript.Request{{
			ID: entry.UUID, Copy: entry.UUID, Lane: u.Lane, Turn: cmp.Or(u.Lane, u.Turn), At: entry.Timestamp.Time, Model: u.Model,
			Tokens: events.Tokens{Input: max(0, u.Input-u.Cached), CacheRead: u.Cached, Output: u.Output},
		}}
	}
}
