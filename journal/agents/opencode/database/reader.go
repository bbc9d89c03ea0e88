package database

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents/opencode"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
)

// All sessions are in one database (docs/CLIENTS.md §13). The rows of a session are one row about the session, and for each message one
// row, and then one for each of its parts.
var _ = transcript.Declare(transcript.Format{
	Agent: opencode.Name, Folder: "~/.local/share/opencode", Moved: transcript.Moved{From: "~/.local/share", Var: "XDG_DATA_HOME"},
	Names:       []string{"opencode.db", "opencode-*.db"}, // a database for each release channel of the client
	Unsupported: unsupported,
	Skim:        skim,
	Sessions:    sessions,
	Limits: payload.Limits{
		Whole: payload.Paths("data.text", "data.state.output", "data.state.input.prompt", "data.state.input.plan", "data.state.metadata.plan", "data.state.input.todos[].content"),
		Drop:  payload.Paths("data.url", "data.summary.diffs", "data.state.attachments", "data.state.metadata.output"),
	},
	Begin:    transcript.Begin(newReader),
	Requests: requests,
})

// unsupported implements transcript.Format.Unsupported: a folder with sessions of a client before 1.2 is unsupported, unless a database
// is beside it.
func unsupported(folder string) string {
	if filepath.Base(folder) != "storage" {
		return ""
	}
	sessions, err := os.Stat(filepath.Join(folder, "session"))
	if err != nil || !sessions.IsDir() {
		return ""
	}
	if len(disk.Match(filepath.Dir(folder), "opencode*.db")) > 0 {
		return ""
	}
	return "sessions of an OpenCode before 1.2, as JSON files, which are not read"
}

// skim implements transcript.Format.Skim. The head of a database is empty, because the function sessions lists its sessions.
func skim(_ string, in io.Reader) (transcript.Head, error) {
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(in, head); err != nil || string(head) != magic {
		return transcript.Head{}, transcript.ErrNoSession
	}
	return transcript.Head{}, nil
}

// row is one row of a session: about the session, a message, or a part of the message before it.
type row struct {
	Session session
	Message string          // id of the message, "" for other rows
	Part    string          // id of the part, "" for other rows
	Data    json.RawMessage // the message or the part
}

// session identifies a session and its directories.
type session struct {
	ID        string
	Top, Lane string // the session and the subagent in hooks; Lane is "" in the main lane
	Directory string
	Tree      string // the project's directory
	Title     string
	Agent     string
	Created   int64  // ms since 1970 UTC
	Entry     string // the command that started it, "" if unknown
	Revert    string // JSON of the newest rewind, until the next prompt
}

// message holds the members of a message that a reader uses.
type message struct {
	Role    string
	Time    struct{ Created, Completed int64 }
	Agent   string
	Summary json.RawMessage // true in a message of the model that is a summary
	Error   json.RawMessage

	Model  string  `json:"modelID"`
	Cost   float64 // in US dollars; 0 if the client knows no price
	Tokens struct {
		Input, Output, Reasoning int64
		Cache                    struct{ Read, Write int64 }
	}
}

// requests implements transcript.Format.Requests. Each message of the model is one request.
func requests() func([]byte) []transcript.Request {
	var lane, turn string
	return func(b []byte) []transcript.Request {
		var e row
		if json.Unmarshal(b, &e) != nil {
			return nil
		}
		if e.Session.ID != "" {
			lane = e.Session.Lane
			return nil
		}
		var m message
		if e.Message == "" || transcript.Unmarshal(e.Data, &m) != nil {
			return nil
		}
		if m.Role == "user" {
			turn = e.Message
			return nil
		}
		t := m.Tokens
		return []transcript.Request{{
			ID: e.Message, Copy: e.Message, Lane: lane, Turn: turn, At: time.UnixMilli(m.Time.Created), Model: m.Model, Price: int64(math.Round(m.Cost * 1e6)),
			Tokens: events.Tokens{Input: t.Input, CacheRead: t.Cache.Read, CacheWrite: t.Cache.Write, Output: t.Output + t.Reasoning},
		}}
	}
}

// unknownRole is the role of a damaged message: the writer of its texts is unknown.
const unknownRole = "unknown"

