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
	"journal/journal/agents"
	"journal/journal/agents/opencode"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
)

// All sessions are in one database (docs/CLIENTS.md §13). A session has these rows: one about the session,
// then each message, followed by its parts.
var _ = transcript.Declare(transcript.Format{
	Agent: opencode.Name, Folder: "~/.local/share/opencode", Moved: transcript.Moved{From: "~/.local/share", Var: "XDG_DATA_HOME"},
	Names:    []string{"opencode.db", "opencode-*.db"}, // one for each channel of the client
	Unread:   unread,
	Skim:     skim,
	Sessions: sessions,
	Limits: payload.Limits{
		Whole: payload.Paths("data.text", "data.state.output", "data.state.input.prompt", "data.state.input.plan", "data.state.metadata.plan", "data.state.input.todos[].content"),
		Drop:  payload.Paths("data.url", "data.summary.diffs", "data.state.attachments", "data.state.metadata.output"),
	},
	Begin:    func() func(string) transcript.Parser { return func(string) transcript.Parser { return newReader() } },
	Requests: requests,
})

// unread implements transcript.Format.Unread: it reports a folder of JSON sessions of a client before 1.2, unless a database
// lies beside it.
func unread(folder string) string {
	if filepath.Base(folder) != "storage" {
		return ""
	}
	sessions, err := os.Stat(filepath.Join(folder, "session"))
	if err != nil || !sessions.IsDir() {
		return ""
	}
	if found, _ := filepath.Glob(filepath.Join(filepath.Dir(folder), "opencode*.db")); len(found) > 0 { // the pattern is a valid one
		return ""
	}
	return "sessions of an OpenCode before 1.2, as JSON files, which are not read"
}

// skim reports whether a file may be a database; Sessions lists its content.
func skim(_ string, in io.Reader) (transcript.Head, error) {
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(in, head); err != nil || string(head) != magic {
		return transcript.Head{}, transcript.ErrNoSession
	}
	return transcript.Head{}, nil
}

// row is one row of a session: the session, a message, or a part of the message before.
type row struct {
	Session session
	Message string
	Part    string
	Data    json.RawMessage
}

// session identifies a session and its directories.
type session struct {
	ID        string
	Top, Lane string // the session as the plugin names it, and the subagent in it
	Directory string
	Tree      string // of the project
	Title     string
	Agent     string
	Created   int64  // in milliseconds
	Entry     string // the command that began it, empty if unknown
	Revert    string // JSON: which messages the person took back, until the next prompt
}

// message is the needed part of a message.
type message struct {
	Role    string
	Time    struct{ Created, Completed int64 }
	Agent   string
	Summary json.RawMessage // true for a summary by the model; the person's messages have an object
	Error   json.RawMessage

	Model  string  `json:"modelID"`
	Cost   float64 // in US dollars; 0 if the client knows no price
	Tokens struct {
		Input, Output, Reasoning int64
		Cache                    struct{ Read, Write int64 }
	}
}

// requests reads what the requests of a session used. Each message of the model is one.
func requests() func([]byte) []transcript.Request {
	var lane, turn string
	return func(b []byte) []transcript.Request {
		var one row
		if json.Unmarshal(b, &one) != nil {
			return nil
		}
		if one.Session.ID != "" {
			lane = one.Session.Lane
			return nil
		}
		var m message
		if one.Message == "" || json.Unmarshal(one.Data, &m) != nil {
			return nil
		}
		if m.Role == "user" {
			turn = one.Message
		}
		t := m.Tokens
		return []transcript.Request{{
			ID: one.Message, Copy: one.Message, Lane: lane, Turn: turn, At: time.UnixMilli(m.Time.Created), Model: m.Model, Price: int64(math.Round(m.Cost * 1e6)),
			Tokens: events.Tokens{Input: t.Input, CacheRead: t.Cache.Read, CacheWrite: t.Cache.Write, Output: t.Output + t.Reasoning},
		}}
	}
}

