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

// A session, below ~/.pi/agent/sessions/PROJECT, is a tree of rows: each names its parent, and the newest is where it goes on.
// A fork begins with copies of its parent's rows.
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

// rowLimits keeps of a long row what the dialect keeps of a hook.
var rowLimits = payload.Limits{
	Whole: payload.Paths("message.content", "message.content[].text", "message.output", "content", "summary"),
	Drop:  payload.Paths("message.content[].data", "message.content[].thinking", "message.details.diff", "message.details.patch", "message.toolsAdded", "systemMessage"),
}

// row is one row of a session.
type row struct {
	Type      string    `json:"type"` // session, message, compaction, custom_message and others
	ID        string    `json:"id"`
	Parent    string    `json:"parentId"`
	Timestamp time.Time `json:"timestamp"`
	Cwd       string    `json:"cwd"`
	From      string    `json:"parentSession"` // the file of the session that a fork was made from
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
		Command string          `json:"command"` // of the person
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

// name returns an id that no other row has but its copies: the client's ids are short, and unique in a session.
func (e row) name() string { return e.ID + " " + e.Timestamp.UTC().Format(time.RFC3339Nano) }

// usage holds the tokens of a request, as the client counts them.
type usage struct {
	Input      int64 `json:"input"` // without what caches held
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Cost       struct {
		Total float64 `json:"total"` // in dollars
	} `json:"cost"`
}

// content is a text, or a list of parts.
type content []part

type part struct {
	Type string          `json:"type"` // text, toolCall
	Text string          `json:"text"`
	ID   string          `json:"id"`
	Args json.RawMessage `json:"arguments"`
}

// UnmarshalJSON reads either form. Any other is empty.
func (c *content) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = content{{Type: "text", Text: text}}
		return nil
	}
	var parts []part
	if json.Unmarshal(b, &parts) == nil {
		*c = parts
	}
	return nil
}