// part holds the members of a part of a message that a reader uses.
type part struct {
	Type      string
	Text      string
	Synthetic bool // the client wrote the text, not the person
	Auto      bool // the client started the compaction
	Tool      string
	CallID    string
	State     struct {
		Status                 string // pending, running, completed, error
		Input, Metadata, Error json.RawMessage
		Output                 string
		Time                   struct{ Start, End int64 }
	}
}

// reader reads one session. It is not safe for concurrent use.
type reader struct {
	transcript.Reported
	session      session
	id           string // id of the message being read
	message      message
	texts        []string // the message's texts so far
	trigger      string   // the trigger of the newest compaction
	lastWords    string   // the model's newest words of the turn
	lastMessage  string   // id of the message with lastWords
	lastSpokenAt time.Time
	running      []row               // rows of calls without an end
	branches     transcript.Branches // prompts
	prompts      []string            // ids of the messages with the prompts in branches
}

// newReader returns a reader of the rows of one session. The database's path is not used.
func newReader(string) *reader { return &reader{Reported: transcript.NewReported(opencode.Name)} }

// Row implements transcript.Parser.
func (r *reader) Row(b []byte) error {
	var e row
	err := json.Unmarshal(b, &e)
	switch {
	case err != nil:
	case e.Session.ID != "":
		r.session, r.SessionID, r.Lane = e.Session, e.Session.Top, e.Session.Lane
		r.setTime(r.session.Created)
		r.addHookStep(r.session.ID, "session.created", map[string]any{"title": r.session.Title, "agent": r.session.Agent, "entry": r.session.Entry})
	case e.Part != "":
		var p part
		if err = transcript.Unmarshal(e.Data, &p); err == nil {
			r.part(e, p)
		}
	default:
		r.endMessage()
		r.id, r.message, r.texts = e.Message, message{}, nil
		if err = transcript.Unmarshal(e.Data, &r.message); err != nil {
			r.message = message{Role: unknownRole}
		}
		r.setTime(r.message.Time.Created)
	}
	if err != nil {
		return transcript.ErrJSON
	}
	r.Complete(e.Session.ID + e.Message + e.Part)
	return nil
}

// setTime sets the time of the next steps, in ms since 1970 UTC. 0 changes nothing.
func (r *reader) setTime(millis int64) {
	if millis > 0 {
		r.At = time.UnixMilli(millis)
	}
}

// End reports the last message, the end of the last turn, and the rewind of the session, if there is one.
func (r *reader) End() {
	r.endMessage()
	r.endTurn()
	r.revert()
}

// revert reports that the person took back a prompt and everything after it, if the session has such a rewind.
func (r *reader) revert() {
	var back struct {
		MessageID string
		Snapshot  string
	}
	if json.Unmarshal([]byte(r.session.Revert), &back) != nil || r.Lane != "" {
		return
	}
	i := slices.Index(r.prompts, back.MessageID)
	if i < 0 {
		return
	}
	if first, ok := r.branches.Back(i - 1); ok {
		r.AddRewind(r.Hook(events.Rewind), "revert "+back.MessageID, transcript.Rewind{First: first, Files: back.Snapshot != ""})
	}
}

// Parts of the client's message that the person approved a plan. The path of the plan's file is between them.
const planAt, planApproved = "The plan at ", " has been approved"

// part handles a part of the current message.
func (r *reader) part(row row, p part) {
	id := row.Part
	switch {
	case p.Type == "text" && !p.Synthetic:
		r.texts = append(r.texts, p.Text)
	case p.Type == "text" && strings.HasPrefix(p.Text, planAt):
		file, _, approved := strings.Cut(p.Text[len(planAt):], planApproved)
		if approved {
			r.addHookStep(id, "tool.execute.after", map[string]any{"tool": "plan_exit", "args": map[string]any{"path": file}, "output": opencode.PlanApproved})
		}
	case p.Type == "compaction":
		r.trigger = "manual"
		if p.Auto {
			r.trigger = "auto"
		}
		r.addHookStep(id, "experimental.session.compacting", map[string]any{"trigger": r.trigger})
	case p.Type == "tool":
		if p.State.Status == "running" {
			r.running = append(r.running, row)
		}
		r.call(id, p)
	}
}

