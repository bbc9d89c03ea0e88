package pi

import (
	"encoding/json"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
)

// A session, in ~/.pi/agent/sessions/PROJECT, is a tree of rows: each row names its parent row, and the conversation continues after
// the newest row. A fork begins with copies of the rows of its parent session.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.pi/agent/sessions", Moved: transcript.Moved{From: "~/.pi/agent", Var: "PI_CODING_AGENT_DIR"}, Names: []string{"*.jsonl"},
	Skim:     skim,
	Limits:   rowLimits,
	Begin:    transcript.Begin(newReader),
	Watch:    transcript.Watch(newReader),
	Contexts: contexts,
	Parent:   parent,
	Requests: requests,
})

// rowLimits keeps the same parts of a long row as the dialect keeps of a hook.
var rowLimits = payload.Limits{
	Whole: payload.Paths("message.content", "message.content[].text", "message.output", "content", "summary"),
	Drop:  payload.Paths("message.content[].data", "message.content[].thinking", "message.details.diff", "message.details.patch", "message.toolsAdded", "systemMessage"),
}

// row is one row of a session.
type row struct {
	Type      string          `json:"type"` // session, message, compaction, custom_message and others
	ID        string          `json:"id"`
	Parent    string          `json:"parentId"`
	Timestamp transcript.Time `json:"timestamp"`
	Cwd       string          `json:"cwd"`
	From      string          `json:"parentSession"` // of a fork: the path of its parent session
	Message   struct {
		Role    string          `json:"role"` // user, assistant, toolResult, bashExecution
		Content content         `json:"content"`
		Call    string          `json:"toolCallId"`
		Tool    string          `json:"toolName"`
		Details json.RawMessage `json:"details"`
		Failed  bool            `json:"isError"`
		Model   string          `json:"model"`
		Stop    string          `json:"stopReason"` // stop, length, toolUse, error, aborted
		Problem string          `json:"errorMessage"`
		Usage   usage           `json:"usage"`
		Command string          `json:"command"` // that the person ran
		Output  string          `json:"output"`
		Exit    int             `json:"exitCode"`
		Stopped bool            `json:"cancelled"`
	} `json:"message"`
	Summary string  `json:"summary"`
	Kept    string  `json:"firstKeptEntryId"`
	Custom  string  `json:"customType"`
	Content content `json:"content"`
	Model   string  `json:"model"`
	Usage   usage   `json:"usage"`
}

// uniqueID returns an id that is unique among all sessions, except for copies of the row, which have the same. The client's own ids are
// unique only in a session.
func (e row) uniqueID() string { return e.ID + " " + e.Timestamp.UTC().Format(time.RFC3339Nano) }

// usage holds the tokens of a request, as the client counts them.
type usage struct {
	Input      int64 `json:"input"` // without cached tokens
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Cost       struct {
		Total float64 `json:"total"` // in US dollars
	} `json:"cost"`
}

// content is a text, or a list of parts.
type content []part

// part is a part of a message.
type part struct {
	Type string          `json:"type"` // text, toolCall and others
	Text string          `json:"text"`
	ID   string          `json:"id"`
	Name string          `json:"name"` // of a toolCall: the tool
	Args json.RawMessage `json:"arguments"`
}

// UnmarshalJSON reads a text or a list of parts. Any other value is empty.
func (c *content) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = content{{Type: "text", Text: text}}
		return nil
	}
	var parts []part
	if transcript.Unmarshal(b, &parts) == nil {
		*c = parts
	}
	return nil
}

