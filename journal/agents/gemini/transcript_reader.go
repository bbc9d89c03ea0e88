package gemini

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/redact"
)

// A chat, in ~/.gemini/tmp/PROJECT/chats, has a row for each message, and rows that replace all messages before them.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.gemini/tmp", Moved: transcript.Moved{From: "~", Var: "GEMINI_CLI_HOME"}, Names: []string{"*.jsonl", olderNames},
	Around:       func(path string) []string { return []string{filepath.Dir(path)} },
	Skim:         skim,
	Limits:       rowLimits,
	Begin:        transcript.Begin(newReader),
	Watch:        transcript.Watch(newReader),
	Continuation: continuation,
	Requests:     requests,
})

// continuation implements transcript.Format.Continuation. When a client resumes a session, the hook names a file with the client's
// start time, but the client writes to the session's first file.
func continuation(path string) string {
	dir, name := filepath.Split(path)
	id := name[strings.LastIndexByte(name, '-')+1:]
	if found := disk.Match(dir, "session-*-"+id); len(found) > 0 {
		return found[0]
	}
	return path
}

// rowLimits keeps the same parts of a long row as the dialect keeps of a hook.
var rowLimits = payload.Limits{
	Whole: payload.Paths("content", "content[].text", "$set.messages[].content[].text",
		// The output of commands is searched for failures before it is cut.
		"toolCalls[].result[].functionResponse.response.output"),
	Drop: payload.Paths("toolCalls[].resultDisplay.fileDiff", "toolCalls[].resultDisplay.originalContent", "toolCalls[].resultDisplay.newContent"),
}

// reader reads one chat. It is not safe for concurrent use.
type reader struct {
	transcript.Reported
	transcript.Contexts // always empty: chats do not show which texts of hooks reached the model
	path                string
	start               row                 // the first row of the session until its start is reported, then empty
	spoken              bool                // a message was read
	seen                map[string]bool     // ids of messages, calls and summaries that were reported
	lastWords           string              // the model's newest words of the turn, "" if there are none
	lastMessage         string              // id of the message with lastWords
	tokens              int64               // tokens in the newest reported sample
	branches            transcript.Branches // prompts
	previous            map[string]int      // index of the prompt before each prompt, by the id of the prompt's message
}

// newReader returns a reader of the transcript at a path.
func newReader(path string) *reader {
	return &reader{path: path, seen: map[string]bool{}, previous: map[string]int{}, Reported: transcript.NewReported(Name)}
}

// setRoot sets the directory in which the client was started, as root and working directory.
func (r *reader) setRoot(dir string) { r.Root, r.Cwd = dir, dir }

// Row implements transcript.Parser.
func (r *reader) Row(b []byte) error { return transcript.Decode(b, r.dispatch) }

// End reports the words of the last turn.
func (r *reader) End() { r.endTurn() }

// dispatch handles a complete row.
func (r *reader) dispatch(row row) {
	if at := row.time(); !at.IsZero() {
		r.At = at
	}
	switch {
	case row.SessionID != "" && row.ID == "":
		r.processStart(row)
	case r.SessionID == "" && row.ID != "" && !r.Watching && r.restoreHead():
		r.dispatch(row)
	case row.Set != nil:
		converted := !r.Watching && !r.spoken // the client has rewritten an older chat: no other row has its messages
		for _, m := range row.Set.Messages {
			r.replacement(m)
			if converted && m.Set == nil && m.SessionID == "" && !strings.HasPrefix(strings.TrimSpace(m.Content.Text), sessionContext) {
				r.dispatch(m)
			}
		}
	case row.RewindTo != "":
		r.rewind(row.RewindTo)
	case row.ID != "":
		r.spoken = true
		r.begin()
		r.Complete(row.ID)
		r.message(row)
	}
}

