package claude

import (
	"cmp"
	"io"
	"maps"
	"path/filepath"
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
)

// Steps have the order of the rows in the file: in all examined transcripts a row follows its parent, and rows of abandoned branches
// report real events. Times of rows are not monotonic, so nothing is ordered by them. The client writes some rows twice, with the same
// uuid.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.claude/projects", Moved: transcript.Moved{From: "~/.claude", Var: "CLAUDE_CONFIG_DIR"},
	Names:   []string{"*" + transcriptExt},
	History: historyName, Sessions: history, Retention: retention,
	Around: around,
	Skim:   skim,
	Limits: rowLimits,
	Begin: func() func(string) transcript.Parser {
		types := subagentTypes{}
		return func(path string) transcript.Parser { return newReader(path, types) }
	},
	Contexts: contexts,
	Watch:    watch, Task: task,
	Parent:   parent,
	Requests: requests,
})

// rowLimits keeps the same parts of a long row as the dialect keeps of a hook: the texts of a person or the model whole, and no
// contents of files.
var rowLimits = payload.Limits{
	Whole: payload.Paths(
		"message.content", "message.content[].text", "message.content[].input.todos[].content",
		"message.content[].input.prompt", "message.content[].input.plan", "attachment.prompt", "content",
		"toolUseResult.plan", "toolUseResult.prompt", "toolUseResult.answers.",
		// The output of commands has at most 30,000 characters. It is searched for failures before it is cut.
		"toolUseResult.stdout", "toolUseResult.stderr", "message.content[].content",
	),
	Drop: payload.Paths(
		"toolUseResult.originalFile", "toolUseResult.file.content", "toolUseResult.file.base64",
		"toolUseResult.structuredPatch", "message.content[].source", "snapshot",
	),
}

// reader reads one transcript. The session is the one in the file's name, if a row has it, else that of the first row. A reader is not
// safe for concurrent use.
type reader struct {
	transcript.Reported
	path    string
	file    string          // the file's name without its extension: the session, unless the file was renamed
	began   bool            // a row of the conversation was read
	start   row             // the first row of the session until its start is reported, then empty
	source  string          // source of the session's start
	seen    map[string]bool // uuids of the rows so far
	threads map[string]*thread
	order   []*thread         // threads in the order of their first rows
	chains  map[string]string // lanes of the rows of subagents without a name, by uuid
	uses    transcript.Calls[call]
	queue   queue
	branches
	lastMessage  string // id of the message with the newest words, "" after a tool call
	shellCommand string // the person's own command whose output was not read yet, "" if there is none
	title        row    // kind and title of the newest row with a title
	types        subagentTypes
}

// newReader returns a reader of the transcript at a path. types has the subagents that earlier transcripts started.
func newReader(path string, types subagentTypes) *reader {
	r := &reader{
		path: path, file: sessionOf(path), source: "startup", Reported: transcript.NewReported(Name), seen: map[string]bool{}, threads: map[string]*thread{},
		chains: map[string]string{}, types: types, queue: queue{removed: map[string]int{}, attached: map[string]int{}},
	}
	if isHistory(path) {
		r.source = historySource
	}
	return r
}

// Row implements transcript.Parser.
func (r *reader) Row(b []byte) error {
	if !transcript.Closed(b) {
		return transcript.ErrJSON
	}
	r.dispatch(rowFields.read(b))
	return nil
}

// dispatch chooses the handler of a parsed row.
func (r *reader) dispatch(row row) {
	if !row.at.IsZero() {
		r.At = row.at
	}
	row.session = cmp.Or(row.session, row.sessionFromName(r.path))
	// If a session begins with an approved plan, its first row may be the last row of the session before, with that session's id.
	if row.session != "" && (r.SessionID == "" || row.session == r.file) {
		r.SessionID = row.session
	}
	if row.uuid == "" && row.ofConversation() { // a script wrote it: the row's content identifies it
		row.uuid = text.Digest(row.kind + row.at.String() + string(row.message))[:16]
	}
	if row.uuid != "" && !r.Watching {
		if r.seen[row.uuid] {
			return // the client has written the row twice
		}
		r.seen[row.uuid] = true
		r.Complete(row.uuid)
	}
	row.fresh = r.addRow(row)
	// Rows of other kinds report no events: lists of summaries, snapshots of files, modes.
	switch row.kind {
	case "queue-operation":
		if r.SessionID != "" {
			r.queueOperation(row)
		}
	case "custom-title", "ai-title":
		r.setTitle(row)
	case "user", "assistant", "system", "attachment":
		if r.SessionID != "" {
			r.conversation(row)
		}
	}
}