// unknownRole is the role of a message that is damaged: nobody knows who wrote its texts.
const unknownRole = "unknown"

// part is the needed content of a part of a message.
type part struct {
	Type      string
	Text      string
	Synthetic bool // written by the client, not the person
	Auto      bool // a compaction that the client started
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
	id           string // of the message being read
	message      message
	texts        []string // the message's texts
	trigger      string   // of the newest compaction
	lastWords    string   // the model's newest words of the turn, their message and time
	lastMessage  string
	lastSpokenAt time.Time
	running      []row               // calls without an end
	branches     transcript.Branches // prompts
	prompts      []string            // ids of their messages
}

func newReader() *reader {
	r := &reader{Reported: transcript.Reported{At: time.Unix(0, 0)}}
	r.Hook = func(kind events.HookKind) events.Hook {
		return events.Hook{Agent: opencode.Name, Native: "transcript", Kind: kind, Session: r.session.Top, Lane: r.session.Lane, At: r.At.UnixNano()}
	}
	return r
}

// Session returns the session of the plugin's calls.
func (r *reader) Session() string { return r.session.Top }

// Row handles a row.
func (r *reader) Row(b []byte) error {
	var one row
	err := json.Unmarshal(b, &one)
	switch {
	case err != nil:
	case one.Session.ID != "":
		r.session = one.Session
		r.at(r.session.Created)
		r.tell(r.session.ID, "session.created", about{"title": r.session.Title, "agent": r.session.Agent, "entry": r.session.Entry})
	case one.Part != "":
		var p part
		if err = json.Unmarshal(one.Data, &p); err == nil {
			r.part(one, p)
		}
	default:
		r.endMessage()
		r.id, r.message, r.texts = one.Message, message{}, nil
		if err = json.Unmarshal(one.Data, &r.message); err != nil {
			r.message = message{Role: unknownRole}
		}
		r.at(r.message.Time.Created)
	}
	if err != nil {
		return transcript.ErrJSON
	}
	r.Whole(one.Session.ID + one.Message + one.Part)
	return nil
}

// at sets the time of the next step, if known.
func (r *reader) at(millis int64) {
	if millis > 0 {
		r.At = time.UnixMilli(millis)
	}
}

// End reports the last message and the last turn.
func (r *reader) End() {
	r.endMessage()
	r.endTurn()
	r.revert()
}

// revert reports that the person took back a message and all after it.
func (r *reader) revert() {
	var back struct {
		MessageID string
		Snapshot  string
	}
	if json.Unmarshal([]byte(r.session.Revert), &back) != nil || r.session.Lane != "" {
		return
	}
	i := slices.Index(r.prompts, back.MessageID)
	if i < 0 {
		return
	}
	if first, ok := r.branches.Back(i - 1); ok {
		r.Rewound(r.Hook(events.Rewind), "revert "+back.MessageID, transcript.Rewind{First: first, Files: back.Snapshot != ""})
	}
}

// The beginning and the end of the client's message after a person approved a plan: the plan's file stands between.
const planAt, planApproved = "The plan at ", " has been approved"

// part handles a part of the message.
func (r *reader) part(row row, p part) {
	id := row.Part
	switch {
	case p.Type == "text" && !p.Synthetic:
		r.texts = append(r.texts, p.Text)
	case p.Type == "text" && strings.HasPrefix(p.Text, planAt):
		file, _, approved := strings.Cut(p.Text[len(planAt):], planApproved)
		if approved {
			r.tell(id, "tool.execute.after", about{"tool": "plan_exit", "args": about{"path": file}, "output": opencode.PlanApproved})
		}
	case p.Type == "compaction":
		r.trigger = "manual"
		if p.Auto {
			r.trigger = "auto"
		}
		r.tell(id, "experimental.session.compacting", about{"trigger": r.trigger})
	case p.Type == "tool":
		if p.State.Status == "running" {
			r.running = append(r.running, row)
		}
		r.call(id, p)
	}
}