// restoreHead handles a first row that is torn or missing, as readHead restores it. It returns false if readHead cannot.
func (r *reader) restoreHead() bool {
	head, err := readHead(r.path, transcript.RowsOf(r.path, rowLimits))
	if err != nil {
		return false
	}
	r.processStart(head)
	return true
}

// processStart handles the row that each process of the client writes first. The newest process also rewrites the first row of the
// file. So among the rows of this kind before the first message, the one with the earliest start is that of the session's start.
func (r *reader) processStart(row row) {
	switch {
	case r.SessionID == "":
		r.SessionID, r.start = row.mainSession(r.path), row
		if row.Kind == subagent {
			r.Lane = row.SessionID
		}
		if filepath.IsAbs(r.path) {
			r.setRoot(rootNear(r.path, r.SessionID, row.Kind))
		}
	case r.start.SessionID != "" && row.StartTime.Before(r.start.StartTime.Time):
		r.start = row
	case r.start.SessionID == "":
		r.endTurn()
		r.reportStart(row, "resume")
	}
}

// begin reports the start of the session before its first other step.
func (r *reader) begin() {
	if first := r.start; first.SessionID != "" {
		r.start = row{}
		now := r.At
		r.At = first.StartTime.Time
		r.reportStart(first, "startup")
		r.At = now
	}
}

// reportStart reports the start of a process, or of the subagent. row is the process's first row.
func (r *reader) reportStart(row row, source string) {
	id := r.SessionID + " " + row.StartTime.UTC().Format(time.RFC3339Nano)
	if r.Lane != "" {
		r.Add(r.Hook(events.SubagentStart), r.uniqueID(id), "SubagentStart")
		return
	}
	r.addHookStep(id, "SessionStart", transcript.StartMembers(Dialect, source, r.path))
}

// uniqueID returns an id of a row that is unique among all chats. In chats of subagents the rows' own ids are not. A watcher
// reads no such chat.
func (r *reader) uniqueID(row string) string {
	if r.Lane != "" {
		return r.Lane + " " + row
	}
	return row
}

// rewind reports that the person took back everything from a message on. The row of a rewind has neither an id nor a time.
func (r *reader) rewind(message string) {
	previous, known := r.previous[message]
	if !known {
		return
	}
	r.endTurn()
	if first, back := r.branches.Back(previous); back {
		r.AddRewind(r.Hook(events.Rewind), "rewind "+strconv.Itoa(r.Place())+" "+message, transcript.Rewind{First: first})
	}
}

// replacement handles a message in a row that replaces all messages. Only summaries are new in it: the other messages had rows of their
// own.
func (r *reader) replacement(m row) {
	text := strings.TrimSpace(m.Content.Text)
	switch {
	case m.Type != "user":
	case strings.HasPrefix(text, sessionContext):
		r.setRoot(rootOf(text, r.Root))
	case strings.HasPrefix(text, snapshot) && !r.seen["summary "+m.ID]:
		r.seen["summary "+m.ID] = true
		r.Compactions++
		h := r.Hook(events.CompactEnd)
		if at := m.time(); !at.IsZero() { // the row with the message has no time
			h.At = at.UnixNano()
		}
		text, _, _ = strings.Cut(strings.TrimPrefix(text, snapshot), "</state_snapshot>")
		h.Text = redact.Text(strings.TrimSpace(text))
		r.Add(h, r.uniqueID(m.ID), "compressed")
	}
}

// Beginnings of texts that the client writes in the person's name: facts about the session, and the summary of a compression.
const (
	sessionContext = "<session_context>"
	snapshot       = "<state_snapshot>"
)

// rootOf returns the client's directory in text, which begins with sessionContext, or known if text does not name a directory.
func rootOf(text, known string) string {
	_, rest, ok := strings.Cut(text, "- **Workspace Directories:**\n  - ")
	if !ok {
		return known
	}
	root, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(root)
}