// setTitle handles a row with a title of the session. It reports a new title, or leaves the report to begin if the session's start is not
// reported yet. The client's title does not replace the person's. Rows with titles have no id and no time, and the client repeats them.
func (r *reader) setTitle(row row) {
	title := redact.Text(row.title)
	repeated := row.kind == r.title.kind && title == r.title.title
	overruled := row.kind == "ai-title" && r.title.kind == "custom-title"
	if title == "" || repeated || overruled {
		return
	}
	r.title.kind, r.title.title = row.kind, title
	if r.began && (r.Watching || r.start.kind == "") {
		r.addTitle()
	}
}

// addTitle adds the step of the newest title, if there is one.
func (r *reader) addTitle() {
	if r.title.title == "" {
		return
	}
	h := r.Hook(events.Title)
	h.Text = r.title.title
	if r.title.kind == "custom-title" {
		h.Reason = "person"
	}
	r.Add(h, "", r.title.kind+" "+h.Text)
}

// conversation handles a row of the conversation, of any thread.
func (r *reader) conversation(row row) {
	if r.Root == "" { // the client was started in the first row's directory
		r.Root = row.cwd
	}
	t := r.thread(row)
	if t.aside {
		return
	}
	if !r.began {
		r.began, r.start = true, row.head()
		if row.forked != "" {
			r.source = "fork"
		}
		if r.Watching {
			r.addTitle()
		}
	}
	switch {
	case row.subtype == "compact_boundary":
		r.boundary(t, row)
	case row.subtype == "microcompact_boundary":
		r.reportCleared(t, row)
	case row.subtype == "stop_hook_summary", row.subtype == "turn_duration":
		r.endTurn(t)
	case row.subtype == "local_command":
		r.command(t, row, row.content)
	case row.kind == "user" && row.summary:
		r.reportSummary(t, row)
	case row.kind == "user":
		r.user(t, row)
	case row.kind == "assistant":
		r.assistant(t, row)
	case row.kind == "attachment":
		r.attachment(t, row)
	}
}

// hook returns a hook of a thread for a fact of the current row, without a payload.
func (r *reader) hook(t *thread, kind events.HookKind) events.Hook {
	h := r.Hook(kind)
	h.Lane, h.Turn = t.lane, t.turn
	return h
}

// End reports the ends of turns and subagents.
func (r *reader) End() {
	for _, t := range r.order {
		r.endTurn(t)
		if t.lane != "" {
			r.endSubagent(t)
		}
	}
	r.order, r.threads = nil, map[string]*thread{}
}

// skim implements transcript.Format.Skim.
func skim(path string, r io.Reader) (transcript.Head, error) {
	above := sessionAbove(path)
	if above != "" && filepath.Base(path) == workflowNotes {
		return transcript.Head{}, transcript.ErrOwn
	}
	in := transcript.NewRows(r, rowLimits)
	if isHistory(path) {
		var row typedRow
		if b, err := in.Next(); err != nil || transcript.Unmarshal(b, &row) != nil || row.Time <= 0 {
			return transcript.Head{}, transcript.ErrNoSession
		}
		return transcript.Head{}, nil
	}
	for range 64 { // the first rows may be lists of summaries, snapshots of files and other rows without a session or a time
		b, err := in.Next()
		if err != nil {
			break
		}
		if !transcript.Closed(b) {
			continue
		}
		if transcript.Derived(b) {
			break
		}
		row := rowFields.read(b)
		row.session = cmp.Or(row.session, row.sessionFromName(path))
		if row.session == "" || row.at.IsZero() {
			continue
		}
		head := transcript.Head{Session: row.session, Began: row.at, Fork: row.forked != "" || row.sidechain}
		if name := sessionOf(path); len(name) == sessionIDLength {
			head.Session = name // the first row may have the id of the session before
		}
		head.Session = cmp.Or(above, head.Session)
		return head, nil
	}
	return transcript.Head{}, transcript.ErrNoSession
}

