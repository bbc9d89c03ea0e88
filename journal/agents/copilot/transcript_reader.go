package copilot

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"journal/events"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
)

// Names in the client's folder. A session is session-state/SESSION/events.jsonl, in older clients session-state/SESSION.jsonl, and in
// clients before October 2025 history-session-state/session_SESSION_TIME.json.
const (
	sessionState = "session-state"
	eventsFile   = "events.jsonl"
	olderState   = "history-session-state"
)

// A session is one file, which also has the events of its subagents.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.copilot/session-state", Moved: transcript.Moved{From: "~/.copilot", Var: "COPILOT_HOME"}, Names: []string{"*.jsonl", "session_*.json"},
	Beside:   olderState,
	Skim:     skim,
	Limits:   rowLimits,
	Begin:    transcript.Begin(newReader),
	Watch:    transcript.Watch(newReader),
	Requests: requests,
})

// rowLimits keeps the same parts of a long row as the dialect keeps of a hook.
var rowLimits = payload.Limits{
	Whole: payload.Paths("data.content", "data.summaryContent", "data.arguments.prompt",
		"data.result.content"), // output of commands is searched for failures before it is cut
	Drop: payload.Paths("data.messages", "data.transformedContent", "data.result.detailedContent", "data.toolTelemetry", "data.output"),
}

// row is one event of the client.
type row struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Timestamp transcript.Time `json:"timestamp"`
	Agent     string          `json:"agentId"` // the subagent, "" for the main lane
	Data      struct {
		SessionID string   `json:"sessionId"`
		Producer  string   `json:"producer"`
		Context   location `json:"context"`
		Input     location `json:"input"` // of a hook
		location
		Content   string          `json:"content"`
		Source    string          `json:"source"`                  // "" or user for a person's prompt
		Continues bool            `json:"isAutopilotContinuation"` // the client wrote the prompt to continue the work
		Call      string          `json:"toolCallId"`
		Tool      string          `json:"toolName"`
		Args      json.RawMessage `json:"arguments"`
		Calls     []request       `json:"toolRequests"`
		Person    bool            `json:"isUserRequested"`
		Success   bool            `json:"success"`
		Result    struct {
			Content string `json:"content"`
		} `json:"result"`
		Error failure `json:"error"`
		About struct {
			Name string `json:"name"` // of the tool
		} `json:"toolDescription"`
		Failure string `json:"errorType"`
		Message string `json:"message"` // of an error
		Summary string `json:"summaryContent"`
		Usage   usage  `json:"usage"`
	} `json:"data"`
}

// failure is an error: an object, or a text in the events of subagents and compactions.
type failure struct {
	Message string `json:"message"`
	Code    string `json:"code"`
}

// UnmarshalJSON reads either form. It ignores any other value.
func (f *failure) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &f.Message) == nil {
		return nil
	}
	type object failure
	_ = json.Unmarshal(b, (*object)(f))
	return nil
}

// request is a tool call in an answer of the model.
type request struct {
	ID   string `json:"toolCallId"`
	Name string `json:"name"`
}

// location is an object with the client's directory.
type location struct {
	Cwd string `json:"cwd"`
}

// usage holds the tokens of a request, as the client counts them.
type usage struct {
	Model      string `json:"model"`
	Input      int64  `json:"inputTokens"` // including cached tokens
	Output     int64  `json:"outputTokens"`
	CacheRead  int64  `json:"cacheReadTokens"`
	CacheWrite int64  `json:"cacheWriteTokens"`
	Window     int64  `json:"maxPromptTokens"`
}

// hookNames maps the names of the client's tools to their names in hooks.
var hookNames = map[string]string{
	"bash": "Bash", "create": "Write", "view": "Read", "edit": "Edit", "task": "Agent", "grep": "Grep", "glob": "Glob",
	"ask_user": "AskUserQuestion",
}

// reader reads one session. It is not safe for concurrent use.
type reader struct {
	transcript.Reported
	transcript.Contexts // always empty: sessions do not show which texts of hooks reached the model
	path                string
	answers             map[string]answer // the newest answer of the running turn, by lane
	calls               transcript.Calls[call]
}

// answer is an answer of the model, and the id of its row.
type answer struct{ text, row string }

// call is a tool call that has begun.
type call struct {
	name string
	args json.RawMessage
}

// newReader returns a reader of the transcript at a path.
func newReader(path string) *reader {
	return &reader{path: path, answers: map[string]answer{}, Reported: transcript.NewReported(Name)}
}

