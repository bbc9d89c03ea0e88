package copilot

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
)

// Names below the client's folder: session-state/SESSION/events.jsonl, of older clients session-state/SESSION.jsonl, and of those
// before October 2025 older/session_SESSION_TIME.json.
const (
	sessionState = "session-state"
	eventsFile   = "events.jsonl"
	older        = "history-session-state"
)

// A session is one file of events, those of its subagents too.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.copilot/session-state", Moved: transcript.Moved{From: "~/.copilot", Var: "COPILOT_HOME"}, Names: []string{"*.jsonl", "session_*.json"},
	Beside:   older,
	Skim:     skim,
	Limits:   rowLimits,
	Begin:    transcript.Begin(newReader),
	Watch:    transcript.Watch(newReader),
	Requests: requests,
})

// rowLimits keeps of a long row what the dialect keeps of a hook.
var rowLimits = payload.Limits{
	Whole: payload.Paths("data.content", "data.summaryContent", "data.arguments.prompt",
		"data.result.content"), // output of commands is searched before it is cut
	Drop: payload.Paths("data.messages", "data.transformedContent", "data.result.detailedContent", "data.toolTelemetry", "data.output"),
}

// row is one event of the client.
type row struct {
	Type      string    `json:"type"`
	ID        string    `json:"id"`
	Timestamp time.Time `json:"timestamp"`
	Agent     string    `json:"agentId"` // of a subagent
	Data      struct {
		SessionID string   `json:"sessionId"`
		Producer  string   `json:"producer"`
		Context   location `json:"context"`
		Input     location `json:"input"` // of a hook
		location
		Content   string          `json:"content"`
		Source    string          `json:"source"` // empty or user for the person
		Continues bool            `json:"isAutopilotContinuation"`
		Call      string          `json:"toolCallId"`
		Tool      string          `json:"toolName"`
		Args      json.RawMessage `json:"arguments"`
		Calls     []struct{}      `json:"toolRequests"`
		Person    bool            `json:"isUserRequested"`
		Success   bool            `json:"success"`
		Result    struct {
			Content string `json:"content"`
		} `json:"result"`
		Error failure `json:"error"`
		About struct {
			Name string `json:"name"`
		} `json:"toolDescription"`
		Failure string `json:"errorType"`
		Message string `json:"message"` // of an error
		Summary string `json:"summaryContent"`
		Usage   usage  `json:"usage"`
	} `json:"data"`
}

// failure is an object, of a subagent and of a compaction a text.
type failure struct {
	Message string `json:"message"`
	Code    string `json:"code"`
}

// UnmarshalJSON reads either form.
func (f *failure) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &f.Message) == nil {
		return nil
	}
	type object failure
	return json.Unmarshal(b, (*object)(f))
}

// location has the directory of the client.
type location struct {
	Cwd string `json:"cwd"`
}

// usage holds the tokens of a request, as the client counts them.
type usage struct {
	Model      string `json:"model"`
	Input      int64  `json:"inputTokens"` // includes what caches held
	Output     int64  `json:"outputTokens"`
	CacheRead  int64  `json:"cacheReadTokens"`
	CacheWrite int64  `json:"cacheWriteTokens"`
	Window     int64  `json:"maxPromptTokens"`
}

// hookNames maps the client's tools to their names in hooks.
var hookNames = map[string]string{
	"bash": "Bash", "create": "Write", "view": "Read", "edit": "Edit", "task": "Agent", "grep": "Grep", "glob": "Glob",
	"ask_user": "AskUserQuestion",
}

// reader reads one session. It is not safe for concurrent use.
type reader struct {
	transcript.Reported
	transcript.Contexts // none: only the texts of hooks are in it, not what became of them
	path                string
	session, root       string
	answers             map[string]answered // of each lane, in its running turn
	tokens              int64               // of the newest reported sample
	calls               transcript.Calls[call]
}

// answered is the newest answer of a turn and its row.
type answered struct{ text, row string }

// call is a tool call that began.
type call struct {
	name string
	args json.RawMessage
}

