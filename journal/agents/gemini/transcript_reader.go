package gemini

import (
	"cmp"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
)

// A chat, below ~/.gemini/tmp/PROJECT/chats, has rows of messages, and rows that replace all messages.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.gemini/tmp", Names: []string{"*.jsonl", "session-*.json"},
	Around:   func(path string) []string { return []string{filepath.Dir(path)} },
	Skim:     skim,
	Rows:     rowsOf,
	Limits:   rowLimits,
	Begin:    transcript.Begin(newReader),
	Watch:    transcript.Watch(newReader),
	Goes:     goes,
	Requests: requests,
})

// goes returns the chat in which a session continues. A process that resumes it passes a file with its own start time
// to the start's hook, but writes to the first file.
func goes(path string) string {
	dir, name := filepath.Split(path)
	id := name[strings.LastIndexByte(name, '-')+1:]
	if found, err := filepath.Glob(filepath.Join(dir, "session-*-"+id)); err == nil && len(found) > 0 {
		return found[0]
	}
	return path
}

// rowLimits keeps of a long row what the dialect keeps of a hook.
var rowLimits = payload.Limits{
	Whole: payload.Paths("content", "content[].text", "$set.messages[].content[].text",
		// Output of commands is searched before it is cut.
		"toolCalls[].result[].functionResponse.response.output"),
	Drop: payload.Paths("toolCalls[].resultDisplay.fileDiff", "toolCalls[].resultDisplay.originalContent", "toolCalls[].resultDisplay.newContent"),
}

// reader reads one chat. It is not safe for concurrent use.
type reader struct {
	transcript.Reported
	transcript.Contexts // none: chats do not show which hook texts arrived
	path                string
	lane                string // of a subagent
	session             string
	start               row // of the session, until it is reported
	root                string
	seen                map[string]bool // what was reported, by the ids of messages, calls and summaries
	lastWords           string          // the model's newest words of the turn, and their message
	saying              string
	tokens              int64               // of the newest reported sample
	branches            transcript.Branches // prompts
	behind              map[string]int      // the prompt before each prompt, by the id of its message
}

func newReader(path string) *reader {
	r := &reader{path: path, seen: map[string]bool{}, behind: map[string]int{}, Reported: transcript.Reported{At: time.Unix(0, 0)}}
	r.Hook = r.hook
	return r
}

func (r *reader) Session() string { return r.session }

// Row handles a row.
func (r *reader) Row(b []byte) error { return transcript.Decode(b, r.take) }

// End reports the words of the last turn.
func (r *reader) End() { r.endTurn() }

// hook returns what a row reports by itself, without a payload.
func (r *reader) hook(kind events.HookKind) events.Hook {
	return events.Hook{Agent: Name, Native: "transcript", Kind: kind, Session: r.session, Lane: r.lane, At: r.At.UnixNano(), Root: r.root, Cwd: r.root}
}

// take handles a complete row.
func (r *reader) take(row row) {
	if at := row.time(); !at.IsZero() {
		r.At = at
	}
	switch {
	case row.SessionID != "" && row.ID == "":
		r.began(row)
	case r.session == "" && row.ID != "" && !r.Watching && r.torn():
		r.take(row)
	case row.Set != nil:
		for _, m := range row.Set.Messages {
			r.set(m)
		}
	case row.RewindTo != "":
		r.rewind(row.RewindTo)
	case row.ID != "":
		r.begin()
		r.Whole(row.ID)
		r.message(row)
	}
}

// torn reports whether the chat's name has what the first row lacks, and handles that.
func (r *reader) torn() bool {
	rows, file, err := transcript.OpenRows(r.path, rowLimits)
	if err != nil {
		return false
	}
	defer file.Close()
	head, err := head(r.path, rows)
	if err != nil {
		return false
	}
	r.began(head)
	return true
}

// began handles the row that each process of the client writes first. The newest process rewrites the first row of the
// file, so the earliest such row before the first message is the session's start.
func (r *reader) began(row row) {
	switch {
	case r.session == "":
		r.session, r.start = row.top(r.path), row
		if row.Kind == subagent {
			r.lane = row.SessionID
		}
		if filepath.IsAbs(r.path) {
			r.root = rootNear(r.path, r.session, row.Kind)
		}
	case r.start.SessionID != "" && row.StartTime.Before(r.start.StartTime):
		r.start = row
	case r.start.SessionID == "":
		r.endTurn()
		r.started(row, "resume")
	}
}