// text returns the words.
func (c content) text() string {
	var all []string
	for _, p := range c {
		if p.Type == "text" {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, "\n")
}

// output returns the output of a call, and the text that the extension added behind it.
func (e row) output() (output, added string) {
	var details struct {
		Journal bool `json:"journal"`
	}
	_ = json.Unmarshal(e.Message.Details, &details) // another tool's may have any form
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
	path          string
	session, root string
	leaf          string         // the newest row
	behind        map[string]int // the newest prompt up to each row
	branches      transcript.Branches
	back          *transcript.Rewind // until the next prompt
	last          row                // the model's newest message of the turn, and its newest words
	said          string
	calls         transcript.Calls[json.RawMessage]
}

func newReader(path string) *reader {
	r := &reader{path: path, behind: map[string]int{}, Reported: transcript.Reported{At: time.Unix(0, 0)}}
	r.Hook = r.hook
	return r
}

func (r *reader) Session() string { return r.session }

// Row handles a row.
func (r *reader) Row(b []byte) error { return transcript.Decode(b, r.take) }

// Parse reads a row of a growing session. It reports what the extension does not: the person's own commands and the way back in
// the tree.
func (r *reader) Parse(b []byte) []transcript.Step {
	var e row
	if json.Unmarshal(b, &e) != nil {
		return nil
	}
	r.take(e)
	return r.Flush()
}

// End reports the end of the last turn.
func (r *reader) End() {
	r.endTurn()
	r.rewound(r.leaf, nil)
}

// hook returns what a row reports by itself, without a payload.
func (r *reader) hook(kind events.HookKind) events.Hook {
	return events.Hook{Agent: Name, Native: "transcript", Kind: kind, Session: r.session, At: r.At.UnixNano(), Root: r.root, Cwd: r.root}
}

// take handles a complete row.
func (r *reader) take(e row) {
	if e.Type != "session" && r.Old(e.Timestamp) {
		return
	}
	if !e.Timestamp.IsZero() {
		r.At = e.Timestamp
	}
	if e.Type == "session" {
		r.began(e)
		return
	}
	if r.session == "" { // a watcher may begin in the middle, and the first row may be torn
		r.session = sessionIn(r.path)
	}
	r.contextReader.take(e)
	r.moved(e)
	switch {
	case e.Type == "message" && e.Message.Role == "user":
		r.prompt(e)
	case e.Type == "message" && e.Message.Role == "assistant":
		r.answer(e)
	case e.Type == "message" && e.Message.Role == "toolResult":
		args, _ := r.calls.Take(e.Message.Call)
		output, _ := e.output()
		r.tell(e, "tool_result", map[string]any{
			"tool": e.Message.Tool, "call": e.Message.Call, "args": args, "output": output, "details": e.Message.Details, "failed": e.Message.Failed,
		}, !e.Message.Failed)
	case e.Type == "message" && e.Message.Role == "bashExecution":
		r.command(e)
	case e.Type == "compaction":
		r.endTurn()
		r.Compactions++
		r.tell(e, "session_compact", map[string]any{"summary": e.Summary}, false)
	}
	r.behind[e.ID], r.leaf = r.branches.Newest(), e.ID
	r.Whole(e.name())
}

// began handles the row that begins the file.
func (r *reader) began(e row) {
	r.session, r.root = e.ID, agents.Root("", e.Cwd)
	if r.Watching {
		return
	}
	source := "startup"
	if e.From != "" {
		source = "fork"
		if file, _, err := disk.Open(e.From); err == nil {
			_ = file.Close()
			r.Since(e.Timestamp) // the copied rows are read there
		}
	}
	members := map[string]any{"source": source}
	if filepath.IsAbs(r.path) {
		members["transcript"] = r.path
	}
	r.tell(e, "session_start", members, false)
}

// moved notes that the person went back in the tree, if the row goes on behind another than the newest.
func (r *reader) moved(e row) {
	behind, known := r.behind[e.Parent]
	if e.Parent == r.leaf || !known {
		return
	}
	r.endTurn()
	if first, ok := r.branches.Back(behind); ok && r.back == nil {
		r.back = &transcript.Rewind{First: first}
	}
}

// rewound reports that, with the next prompt.
func (r *reader) rewound(row string, next *transcript.Prompt) {
	if r.back != nil {
		r.back.Next = next
		r.Rewound(r.hook(events.Rewind), row, *r.back)
		r.back = nil
	}
}

// prompt handles a message to the model.
func (r *reader) prompt(e row) {
	if r.last.Message.Stop != "toolUse" { // else it goes into the running turn
		r.endTurn()
	}
	words := typed(e.Message.Content.text())
	r.Words = transcript.Words{Row: e.name()}
	id := transcript.Step{Row: e.name(), What: "input"}.IDs(1)[0]
	shown, _ := agents.Words(words)
	prompt := transcript.Prompt{ID: id, Words: transcript.WordsOf(shown), At: r.At.UnixNano(), Place: r.Place("")}
	r.rewound(e.name(), &prompt)
	r.branches.Add(prompt)
	r.tell(e, "input", map[string]any{"text": words}, true)
}

// typed returns what the person typed, of which the client made text.
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
	r.last = e
	if words := strings.TrimSpace(e.Message.Content.text()); words != "" {
		r.said = words
		r.Words = r.Words.Then(e.name(), "", words)
	}
	for _, p := range e.Message.Content {
		if p.Type == "toolCall" {
			r.Words.Calls++
			r.calls.Put(p.ID, p.Args)
		}
	}
}

// command handles a command that the person ran.
func (r *reader) command(e row) {
	r.endTurn()
	members := map[string]any{"tool": "bash", "call": e.name(), "args": map[string]any{"command": e.Message.Command}, "output": e.Message.Output}
	switch {
	case e.Message.Stopped:
		members["failed"], members["output"] = true, strings.TrimSpace(e.Message.Output+"\n\n(command cancelled)")
	case e.Message.Exit != 0:
		members["failed"], members["output"] = true, e.Message.Output+"\n\n"+exited+strconv.Itoa(e.Message.Exit)
	}
	if s := r.payload(e, "tool_result", members); s != nil {
		s.Report.Hook.Tool.Person, s.Unhooked = true, true
	}
}