func newReader(path string) *reader {
	r := &reader{path: path, answers: map[string]answered{}, Reported: transcript.Reported{At: time.Unix(0, 0)}}
	r.Hook = func(kind events.HookKind) events.Hook { return r.hook(kind, "") }
	return r
}

func (r *reader) Session() string { return r.session }

// Row handles a row.
func (r *reader) Row(b []byte) error { return transcript.Decode(b, r.take) }

// Parse reads a row of a growing session. It reports what no hook does: summaries of compactions, starts of subagents, calls
// that were not allowed, and the usage.
func (r *reader) Parse(b []byte) []transcript.Step {
	var e row
	if transcript.Mentions(b, `"type":"hook.`, `"type":"system.message"`, `"type":"model.`) || json.Unmarshal(b, &e) != nil || r.Old(e.Timestamp) {
		return nil
	}
	r.take(e)
	return r.Flush()
}

// End reports the words of the last turn.
func (r *reader) End() { r.endTurn("") }

// hook returns what a row reports by itself, without a payload.
func (r *reader) hook(kind events.HookKind, lane string) events.Hook {
	return events.Hook{Agent: Name, Native: "transcript", Kind: kind, Session: r.session, Lane: lane, At: r.At.UnixNano(), Root: r.root, Cwd: r.root}
}

// take handles a complete row.
func (r *reader) take(e row) {
	if e.ID == "" {
		return
	}
	if !e.Timestamp.IsZero() {
		r.At = e.Timestamp
	}
	d := e.Data
	if r.session == "" { // a watcher may begin in the middle, and the first row may be torn
		r.session = cmp.Or(d.SessionID, sessionIn(r.path))
	}
	r.root = cmp.Or(r.root, d.Context.Cwd, d.Input.Cwd, d.Cwd)
	switch e.Type {
	case "session.start", "session.resume":
		r.began(e)
	case "user.message":
		r.prompt(e)
	case "assistant.message":
		if text := strings.TrimSpace(d.Content); text != "" {
			r.answers[e.Agent] = answered{text, e.ID}
			if e.Agent == "" {
				r.Words = r.Words.Then(e.ID, "", text)
			}
		}
		if e.Agent == "" {
			r.Words.Calls += len(d.Calls)
		}
	case "tool.execution_start", "tool.user_requested":
		r.calls.Put(d.Call, call{cmp.Or(hookNames[d.Tool], d.Tool), d.Args})
	case "tool.execution_complete":
		r.result(e)
	case "subagent.started":
		r.Add(r.hook(events.SubagentStart, e.Agent), e.ID, "SubagentStart")
	case "subagent.completed", "subagent.failed":
		r.endTurn(e.Agent)
	case "abort":
		r.stopped(e, events.TurnInterrupt)
	case "session.error":
		r.stopped(e, events.TurnFail)
	case "session.compaction_complete":
		if d.Success && e.Agent == "" {
			r.Compactions++
			h := r.hook(events.CompactEnd, "")
			h.Text = redact.Text(strings.TrimSpace(d.Summary))
			r.Add(h, e.ID, "compacted")
		}
	case "session.usage_record":
		r.sample(e)
	}
	r.Whole(e.ID)
}

// began reports a start of the client.
func (r *reader) began(e row) {
	if r.Watching {
		return
	}
	source := "new"
	if e.Type == "session.resume" {
		source = "resume"
		r.endTurn("")
	}
	members := map[string]any{"source": source}
	if filepath.IsAbs(r.path) {
		members["transcript_path"] = r.path
	}
	r.payload(e.ID, "", "SessionStart", members)
}

// prompt handles a message to the model. Others than the person's name their source.
func (r *reader) prompt(e row) {
	r.endTurn(e.Agent)
	machine := e.Data.Source != "" && e.Data.Source != "user" || e.Data.Continues
	if !machine {
		r.Words = transcript.Words{Row: e.ID}
	}
	if r.Watching || e.Data.Content == "" {
		return
	}
	if s := r.payload(e.ID, e.Agent, "UserPromptSubmit", map[string]any{"prompt": e.Data.Content}); s != nil {
		s.Report.Hook.Machine = s.Report.Hook.Machine || machine
		s.Sure = !machine
	}
}