// reportKilled reports tool calls without an end as failed: the client was killed while they ran.
func (r *reader) reportKilled() {
	for _, running := range r.running {
		var p part
		_ = json.Unmarshal(running.Data, &p) // it was read before
		p.State.Status, p.State.Error = "error", json.RawMessage(`"`+opencode.Aborted+`: the client ended while it ran"`)
		p.State.Time.End = p.State.Time.Start
		r.call(running.Part, p)
	}
	r.running = nil
}

// call handles a tool call.
func (r *reader) call(id string, p part) {
	members := about{"tool": p.Tool, "callID": p.CallID, "args": p.State.Input}
	r.at(p.State.Time.End)
	switch p.State.Status {
	case "completed":
		members["output"], members["metadata"] = p.State.Output, p.State.Metadata
		r.tell(id, "tool.execute.after", members)
		if p.Tool == "todowrite" {
			var list struct{ Todos json.RawMessage }
			_ = json.Unmarshal(p.State.Input, &list) // other input has no list
			r.tell(id, "todo.updated", about{"todos": list.Todos})
		}
	case "error":
		members["error"], members["time"] = p.State.Error, map[string]int64{"start": p.State.Time.Start, "end": p.State.Time.End}
		r.tell(id, "tool.error", members)
	}
}

// endMessage reports the message that was read, after its last part.
func (r *reader) endMessage() {
	text := strings.Join(r.texts, "\n")
	if r.message.Role == unknownRole {
		return
	}
	r.at(r.message.Time.Completed)
	if r.message.Role == "user" {
		if text != "" {
			r.endTurn()
			r.reportKilled()
			r.at(r.message.Time.Created)
			r.prompts = append(r.prompts, r.id)
			id := transcript.Step{Row: r.id, What: "chat.message"}.IDs(1)[0]
			r.branches.Add(transcript.Prompt{ID: id, Turn: r.id, Place: r.Place(r.session.Lane)})
			r.tell(r.id, "chat.message", about{"text": text, "agent": r.message.Agent, "message": r.id})
		}
		return
	}
	if string(r.message.Summary) == "true" {
		if text != "" {
			r.Compactions++
			r.tell(r.id, "session.compacted", about{"trigger": r.trigger})
			r.tell(r.id, "compaction.summary", about{"text": text, "trigger": r.trigger})
		}
		return
	}
	if text != "" {
		r.lastWords, r.lastMessage, r.lastSpokenAt = text, r.id, r.At
	}
	if len(r.message.Error) > 0 {
		failed := about{"error": r.message.Error}
		if bytes.Contains(r.message.Error, []byte("MessageAbortedError")) && r.lastWords != "" {
			failed["said"], r.lastWords = r.lastWords, "" // the turn ended there
		}
		r.tell(r.id, "session.error", failed)
	}
}

// endTurn reports the model's last words of a turn.
func (r *reader) endTurn() {
	if r.lastWords == "" {
		return
	}
	now := r.At
	r.At = r.lastSpokenAt
	r.tell(r.lastMessage, "session.idle", about{"said": r.lastWords})
	r.At, r.lastWords = now, ""
}

// about holds members of a call of the plugin.
type about map[string]any

// tell adds the step of a call, from what the plugin would have sent.
func (r *reader) tell(id, hook string, members about) {
	members["hook"], members["session"], members["lane"] = hook, r.session.Top, r.session.Lane
	members["directory"], members["worktree"] = r.session.Directory, r.session.Tree
	s := r.Payload(opencode.Dialect, members, agents.Env{Now: r.At, Getenv: func(string) string { return "" }}, id, hook)
	if s != nil {
		s.Sure = hook == "tool.execute.after" || hook == "chat.message" && r.session.Lane == ""
	}
}