// endTurn reports how the turn ended.
func (r *reader) endTurn() {
	m := r.last.Message
	if m.Role == "" || m.Stop == "toolUse" {
		return
	}
	r.tell(r.last, "agent_settled", map[string]any{"said": r.said, "aborted": m.Stop == "aborted", "error": m.Problem}, false)
	r.last, r.said = row{}, ""
}

// tell adds the step of a hook, unless the extension reported it.
func (r *reader) tell(e row, hook string, members map[string]any, sure bool) {
	if r.Watching {
		return
	}
	if s := r.payload(e, hook, members); s != nil {
		s.Sure = sure
	}
}

// payload adds a step from the payload that the extension would have sent.
func (r *reader) payload(e row, hook string, members map[string]any) *transcript.Step {
	members["hook"], members["session"], members["directory"] = hook, r.session, r.root
	env := agents.Env{Now: r.At, Getenv: func(string) string { return "" }}
	return r.Payload(Dialect, members, env, e.name(), hook)
}

// contextReader reads what a session shows of the contexts after its compactions.
type contextReader struct {
	transcript.Contexts
	rows []message // the newest, up to where the session goes on
}

// message is the part of a row that the client may keep over a compaction.
type message struct{ id, prompt, call string }

// contextRows bounds the remembered rows before a compaction.
const contextRows = 1000

func (c *contextReader) take(e row) {
	if i := slices.IndexFunc(c.rows, func(m message) bool { return m.id == e.Parent }); i >= 0 {
		c.rows = c.rows[:i+1] // without what the person took back
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

// compacted begins a context, with the messages that the client kept in it.
func (c *contextReader) compacted(e row) {
	next := transcript.Context{Boundary: e.name()}
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
	err := transcript.EachRow(path, rowLimits, func(b []byte) {
		var e row
		if json.Unmarshal(b, &e) == nil {
			c.take(e)
		}
	})
	return c.All, err
}

// skim reads the first row of a session.
func skim(path string, in io.Reader) (transcript.Head, error) {
	return transcript.First(in, rowLimits, sessionIn(path), func(b []byte) (head transcript.Head, ok bool) {
		var e row
		if json.Unmarshal(b, &e) != nil || e.ID == "" {
			return head, false
		}
		if e.Type == "session" {
			head = transcript.Head{Session: e.ID, Fork: e.From != "", From: sessionIn(e.From)}
		}
		head.Began = e.Timestamp
		return head, e.Type != ""
	})
}

// sessionIn returns the id in the name of a session's file: TIME_ID.jsonl.
func sessionIn(path string) string {
	_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jsonl"), "_")
	return id
}

// parent implements transcript.Format.Parent: the first row is copied.
func parent(path string, _ time.Time) (session, id string, err error) {
	rows, file, err := transcript.OpenRows(path, rowLimits)
	if err != nil {
		return "", "", err
	}
	defer file.Close()
	err = rows.Each(func(b []byte) bool {
		var e row
		if json.Unmarshal(b, &e) != nil {
			return true
		}
		if e.Type != "session" {
			id = e.name()
			return false
		}
		session = sessionIn(e.From)
		return session != ""
	})
	return session, id, err
}

// requests reads what requests used: those of the model, and those that made summaries.
func requests() func([]byte) []transcript.Request {
	turn := ""
	return func(b []byte) []transcript.Request {
		var e row
		if !transcript.Mentions(b, `"usage"`, `"role":"user"`) || json.Unmarshal(b, &e) != nil {
			return nil
		}
		if e.Message.Role == "user" {
			turn = e.name()
		}
		u, model := e.Message.Usage, e.Message.Model
		if e.Type != "message" {
			u, model = e.Usage, e.Model
		}
		return []transcript.Request{{
			ID: e.name(), Copy: e.name(), Turn: turn, At: e.Timestamp, Model: model, Price: int64(math.Round(u.Cost.Total * 1e6)),
			Tokens: events.Tokens{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output},
		}}
	}
}