// guidance begins what hooks of the person's add to the output of a tool.
const guidance = " succeeded. Additional guidance from postToolUse hooks:\n"

// result handles the end of a call.
func (r *reader) result(e row) {
	c, known := r.calls.Take(e.Data.Call)
	unhooked := e.Data.Error.Code == "denied" || e.Data.Error.Code == "rejected" // it did not run
	if !known {
		// The row that began it is torn.
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
	if s := r.payload(e.ID, e.Agent, hook, members); s != nil {
		s.Sure, s.Unhooked, s.Report.Hook.Tool.Person = e.Data.Success, unhooked, e.Data.Person
	}
}

// stopped reports that the person or an error ended a turn. No hook does.
func (r *reader) stopped(e row, kind events.HookKind) {
	h := r.hook(kind, e.Agent)
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
		r.payload(newest.row, lane, "SubagentStop", map[string]any{"last_assistant_message": newest.text})
		return
	}
	h := r.hook(events.TurnEnd, "")
	h.Text = redact.Text(newest.text)
	r.Add(h, newest.row, "Stop")
}

// sample reports how full the context was, when it changed by five points.
func (r *reader) sample(e row) {
	u := e.Data.Usage
	if u.Input <= 0 || e.Agent != "" || max(u.Input-r.tokens, r.tokens-u.Input) < max(u.Window, 1)/20 {
		return
	}
	r.tokens = u.Input
	h := r.hook(events.UsageSample, "")
	h.Model, h.Usage = redact.Text(u.Model), &events.Usage{Tokens: u.Input, Window: u.Window}
	if u.Window > 0 {
		h.Usage.Percent = int(min(100, u.Input*100/u.Window))
	}
	r.Add(h, e.ID, "usage")
}

// payload adds the step of a hook, from the payload that the client would have given it.
func (r *reader) payload(id, lane, hook string, members map[string]any) *transcript.Step {
	members["hook_event_name"], members["session_id"], members["cwd"] = hook, r.session, r.root
	if lane != "" {
		members["agent_id"] = lane
	}
	env := agents.Env{Now: r.At, Getenv: func(name string) string {
		if name == Dialect.Vars.Project {
			return r.root
		}
		return ""
	}}
	return r.Payload(Dialect, members, env, id, hook)
}

// sessionIn returns the session that the path of a file names, empty for another file.
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

// errOlder is the error for a session of an older client.
var errOlder = errors.New("a session of a Copilot CLI before October 2025, whose form is not read")

// skim reads the first row of a session.
func skim(path string, in io.Reader) (transcript.Head, error) {
	switch folder := filepath.Base(filepath.Dir(path)); {
	case folder == older:
		return transcript.Head{}, errOlder
	case sessionIn(path) == "" && strings.Contains(filepath.ToSlash(path), "/"+sessionState+"/"):
		return transcript.Head{}, transcript.ErrOwn
	}
	return transcript.First(in, rowLimits, sessionIn(path), func(b []byte) (head transcript.Head, ok bool) {
		var e row
		if json.Unmarshal(b, &e) != nil || e.ID == "" || !strings.Contains(e.Type, ".") {
			return head, false
		}
		if e.Type == "session.start" {
			head.Session = e.Data.SessionID
		}
		head.Began = e.Timestamp
		return head, true
	})
}

// requests reads what requests used.
func requests() func([]byte) []transcript.Request {
	turns := map[string]string{} // by lane
	return func(b []byte) []transcript.Request {
		var e row
		if !transcript.Mentions(b, `"type":"session.usage_record"`, `"type":"user.message"`) || json.Unmarshal(b, &e) != nil {
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
			ID: e.ID, Copy: e.ID, Lane: e.Agent, Turn: turns[e.Agent], At: e.Timestamp, Model: u.Model,
			Tokens: events.Tokens{Input: max(0, u.Input-u.CacheRead-u.CacheWrite), CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output},
		}}
	}
}