// Row implements transcript.Parser.
func (r *reader) Row(b []byte) error { return transcript.Decode(b, r.dispatch) }

// Parse implements transcript.Watcher. It returns the steps that no hook reports: summaries of compactions, starts of subagents, calls
// that were not allowed, interrupted and failed turns, and samples of the usage.
func (r *reader) Parse(b []byte) []transcript.Step {
	var e row
	if transcript.Mentions(b, `"type":"hook.`, `"type":"system.message"`, `"type":"model.`) || transcript.Unmarshal(b, &e) != nil || r.Old(e.Timestamp.Time) {
		return nil
	}
	r.dispatch(e)
	return r.Flush()
}

// End reports the words of the main lane's last turn.
func (r *reader) End() { r.endTurn("") }

// hookIn returns a hook of a lane for a fact of the current row, without a payload.
func (r *reader) hookIn(lane string, kind events.HookKind) events.Hook {
	h := r.Hook(kind)
	h.Lane = lane
	return h
}

// dispatch handles a complete row.
func (r *reader) dispatch(e row) {
	if e.ID == "" {
		return
	}
	if !e.Timestamp.IsZero() {
		r.At = e.Timestamp.Time
	}
	d := e.Data
	if r.SessionID == "" { // a watcher may begin in the middle, and the first row may be torn
		r.SessionID = cmp.Or(d.SessionID, sessionIn(r.path))
	}
	r.Root = cmp.Or(r.Root, d.Context.Cwd, d.Input.Cwd, d.Cwd)
	r.Cwd = r.Root
	switch e.Type {
	case "session.start", "session.resume":
		r.begin(e)
	case "user.message":
		r.prompt(e)
	case "assistant.message":
		if text := strings.TrimSpace(d.Content); text != "" {
			r.answers[e.Agent] = answer{text, e.ID}
			if e.Agent == "" {
				r.Words = r.Words.Next(e.ID, "", text)
			}
		}
		if e.Agent == "" {
			for _, c := range d.Calls {
				r.Words.Called(c.Name, c.ID)
			}
		}
	case "tool.execution_start", "tool.user_requested":
		r.calls.Put(d.Call, call{cmp.Or(hookNames[d.Tool], d.Tool), d.Args})
	case "tool.execution_complete":
		r.result(e)
	case "subagent.started":
		r.Add(r.hookIn(e.Agent, events.SubagentStart), e.ID, "SubagentStart")
	case "subagent.completed", "subagent.failed":
		r.endTurn(e.Agent)
	case "abort":
		r.stopped(e, events.TurnInterrupt)
	case "session.error":
		r.stopped(e, events.TurnFail)
	case "session.compaction_complete":
		if d.Success && e.Agent == "" {
			r.Compactions++
			h := r.Hook(events.CompactEnd)
			h.Text = redact.Text(strings.TrimSpace(d.Summary))
			r.Add(h, e.ID, "compacted")
		}
	case "session.usage_record":
		r.sample(e)
	}
	r.Complete(e.ID)
}

// begin reports the start of a process of the client.
func (r *reader) begin(e row) {
	if r.Watching {
		return
	}
	source := "new"
	if e.Type == "session.resume" {
		source = "resume"
		r.endTurn("")
	}
	r.AddHook(Dialect, "", e.ID, "SessionStart", transcript.StartMembers(Dialect, source, r.path))
}

// prompt handles a message to the model, from the person or from another source.
func (r *reader) prompt(e row) {
	r.endTurn(e.Agent)
	machine := e.Data.Source != "" && e.Data.Source != "user" || e.Data.Continues
	if !machine {
		r.Words = r.Words.Asked(e.ID, "")
	}
	if r.Watching || e.Data.Content == "" {
		return
	}
	if s := r.AddHook(Dialect, e.Agent, e.ID, "UserPromptSubmit", map[string]any{"prompt": e.Data.Content}); s != nil {
		s.Report.Hook.Machine = s.Report.Hook.Machine || machine
		s.Sure = !machine
	}
}

// guidance is the end of a line that begins with "Tool NAME". After this line the client adds the texts of hooks to the output of a tool.
const guidance = " succeeded. Additional guidance from postToolUse hooks:\n"