// begin reports the start of the session before its first other step.
func (r *reader) begin() {
	if first := r.start; first.SessionID != "" {
		r.start = row{}
		at := r.At
		r.At = first.StartTime
		r.started(first, "startup")
		r.At = at
	}
}

func (r *reader) started(row row, source string) {
	id := r.session + " " + row.StartTime.UTC().Format(time.RFC3339Nano)
	if r.lane != "" {
		r.Add(r.hook(events.SubagentStart), r.named(id), "SubagentStart")
		return
	}
	members := payloadMembers{"source": source}
	if filepath.IsAbs(r.path) {
		members["transcript_path"] = r.path
	}
	r.tell(id, "SessionStart", members)
}

// named returns the id of a row that is unique among all chats. Subagents' chats and those of older clients have ids that
// others may have; a watcher, which may begin in the middle of a chat, reads neither.
func (r *reader) named(row string) string {
	switch {
	case r.lane != "":
		return r.lane + " " + row
	case filepath.Ext(r.path) == ".json":
		return r.session + " " + row
	}
	return row
}

// rewind reports that the person went back to a prompt. The row has no time.
func (r *reader) rewind(to string) {
	behind, known := r.behind[to]
	if !known {
		return
	}
	r.endTurn()
	if first, back := r.branches.Back(behind); back {
		r.Rewound(r.hook(events.Rewind), "rewind "+strconv.Itoa(r.Place(""))+" "+to, transcript.Rewind{First: first})
	}
}

// set handles a message of a row that replaces all messages. Only a summary is new: the others were messages of their
// own.
func (r *reader) set(m row) {
	text := strings.TrimSpace(m.Content.Text)
	switch {
	case m.Type != "user":
	case strings.HasPrefix(text, sessionContext):
		r.root = rootOf(text, r.root)
	case strings.HasPrefix(text, snapshot) && !r.seen["summary "+m.ID]:
		r.seen["summary "+m.ID] = true
		r.Compactions++
		h := r.hook(events.CompactEnd)
		if at := m.time(); !at.IsZero() { // the row itself has none
			h.At = at.UnixNano()
		}
		text, _, _ = strings.Cut(strings.TrimPrefix(text, snapshot), "</state_snapshot>")
		h.Text = redact.Text(strings.TrimSpace(text))
		r.Add(h, r.named(m.ID), "compressed")
	}
}

const (
	sessionContext = "<session_context>"
	snapshot       = "<state_snapshot>"
)

// rootOf reads the client's working directory from its first message.
func rootOf(text, known string) string {
	_, rest, ok := strings.Cut(text, "- **Workspace Directories:**\n  - ")
	if !ok {
		return known
	}
	root, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(root)
}

// message handles a message. The client writes the model's messages again when their calls have ended.
func (r *reader) message(row row) {
	text := row.Content.Text
	switch {
	case row.Type == "user" && row.Content.Response, strings.HasPrefix(strings.TrimSpace(text), sessionContext), strings.HasPrefix(strings.TrimSpace(text), snapshot):
	case row.Type == "user" && !r.seen[row.ID] && Typed(text) != "":
		r.seen[row.ID] = true
		r.endTurn()
		r.Words = transcript.Words{Row: row.ID}
		r.behind[row.ID] = r.branches.Newest()
		id := transcript.Step{Row: row.ID, What: "BeforeAgent"}.IDs(1)[0]
		r.branches.Add(transcript.Prompt{ID: id, Words: transcript.WordsOf(Typed(text)), At: r.At.UnixNano(), Place: r.Place("")})
		r.tell(row.ID, "BeforeAgent", payloadMembers{"prompt": text})
	case row.Type == "gemini":
		r.sample(row)
		if text != "" && r.Words.Row != row.ID {
			r.Words = r.Words.Then(row.ID, "", "")
		}
		for _, c := range row.ToolCalls {
			r.call(c)
		}
		if text != "" {
			r.lastWords, r.saying, r.Words.Text = text, row.ID, strings.TrimSpace(text)
		} else if n := len(row.Thoughts); n > 0 {
			r.Words.Think(row.Thoughts[n-1].Description)
		}
	}
}

// call handles a tool call that has ended, or that the person refused, which no hook reports.
func (r *reader) call(c endedCall) {
	refused := c.Status == "cancelled" && denied(c.output())
	if r.seen[c.ID] || c.Status != "success" && c.Status != "error" && !refused {
		return
	}
	r.seen[c.ID] = true
	r.Words.Called(c.Name)
	if r.Watching && !refused {
		return
	}
	response := map[string]any{"llmContent": c.output(), "returnDisplay": c.Display}
	if c.Status != "success" {
		response["error"] = map[string]any{"message": c.output()}
	}
	r.payload(c.ID, "AfterTool", payloadMembers{"tool_name": c.Name, "tool_input": c.Args, "tool_response": response})
}