// message handles a message. The client writes a message of the model again when its calls have ended.
func (r *reader) message(row row) {
	text := row.Content.Text
	begin := strings.TrimSpace(text)
	byClient := strings.HasPrefix(begin, sessionContext) || strings.HasPrefix(begin, snapshot)
	switch {
	case byClient, row.Type == "user" && row.Content.Response: // nobody wrote it
	case row.Type == "user" && !r.seen[row.ID] && withoutHookTexts(text) != "":
		r.seen[row.ID] = true
		r.endTurn()
		r.Words = r.Words.Asked(row.ID, "")
		r.previous[row.ID] = r.branches.Newest()
		r.branches.Add(r.Prompt(row.ID, "BeforeAgent", withoutHookTexts(text)))
		r.addHookStep(row.ID, "BeforeAgent", map[string]any{"prompt": text})
	case row.Type == "gemini":
		r.sample(row)
		if text != "" && r.Words.Row != row.ID {
			r.Words = r.Words.Next(row.ID, "", "")
		}
		for _, c := range row.ToolCalls {
			r.call(c)
		}
		if text != "" {
			r.lastWords, r.lastMessage, r.Words.Text = text, row.ID, strings.TrimSpace(text)
		} else if n := len(row.Thoughts); n > 0 {
			r.Words.Think(row.Thoughts[n-1].Description)
		}
	}
}

// call handles a tool call that has ended, or that the person refused. No hook reports a refusal.
func (r *reader) call(c endedCall) {
	refused := c.Status == "cancelled" && denied(c.output())
	if r.seen[c.ID] || c.Status != "success" && c.Status != "error" && !refused {
		return
	}
	r.seen[c.ID] = true
	r.Words.Called(c.Name, c.ID)
	if r.Watching && !refused {
		return
	}
	response := map[string]any{"llmContent": c.output(), "returnDisplay": c.Display}
	if c.Status != "success" {
		response["error"] = map[string]any{"message": c.output()}
	}
	r.addStep(c.ID, "AfterTool", map[string]any{"tool_name": c.Name, "tool_input": c.Args, "tool_response": response})
}

// endTurn reports the model's last words of a turn.
func (r *reader) endTurn() {
	if r.lastWords == "" {
		return
	}
	r.addHookStep(r.lastMessage, "AfterAgent", map[string]any{"prompt_response": r.lastWords})
	r.lastWords, r.lastMessage = "", ""
}

// window is the context window of the client's models, in tokens (see Dialect.Windows).
const window = 1 << 20

// sample reports the size of the context if it changed by at least 5 % of the window.
func (r *reader) sample(row row) {
	n := row.Tokens.Input
	if n <= 0 || max(n-r.tokens, r.tokens-n) < window/20 {
		return
	}
	r.tokens = n
	h := r.Hook(events.UsageSample)
	h.Model, h.Usage = redact.Text(row.Model), &events.Usage{Tokens: n}
	r.Add(h, r.uniqueID(row.ID), "usage")
}

// addHookStep adds the step of a hook. It adds nothing while watching, because the hook itself reports the step.
func (r *reader) addHookStep(id, hook string, members map[string]any) {
	if !r.Watching {
		r.addStep(id, hook, members)
	}
}

// addStep adds the step of a hook, from the payload that the client would have sent to the hook.
func (r *reader) addStep(id, hook string, members map[string]any) {
	s := r.AddHook(Dialect, "", r.uniqueID(id), hook, members)
	if s == nil {
		return
	}
	s.Sure = hook == "AfterTool" || hook == "BeforeAgent"
	if r.Lane == "" {
		return
	}
	// A subagent's prompt is the task from its parent.
	h := &s.Report.Hook
	h.Lane, h.Machine = r.Lane, h.Kind == events.PromptSubmit
	if h.Kind == events.TurnEnd {
		h.Kind = events.SubagentEnd
	}
}

// olderNames is the pattern of the names of chats of a client before 0.39, which are one JSON object. An import names them.
const olderNames = "session-*.json"