// text returns the texts, joined.
func (c content) text() string {
	var all []string
	for _, p := range c {
		if p.Type == "text" {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, "\n")
}

// output returns the output of a call, and the text that our extension added after it, "" if it added none.
func (e row) output() (output, added string) {
	var details struct {
		Journal bool `json:"journal"`
	}
	_ = json.Unmarshal(e.Message.Details, &details) // fields stay empty: details of other extensions may have any form
	parts := e.Message.Content
	if n := len(parts) - 1; details.Journal && n >= 0 {
		return parts[:n].text(), parts[n].Text
	}
	return parts.text(), ""
}

// reader reads one session. It is not safe for concurrent use.
type reader struct {
	transcript.Reported
	contextReader
	path       string
	newest     string         // id of the newest row
	prompts    map[string]int // index of the newest prompt up to each row, by the row's id
	branches   transcript.Branches
	rewind     *transcript.Rewind // a rewind that is not reported yet, nil if there is none
	lastAnswer row                // the model's newest message of the turn
	lastWords  string             // the model's newest words of the turn
	calls      transcript.Calls[json.RawMessage]
}

// newReader returns a reader of the transcript at a path.
func newReader(path string) *reader {
	return &reader{path: path, prompts: map[string]int{}, Reported: transcript.NewReported(Name)}
}

// Row implements transcript.Parser.
func (r *reader) Row(b []byte) error { return transcript.Decode(b, r.dispatch) }

// Parse implements transcript.Watcher. It returns the steps that the extension does not report: the person's own commands, and rewinds.
func (r *reader) Parse(b []byte) []transcript.Step {
	var e row
	if transcript.Unmarshal(b, &e) != nil {
		return nil
	}
	r.dispatch(e)
	return r.Flush()
}

// End reports the end of the last turn, and a rewind after it.
func (r *reader) End() {
	r.endTurn()
	r.reportRewind(r.newest, nil)
}

// dispatch handles a complete row.
func (r *reader) dispatch(e row) {
	if e.Type != "session" && r.Old(e.Timestamp.Time) {
		return
	}
	if !e.Timestamp.IsZero() {
		r.At = e.Timestamp.Time
	}
	if e.Type == "session" {
		r.begin(e)
		return
	}
	if r.SessionID == "" { // a watcher may begin in the middle, and the first row may be torn
		r.SessionID = sessionIn(r.path)
	}
	r.contextReader.dispatch(e)
	r.findRewind(e)
	switch {
	case e.Type == "message" && e.Message.Role == "user":
		r.prompt(e)
	case e.Type == "message" && e.Message.Role == "assistant":
		r.answer(e)
	case e.Type == "message" && e.Message.Role == "toolResult":
		args, _ := r.calls.Take(e.Message.Call)
		output, _ := e.output()
		r.addHookStep(e, "tool_result", map[string]any{
			"tool": e.Message.Tool, "call": e.Message.Call, "args": args, "output": output, "details": e.Message.Details, "failed": e.Message.Failed,
		}, !e.Message.Failed)
	case e.Type == "message" && e.Message.Role == "bashExecution":
		r.command(e)
	case e.Type == "compaction":
		r.endTurn()
		r.Compactions++
		r.addHookStep(e, "session_compact", map[string]any{"summary": e.Summary}, false)
	}
	r.prompts[e.ID], r.newest = r.branches.Newest(), e.ID
	r.Complete(e.uniqueID())
}

// begin handles the first row of the file.
func (r *reader) begin(e row) {
	r.SessionID, r.Root = e.ID, agents.Root("", e.Cwd)
	r.Cwd = r.Root
	if r.Watching {
		return
	}
	source := "startup"
	if e.From != "" {
		source = "fork"
		if file, _, err := disk.Open(e.From); err == nil {
			_ = file.Close()
			r.Since(e.Timestamp.Time) // skips the copied rows, which are read in the parent's file
		}
	}
	r.addHookStep(e, "session_start", transcript.StartMembers(Dialect, source, r.path), false)
}

// findRewind records a rewind if a row follows an older row than the newest one.
func (r *reader) findRewind(e row) {
	previous, known := r.prompts[e.Parent]
	if e.Parent == r.newest || !known {
		return
	}
	r.endTurn()
	if previous == r.branches.Newest() { // no prompt was taken back
		return
	}
	r.rewind = nil // the person moved on before the next prompt
	if first, ok := r.branches.Back(previous); ok {
		r.rewind = &transcript.Rewind{First: first}
	}
}

// reportRewind reports the recorded rewind, if there is one. row is the id of the row that shows it, and next the first prompt after
// it, nil if there is none.
func (r *reader) reportRewind(row string, next *transcript.Prompt) {
	if r.rewind != nil {
		r.rewind.Next = next
		r.AddRewind(r.Hook(events.Rewind), row, *r.rewind)
		r.rewind = nil
	}
}

// prompt handles a message of the person to the model.
func (r *reader) prompt(e row) {
	if r.lastAnswer.Message.Stop != "toolUse" { // after a call of a tool the prompt belongs to the running turn
		r.endTurn()
	}
	words := typed(e.Message.Content.text())
	r.Words = r.Words.Asked(e.uniqueID(), "")
	inLog, _ := agents.Words(words)
	prompt := r.Prompt(e.uniqueID(), "input", inLog)
	r.reportRewind(e.uniqueID(), &prompt)
	r.branches.Add(prompt)
	r.addHookStep(e, "input", map[string]any{"text": words}, true)
}

// typed returns a prompt as the person typed it. The client replaces the call of a skill, /skill:NAME, by the skill's text.
func typed(text string) string {
	rest, ok := strings.CutPrefix(text, `<skill name="`)
	if !ok {
		return text
	}
	name, rest, _ := strings.Cut(rest, `"`)
	_, words, _ := strings.Cut(rest, "\n</skill>")
	return strings.TrimSpace("/skill:" + name + " " + strings.TrimSpace(words))
}

// answer handles a message of the model.
func (r *reader) answer(e row) {
	r.lastAnswer = e
	if words := strings.TrimSpace(e.Message.Content.text()); words != "" {
		r.lastWords = words
		r.Words = r.Words.Next(e.uniqueID(), "", words)
	}
	for _, p := range e.Message.Content {
		if p.Type == "toolCall" {
			r.Words.Called(p.Name, p.ID)
			r.calls.Put(p.ID, p.Args)
		}
	}
}

// command handles a command that the person ran.
func (r *reader) command(e row) {
	r.endTurn()
	members := map[string]any{"tool": "bash", "call": e.uniqueID(), "args": map[string]any{"command": e.Message.Command}, "output": e.Message.Output}
	switch {
	case e.Message.Stopped:
		members["failed"], members["output"] = true, strings.TrimSpace(e.Message.Output+"\n\n(command cancelled)")
	case e.Message.Exit != 0:
		members["failed"], members["output"] = true, e.Message.Output+"\n\n"+exited+strconv.Itoa(e.Message.Exit)
	}
	if s := r.AddHook(Dialect, "", e.uniqueID(), "tool_result", members); s != nil {
		s.Report.Hook.Tool.Person, s.Unhooked = true, true
	}
}

// endTurn reports the end of the turn, unless the model's newest message calls a tool.
func (r *reader) endTurn() {
	m := r.lastAnswer.Message
	if m.Role == "" || m.Stop == "toolUse" {
		return
	}
	r.addHookStep(r.lastAnswer, "agent_settled", map[string]any{"said": r.lastWords, "aborted": m.Stop == "aborted", "error": m.Problem}, false)
	r.lastAnswer, r.lastWords = row{}, ""
}

// addHookStep adds the step of a hook. sure is its Step.Sure. It adds nothing while watching, because the extension reports the step.
func (r *reader) addHookStep(e row, hook string, members map[string]any, sure bool) {
	if r.Watching {
		return
	}
	if s := r.AddHook(Dialect, "", e.uniqueID(), hook, members); s != nil {
		s.Sure = sure
	}
}

// contextReader finds the contexts after a session's compactions.
type contextReader struct {
	transcript.Contexts
	rows []message // the newest rows of the branch on which the conversation continues
}

// message is the part of a row that the client may keep over a compaction: the row's id, and the prompt of a person or the id of a tool
// call.
type message struct{ id, prompt, call string }

// contextRows bounds the number of remembered rows.
const contextRows = 1000

// dispatch handles a complete row.
func (c *contextReader) dispatch(e row) {
	if i := slices.IndexFunc(c.rows, func(m message) bool { return m.id == e.Parent }); i >= 0 {
		c.rows = c.rows[:i+1] // the person took back the rows after the parent
	}
	m, text := message{id: e.ID, call: e.Message.Call}, ""
	switch {
	case e.Type == "compaction":
		c.compacted(e)
	case e.Type == "custom_message" && e.Custom == "journal":
		text = e.Content.text()
	case e.Type == "message":
		_, text = e.output()
		if e.Message.Role == "user" {
			m.prompt, _ = agents.Words(typed(e.Message.Content.text()))
		}
	}
	c.rows = append(c.rows[max(0, len(c.rows)-contextRows+1):], m)
	if n := len(c.All); n > 0 && text != "" {
		c.All[n-1].Texts = append(c.All[n-1].Texts, text)
		c.Shown++
	}
}

// compacted adds the context after a compaction, with the messages that the client kept in it.
func (c *contextReader) compacted(e row) {
	next := transcript.Context{Boundary: e.uniqueID()}
	kept := slices.IndexFunc(c.rows, func(m message) bool { return m.id == e.Kept })
	if kept < 0 {
		kept = len(c.rows)
	}
	for _, m := range c.rows[kept:] {
		if m.prompt != "" {
			next.Prompts = append(next.Prompts, m.prompt)
		}
		if m.call != "" {
			next.Uses = append(next.Uses, m.call)
		}
	}
	c.All = append(c.All, next)
	c.Shown++
}

// contexts implements transcript.Format.Contexts.
func contexts(path, lane string) ([]transcript.Context, error) {
	if lane != "" {
		return nil, fs.ErrNotExist
	}
	var c contextReader
	for b, err := range transcript.RowsOf(path, rowLimits) {
		if err != nil {
			return c.All, err
		}
		var e row
		if transcript.Unmarshal(b, &e) == nil {
			c.dispatch(e)
		}
	}
	return c.All, nil
}

// skim implements transcript.Format.Skim.
func skim(path string, in io.Reader) (transcript.Head, error) {
	return transcript.First(in, rowLimits, sessionIn(path), func(b []byte) (head transcript.Head, ok bool) {
		var e row
		if transcript.Unmarshal(b, &e) != nil || e.ID == "" {
			return head, false
		}
		if e.Type == "session" {
			head = transcript.Head{Session: e.ID, Fork: e.From != "", From: sessionIn(e.From)}
		}
		head.Began = e.Timestamp.Time
		return head, e.Type != ""
	})
}

// sessionIn returns the id in the name of a session's file, TIME_ID.jsonl, and "" for another name.
func sessionIn(path string) string {
	_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jsonl"), "_")
	return id
}

// parent implements transcript.Format.Parent. The first row names the parent, and the second row is the first copied one.
func parent(path string, _ time.Time) (session, id string, err error) {
	for b, err := range transcript.RowsOf(path, rowLimits) {
		var e row
		switch {
		case err != nil:
			return session, "", err
		case transcript.Unmarshal(b, &e) != nil:
			continue
		case e.Type != "session":
			return session, e.uniqueID(), nil
		}
		if session = sessionIn(e.From); session == "" {
			break
		}
	}
	return session, "", nil
}

// requests implements transcript.Format.Requests. The requests for summaries are included. A turn's id is that of its prompt.
func requests() func([]byte) []transcript.Request {
	turn := ""
	return func(b []byte) []transcript.Request {
		var e row
		if !transcript.Mentions(b, `"usage"`, `"user"`) || transcript.Unmarshal(b, &e) != nil {
			return nil
		}
		if e.Message.Role == "user" {
			turn = e.uniqueID()
		}
		u, model := e.Message.Usage, e.Message.Model
		if e.Type != "message" {
			u, model = e.Usage, e.Model
		}
		return []transcript.Request{{
			ID: e.uniqueID(), Copy: e.uniqueID(), Turn: turn, At: e.Timestamp.Time, Model: model, Price: int64(math.Round(u.Cost.Total * 1e6)),
			Tokens: events.Tokens{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output},
		}}
	}
}