// endTurn reports the model's last words of a turn.
func (r *reader) endTurn() {
	if r.lastWords == "" {
		return
	}
	r.tell(r.saying, "AfterAgent", payloadMembers{"prompt_response": r.lastWords})
	r.lastWords, r.saying = "", ""
}

// window is the window of the client's models (see Dialect).
const window = 1 << 20

// sample reports how full the context was, when it changed by five points.
func (r *reader) sample(row row) {
	n := row.Tokens.Input
	if n <= 0 || max(n-r.tokens, r.tokens-n) < window/20 {
		return
	}
	r.tokens = n
	h := r.hook(events.UsageSample)
	h.Model, h.Usage = redact.Text(row.Model), &events.Usage{Tokens: n}
	r.Add(h, r.named(row.ID), "usage")
}

// payloadMembers holds members of a hook's payload.
type payloadMembers map[string]any

// tell adds the step of a hook, unless a hook reported it.
func (r *reader) tell(id, hook string, members payloadMembers) {
	if !r.Watching {
		r.payload(id, hook, members)
	}
}

// payload adds the step of a hook, from the payload that the client would have given it.
func (r *reader) payload(id, hook string, members payloadMembers) {
	members["hook_event_name"], members["session_id"], members["cwd"] = hook, r.session, r.root
	env := agents.Env{Now: r.At, Getenv: func(string) string { return r.root }}
	s := r.Payload(Dialect, members, env, r.named(id), hook)
	if s == nil {
		return
	}
	s.Sure = hook == "AfterTool" || hook == "BeforeAgent"
	if r.lane == "" {
		return
	}
	// A subagent's prompt is the task from its parent.
	h := &s.Report.Hook
	h.Lane, h.Machine = r.lane, h.Kind == events.PromptSubmit
	if h.Kind == events.TurnEnd {
		h.Kind = events.SubagentEnd
	}
}

// skim reads the first row of a chat.
func skim(path string, in io.Reader) (transcript.Head, error) {
	row, err := head(path, transcript.NewRows(in, rowLimits, nil))
	if err != nil {
		return transcript.Head{}, err
	}
	return transcript.Head{Session: row.top(path), Began: row.StartTime}, nil
}

// head reads the first row of a chat. In place of a torn or missing one it returns what is left of it, with the kind in the
// chat's path, the time of the first message, and the id of a later process's first row or in the chat's name.
func head(path string, rows *transcript.Rows) (head row, err error) {
	b, err := rows.Next()
	if err == nil && json.Unmarshal(b, &head) == nil && head.SessionID != "" && head.ProjectHash != "" && !head.StartTime.IsZero() {
		return head, nil
	}
	name, isChat := strings.CutSuffix(filepath.Base(path), ".jsonl")
	folder := filepath.Base(filepath.Dir(path))
	if err != nil || transcript.Derived(b) || !isChat || folder != chats && filepath.Base(filepath.Dir(filepath.Dir(path))) != chats {
		return row{}, transcript.ErrNoSession
	}
	var left row
	_ = json.Unmarshal(transcript.WholeMembers(b), &left) // the members that can be read
	head = row{SessionID: left.SessionID, StartTime: left.time(), Kind: left.Kind}
	if folder != chats {
		head.Kind, head.SessionID = subagent, name
	}
	for range 1024 { // rows, in which another process may have resumed the session
		var row row
		if b, err = rows.Next(); err != nil {
			break
		}
		if json.Unmarshal(b, &row) != nil {
			continue
		}
		head.SessionID = cmp.Or(head.SessionID, row.SessionID)
		if head.StartTime.IsZero() {
			head.StartTime = row.time()
		}
		if head.SessionID != "" && !head.StartTime.IsZero() {
			return head, nil
		}
	}
	head.SessionID = cmp.Or(head.SessionID, name[strings.LastIndexByte(name, '-')+1:])
	if head.StartTime.IsZero() {
		return row{}, transcript.ErrNoSession
	}
	return head, nil
}

// chats is the folder of a project's chats.
const chats = "chats"

// subagent is the kind of a subagent's chat. It is in a folder with the session's name, beside the session's chat.
const subagent = "subagent"