// errOlder is returned for a chat with one of olderNames.
var errOlder = errors.New("written by Gemini CLI before 0.39: not read")

// skim implements transcript.Format.Skim.
func skim(path string, in io.Reader) (transcript.Head, error) {
	if older, _ := filepath.Match(olderNames, filepath.Base(path)); older { // the pattern is valid
		return transcript.Head{}, errOlder
	}
	row, err := readHead(path, transcript.NewRows(in, rowLimits).All)
	if err != nil {
		return transcript.Head{}, err
	}
	return transcript.Head{Session: row.mainSession(path), Began: row.StartTime.Time}, nil
}

// readHead reads the first row of a chat. If the row is torn or missing, readHead restores it: the kind comes from the chat's path, the
// time from the first message, and the id from the first row of a later process or the chat's name.
func readHead(path string, rows iter.Seq2[[]byte, error]) (head row, err error) {
	name, isChat := strings.CutSuffix(filepath.Base(path), ".jsonl")
	ofSubagent, n := filepath.Base(filepath.Dir(path)) != chats, 0
	isChat = isChat && (!ofSubagent || filepath.Base(filepath.Dir(filepath.Dir(path))) == chats)
	for b, err := range rows {
		if n++; err != nil || n > 1024 { // the row of a process that resumed the session is expected before
			break
		}
		var r row
		err := transcript.Unmarshal(b, &r)
		switch {
		case n > 1 && err != nil:
			continue
		case n > 1:
			head.SessionID = cmp.Or(head.SessionID, r.SessionID)
			if head.StartTime.IsZero() {
				head.StartTime.Time = r.time()
			}
		case err == nil && r.SessionID != "" && r.ProjectHash != "" && !r.StartTime.IsZero():
			return r, nil
		case transcript.Derived(b) || !isChat:
			return row{}, transcript.ErrNoSession
		default:
			var left row
			_ = json.Unmarshal(transcript.WholeMembers(b), &left) // members that cannot be read stay empty
			head.SessionID, head.StartTime.Time, head.Kind = left.SessionID, left.time(), left.Kind
			if ofSubagent {
				head.Kind, head.SessionID = subagent, name
			}
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

const (
	// maxPath bounds a path in a file of the client, in bytes.
	maxPath = 4 << 10
	// idInName is the number of bytes of a session's id that the name of its chat ends with.
	idInName = 8
)

// rootNear returns the project's directory for the chat at path, from a file that the client keeps beside the folder of chats. If that
// file is missing, the directory of a subagent comes from the chat of its session. The result is "" if unknown. kind is row.Kind.
func rootNear(path, session, kind string) string {
	folder := filepath.Dir(path)
	if kind == subagent {
		folder = filepath.Dir(folder)
	}
	b, err := disk.ReadFile(filepath.Join(filepath.Dir(folder), ".project_root"), maxPath)
	if root := strings.TrimSpace(string(b)); err == nil && filepath.IsAbs(root) {
		return root
	}
	if kind != subagent || len(session) < idInName || !transcript.PlainID(session) {
		return ""
	}
	found := disk.Match(folder, "session-*-"+session[:idInName]+".jsonl")
	if len(found) == 0 {
		return ""
	}
	parent, n := newReader(""), 0
	for b, err := range transcript.RowsOf(found[0], rowLimits) {
		if n++; err != nil || parent.Root != "" || n > 16 { // one of the first rows names the directory
			break
		}
		_ = parent.Row(b) // a broken row names nothing
	}
	return parent.Root
}

// chats is the name of the folder of a project's chats.
const chats = "chats"

// subagent is the kind of a subagent's chat. Such a chat is in a folder with the session's id, beside the session's chat.
const subagent = "subagent"

// mainSession returns the session of the chat at path, for a subagent's chat the session that started the subagent. r is the chat's
// first row.
func (r row) mainSession(path string) string {
	if r.Kind == subagent {
		return filepath.Base(filepath.Dir(path))
	}
	return r.SessionID
}

// row is one row of a chat: the first row of a process, a message, a rewind, or messages that replace all earlier ones.
type row struct {
	SessionID   string          `json:"sessionId"`
	ProjectHash string          `json:"projectHash"`
	StartTime   transcript.Time `json:"startTime"`
	Kind        string          `json:"kind"` // main, subagent

	ID        string          `json:"id"`
	Timestamp transcript.Time `json:"timestamp"`
	Type      string          `json:"type"` // user, gemini, and the client's own notes
	Content   content         `json:"content"`
	ToolCalls []endedCall     `json:"toolCalls"`
	Thoughts  []struct {
		Description string `json:"description"`
	} `json:"thoughts"` // the reasoning before Content
	Model  string `json:"model"`
	Tokens tokens `json:"tokens"`

	RewindTo string `json:"$rewindTo"` // id of the first message that the person took back
	Set      *struct {
		Messages []row `json:"messages"`
	} `json:"$set"`
}

// tokens holds the tokens of the request for a message.
type tokens struct {
	Input    int64 `json:"input"` // including cached tokens
	Cached   int64 `json:"cached"`
	Output   int64 `json:"output"`
	Thoughts int64 `json:"thoughts"`
	Tool     int64 `json:"tool"` // added to the input by tools of the provider
}

// requests implements transcript.Format.Requests. A turn's id is that of its first message.
func requests() func([]byte) []transcript.Request {
	turn := ""
	return func(b []byte) (all []transcript.Request) {
		var read row
		if !transcript.Mentions(b, `"tokens"`, `"user"`) || transcript.Unmarshal(b, &read) != nil {
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

// time returns the time of a message, or the start in the first row of a process; zero if the row has neither.
func (r row) time() time.Time {
	if r.Timestamp.IsZero() {
		return r.StartTime.Time
	}
	return r.Timestamp.Time
}

// content is the content of a message.
type content struct {
	Text     string // its texts, joined
	Response bool   // the content is the result of a tool call
}

// UnmarshalJSON reads a text, a part or a list of parts.
func (c *content) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &c.Text) == nil {
		return nil
	}
	if b[0] == '{' {
		b = slices.Concat([]byte("["), b, []byte("]"))
	}
	var parts []struct {
		Text     string          `json:"text"`
		Response json.RawMessage `json:"functionResponse"`
	}
	if transcript.Unmarshal(b, &parts) != nil {
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
				Output  content `json:"output"`
				Error   content `json:"error"`
				Content content `json:"content"` // of tools of MCP servers
			} `json:"response"`
		} `json:"functionResponse"`
	} `json:"result"`
}

// output returns the text about the call that the client showed the model.
func (c endedCall) output() string {
	var all []string
	for _, r := range c.Result {
		response := r.Response.Response
		if text := cmp.Or(response.Output.Text+response.Error.Text, response.Content.Text); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// Parse implements transcript.Watcher.
func (r *reader) Parse(b []byte) []transcript.Step {
	if !transcript.Mentions(b, `"$set"`, `"$rewindTo"`, `"tokens"`, `"projectHash"`) &&
		(!transcript.Mentions(b, `"user"`) || transcript.Mentions(b, `"functionResponse"`)) { // results of tools have the type user too
		return nil
	}
	var read row
	if transcript.Unmarshal(b, &read) != nil {
		return nil
	}
	old := func(m row) bool { return m.RewindTo == "" && r.Old(m.time()) } // a rewind has no time, and no effect on unread prompts
	switch {
	case read.Set != nil: // the row has no time, but its messages have
		read.Set.Messages = slices.DeleteFunc(read.Set.Messages, old)
	case old(read):
		return nil
	}
	r.dispatch(read)
	return r.Flush()
}