// reportKilled reports the calls without an end as failed. It is called at the next prompt: the client was killed while they ran.
func (r *reader) reportKilled() {
	for _, running := range r.running {
		var p part
		_ = json.Unmarshal(running.Data, &p) // never fails: Row has parsed it
		p.State.Status, p.State.Error = "error", json.RawMessage(`"`+opencode.Aborted+`: the client ended while it ran"`)
		p.State.Time.End = p.State.Time.Start
		r.call(running.Part, p)
	}
	r.running = nil
}

// call handles a tool call.
func (r *reader) call(id string, p part) {
	members := map[string]any{"tool": p.Tool, "callID": p.CallID, "args": p.State.Input}
	r.setTime(p.State.Time.End)
	switch p.State.Status {
	case "completed":
		members["output"], members["metadata"] = p.State.Output, p.State.Metadata
		r.addHookStep(id, "tool.execute.after", members)
		if p.Tool == "todowrite" {
			var list struct{ Todos json.RawMessage }
			_ = json.Unmarshal(p.State.Input, &list) // the list stays empty for other input
			r.addHookStep(id, "todo.updated", map[string]any{"todos": list.Todos})
		}
	case "error":
		members["error"], members["time"] = p.State.Error, map[string]int64{"start": p.State.Time.Start, "end": p.State.Time.End}
		r.addHookStep(id, "tool.error", members)
	}
}

// endMessage reports the current message. It is called after the last part of the message.
func (r *reader) endMessage() {
	text := strings.Join(r.texts, "\n")
	if r.message.Role == unknownRole {
		return
	}
	r.setTime(r.message.Time.Completed)
	switch {
	case r.message.Role == "user" && text != "":
		r.prompt(text)
	case r.message.Role == "user":
	case string(r.message.Summary) != "true":
		r.answer(text)
	case len(r.message.Error) > 0: // the client keeps the context as it is
		r.answer("")
	case text != "" && r.message.Time.Completed > 0: // otherwise the client was killed meanwhile, or still writes it
		r.Compactions++
		r.addHookStep(r.id, "session.compacted", map[string]any{"trigger": r.trigger})
		r.addHookStep(r.id, "compaction.summary", map[string]any{"text": text, "trigger": r.trigger})
	}
}

// prompt reports a prompt.
func (r *reader) prompt(text string) {
	r.endTurn()
	r.reportKilled()
	r.setTime(r.message.Time.Created)
	r.prompts = append(r.prompts, r.id)
	prompt := r.Prompt(r.id, "chat.message", text)
	prompt.Turn = r.id
	r.branches.Add(prompt)
	r.addHookStep(r.id, "chat.message", map[string]any{"text": text, "agent": r.message.Agent, "message": r.id})
}

// answer handles a message of the model, and reports its error.
func (r *reader) answer(text string) {
	if text != "" {
		r.lastWords, r.lastMessage, r.lastSpokenAt = text, r.id, r.At
	}
	if len(r.message.Error) == 0 {
		return
	}
	members := map[string]any{"error": r.message.Error}
	if bytes.Contains(r.message.Error, []byte("MessageAbortedError")) && r.lastWords != "" {
		members["said"], r.lastWords = r.lastWords, "" // the interruption ends the turn: endTurn must not report it again
	}
	r.addHookStep(r.id, "session.error", members)
}

// endTurn reports the model's last words of a turn.
func (r *reader) endTurn() {
	if r.lastWords == "" {
		return
	}
	now := r.At
	r.At = r.lastSpokenAt
	r.addHookStep(r.lastMessage, "session.idle", map[string]any{"said": r.lastWords})
	r.At, r.lastWords = now, ""
}

// addHookStep adds the step of a hook, from the payload that the plugin would have sent.
func (r *reader) addHookStep(id, hook string, members map[string]any) {
	members["directory"], members["worktree"] = r.session.Directory, r.session.Tree
	if s := r.AddHook(opencode.Dialect, r.Lane, id, hook, members); s != nil {
		s.Sure = hook == "tool.execute.after" || hook == "chat.message" && r.Lane == ""
	}
}