// top returns the person's session of a chat.
func (r row) top(path string) string {
	if r.Kind == subagent {
		return filepath.Base(filepath.Dir(path))
	}
	return r.SessionID
}

// row is one row of a chat: the head of a process, a message, or messages that replace all earlier ones.
type row struct {
	SessionID   string    `json:"sessionId"`
	ProjectHash string    `json:"projectHash"`
	StartTime   time.Time `json:"startTime"`
	Kind        string    `json:"kind"` // main, subagent

	ID        string      `json:"id"`
	Timestamp time.Time   `json:"timestamp"`
	Type      string      `json:"type"` // user, gemini, and the client's own notes
	Content   content     `json:"content"`
	ToolCalls []endedCall `json:"toolCalls"`
	Thoughts  []struct {
		Description string `json:"description"`
	} `json:"thoughts"` // before Content
	Model  string `json:"model"`
	Tokens tokens `json:"tokens"`

	RewindTo string `json:"$rewindTo"` // the message from which on the person took everything back
	Set      *struct {
		Messages []row `json:"messages"`
	} `json:"$set"`
}

// tokens holds the tokens of the request for a message.
type tokens struct {
	Input    int64 `json:"input"` // includes what caches held
	Cached   int64 `json:"cached"`
	Output   int64 `json:"output"`
	Thoughts int64 `json:"thoughts"`
	Tool     int64 `json:"tool"` // what tools of the provider added to the input
}

// requests reads what the requests of a chat used. The client writes the model's messages again when their calls have ended.
func requests() func([]byte) []transcript.Request {
	turn := ""
	return func(b []byte) (all []transcript.Request) {
		var read row
		if !transcript.Mentions(b, `"tokens"`, `"user"`) || json.Unmarshal(b, &read) != nil {
			return nil
		}
		messages := []row{read}
		if read.Set != nil {
			messages = read.Set.Messages
		}
		for _, m := range messages {
			t := m.Tokens
			switch m.Type {
			case "user":
				if !m.Content.Response {
					turn = m.ID
				}
			case "gemini":
				all = append(all, transcript.Request{ID: m.ID, Copy: m.ID, Turn: turn, At: m.time(), Model: m.Model, Tokens: events.Tokens{
					Input: max(0, t.Input-t.Cached) + t.Tool, CacheRead: t.Cached, Output: t.Output + t.Thoughts,
				}})
			}
		}
		return all
	}
}

func (r row) time() time.Time {
	if r.Timestamp.IsZero() {
		return r.StartTime
	}
	return r.Timestamp
}

// content is the content of a message: a text, or parts.
type content struct {
	Text     string
	Response bool // it is the answer of a tool
}

func (c *content) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &c.Text) == nil {
		return nil
	}
	var parts []struct {
		Text     string          `json:"text"`
		Response json.RawMessage `json:"functionResponse"`
	}
	if json.Unmarshal(b, &parts) != nil {
		return nil // a form of a future client: the other members may be readable
	}
	var texts []string
	for _, p := range parts {
		c.Response = c.Response || p.Response != nil
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	c.Text = strings.Join(texts, "\n")
	return nil
}

// endedCall is an ended tool call in a message of the model.
type endedCall struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Args    json.RawMessage `json:"args"`
	Status  string          `json:"status"` // success, error, cancelled
	Display json.RawMessage `json:"resultDisplay"`
	Result  []struct {
		Response struct {
			Response struct {
				Output string `json:"output"`
				Error  string `json:"error"`
			} `json:"response"`
		} `json:"functionResponse"`
	} `json:"result"`
}

// output returns the text that the model was shown about the call.
func (c endedCall) output() string {
	var all []string
	for _, r := range c.Result {
		if text := r.Response.Response.Output + r.Response.Response.Error; text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// Parse reads a row of a growing chat.
func (r *reader) Parse(b []byte) []transcript.Step {
	if !transcript.Mentions(b, `"$set"`, `"$rewindTo"`, `"tokens"`, `"projectHash"`) &&
		(!transcript.Mentions(b, `"user"`) || transcript.Mentions(b, `"functionResponse":{`)) { // a tool's answer in the person's name
		return nil
	}
	var read row
	if json.Unmarshal(b, &read) != nil {
		return nil
	}
	old := func(m row) bool { return r.Old(m.time()) }
	switch {
	case read.Set != nil: // only its messages have times
		read.Set.Messages = slices.DeleteFunc(read.Set.Messages, old)
	case old(read):
		return nil
	}
	r.take(read)
	return r.Reported.Flush()
}