// sessionAbove returns the session whose folder of subagents has the file at path. It is "" for other files, which can be below any folder
// of that name, too.
func sessionAbove(path string) string {
	i := strings.LastIndex(filepath.ToSlash(path), "/"+subagentsFolder+"/")
	if session := filepath.Base(path[:max(i, 0)]); len(session) == sessionIDLength {
		return session
	}
	return ""
}

// sessionFromName returns the session in the name of a transcript if a row of the conversation does not name it, as after a script has
// rewritten the transcript. It is "" for other rows, and if the name is not that of a session.
func (r row) sessionFromName(path string) string {
	if name := sessionOf(path); len(name) == sessionIDLength && r.session == "" && r.ofConversation() {
		return name
	}
	return ""
}

// ofConversation reports whether a row has a message of the conversation, and is not a note of the client.
func (r row) ofConversation() bool {
	return (r.kind == "user" || r.kind == "assistant") && len(r.message) > 0
}

const (
	// subagentsFolder is the name of the folder with the transcripts of subagents. It is in a folder with the session's name. The
	// transcripts of a workflow's subagents are in a folder in it, which also has a file workflowNotes.
	subagentsFolder = "subagents"
	workflowNotes   = "journal.jsonl"
	// sessionIDLength is the length of the client's session ids.
	sessionIDLength = len("00000000-0000-4000-8000-000000000000")
)

// around implements transcript.Format.Around. It returns the folder of all projects, because a session that continued in another worktree
// also has a transcript in the folder of that project. Outside of such a folder it returns the transcript and the folder of its subagents.
func around(path string) []string {
	if projects := filepath.Dir(filepath.Dir(path)); filepath.Base(projects) == "projects" {
		return []string{projects}
	}
	return []string{path, strings.TrimSuffix(path, transcriptExt)}
}

// begin reports the start of the session before its first other step.
func (r *reader) begin(t *thread) {
	if r.start.kind == "" || t.lane != "" || r.Watching {
		return
	}
	first := r.start
	r.start = row{}
	what, path := "", r.path
	if r.source == "resume" {
		what = "resume"
	}
	if isHistory(path) {
		path = ""
	}
	if s := r.addStep(&thread{}, first, "SessionStart", what, transcript.StartMembers(Dialect, r.source, path)); s != nil {
		s.Report.Hook.Headless = agents.Headless(first.entry)
	}
	r.addTitle()
}

// addHookStep adds the step of a hook, after the start of the session, and returns the step. detail distinguishes the steps of one hook in a
// row, "" for the only one. The result is nil if the payload is broken, and while watching if the hook itself reports the step.
func (r *reader) addHookStep(t *thread, row row, hook, detail string, members map[string]any) *transcript.Step {
	maybeUnhooked := row.within || hook == "PostToolUseFailure" // a failed call may be a refused one, which no hook reports
	if r.Watching && !maybeUnhooked {
		return nil
	}
	r.begin(t)
	return r.addStep(t, row, hook, detail, members)
}

// addStep adds the step of a hook, from the payload that the client would have sent to the hook. It returns nil if the payload is broken.
func (r *reader) addStep(t *thread, row row, hook, detail string, members map[string]any) *transcript.Step {
	doc := map[string]any{"cwd": cmp.Or(row.cwd, r.Root)}
	turn := row.prompt
	if hook != "SessionStart" || detail == "compact" {
		turn = cmp.Or(turn, t.turn)
	}
	if turn != "" {
		doc["prompt_id"] = turn
	}
	maps.Copy(doc, members)
	now := r.At
	if !row.at.IsZero() {
		r.At = row.at
	}
	s := r.AddHook(Dialect, t.lane, row.uuid, hook, doc)
	r.At = now
	if s == nil {
		return nil
	}
	s.What = strings.TrimSpace(hook + " " + detail)
	// For a prompt within a turn, old clients call no hook.
	s.Sure = hook == "PostToolUse" || hook == "UserPromptSubmit" && !s.Report.Hook.Machine && !row.within
	return s
}