// result handles the end of a call.
func (r *reader) result(e row) {
	c, known := r.calls.Take(e.Data.Call)
	unhooked := e.Data.Error.Code == "denied" || e.Data.Error.Code == "rejected" // the call did not run
	if !known {                                                                  // the row of the call's beginning is torn
		c.name = cmp.Or(hookNames[e.Data.About.Name], e.Data.About.Name)
	}
	if c.name == "" || r.Watching && !unhooked {
		return
	}
	members := map[string]any{"tool_name": c.name, "tool_input": c.args}
	hook := "PostToolUse"
	if e.Data.Success {
		text := e.Data.Result.Content
		if i := strings.Index(text, guidance); i >= 0 {
			text = text[:max(0, strings.LastIndex(text[:i], "\n\nTool "))]
		}
		members["tool_result"] = map[string]any{"result_type": "success", "text_result_for_llm": text}
	} else {
		hook = "PostToolUseFailure"
		members["error"] = e.Data.Error.Message
	}
	if s := r.AddHook(Dialect, e.Agent, e.ID, hook, members); s != nil {
		s.Sure, s.Unhooked, s.Report.Hook.Tool.Person = e.Data.Success, unhooked, e.Data.Person
	}
}

// stopped reports that the person or an error ended a turn, which no hook reports.
func (r *reader) stopped(e row, kind events.HookKind) {
	h := r.hookIn(e.Agent, kind)
	if kind == events.TurnInterrupt {
		h.Said = redact.Text(r.answers[e.Agent].text)
	} else {
		h.Reason, h.Text = redact.Text(e.Data.Failure), redact.Text(e.Data.Message)
	}
	delete(r.answers, e.Agent)
	r.Add(h, e.ID, e.Type)
}

// endTurn reports the model's last words of a lane's turn.
func (r *reader) endTurn(lane string) {
	newest, ok := r.answers[lane]
	if !ok {
		return
	}
	delete(r.answers, lane)
	if r.Watching {
		return
	}
	if lane != "" {
		r.AddHook(Dialect, lane, newest.row, "SubagentStop", map[string]any{"last_assistant_message": newest.text})
		return
	}
	h := r.Hook(events.TurnEnd)
	h.Text = redact.Text(newest.text)
	r.Add(h, newest.row, "Stop")
}

// sample reports the size of the main lane's context.
func (r *reader) sample(e row) {
	if e.Agent == "" {
		h := r.Hook(events.UsageSample)
		h.Model = e.Data.Usage.Model
		r.AddSample(h, e.ID, e.Data.Usage.Input, e.Data.Usage.Window)
	}
}

// sessionIn returns the session in the path of a file, "" for a file that is not a session's.
func sessionIn(path string) string {
	folder, name := filepath.Base(filepath.Dir(path)), filepath.Base(path)
	switch {
	case name == eventsFile:
		return folder
	case folder == sessionState:
		return strings.TrimSuffix(name, ".jsonl")
	}
	return ""
}

// errOlder is returned for a session of a client before October 2025.
var errOlder = errors.New("a session of a Copilot CLI before October 2025, whose form is not read")

// skim implements transcript.Format.Skim.
func skim(path string, in io.Reader) (transcript.Head, error) {
	switch folder := filepath.Base(filepath.Dir(path)); {
	case folder == olderState:
		return transcript.Head{}, errOlder
	case sessionIn(path) == "" && strings.Contains(filepath.ToSlash(path), "/"+sessionState+"/"):
		return transcript.Head{}, transcript.ErrOwn
	}
	return transcript.First(in, rowLimits, sessionIn(path), func(b []byte) (head transcript.Head, ok bool) {
		var e row
		if transcript.Unmarshal(b, &e) != nil || e.ID == "" || !strings.Contains(e.Type, ".") {
			return head, false
		}
		if e.Type == "session.start" {
			head.Session = cmp.Or(e.Data.SessionID, sessionIn(path))
		}
		head.Began = e.Timestamp.Time
		return head, true
	})
}

// requests implements transcript.Format.Requests.
func requests() func([]byte) []transcript.Request {
	turns := map[string]string{} // by lane
	return func(b []byte) []transcript.Request {
		var e row
		if !transcript.Mentions(b, `"session.usage_record"`, `"user.message"`) || transcript.Unmarshal(b, &e) != nil {
			return nil
		}
		if e.Type == "user.message" {
			turns[e.Agent] = e.ID
		}
		if e.Type != "session.usage_record" {
			return nil
		}
		u := e.Data.Usage
		return []transcript.Request{{
			ID: e.ID, Copy: e.ID, Lane: e.Agent, Turn: turns[e.Agent], At: e.Timestamp.Time, Model: u.Model,
			Tokens: events.Tokens{Input: max(0, u.Input-u.CacheRead-u.CacheWrite), CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output},
		}}
	}
}
