package events

import "journal/events/text"

// SessionStarted records that a session began, or continued after a resume, a clear or a fork. The start of a compacted
// context is ContextRestarted instead.
type SessionStarted struct {
	Source     string `json:"source"`         // startup, resume, clear, fork
	Root       string `json:"root,omitempty"` // directory of the project
	Cwd        string `json:"cwd,omitempty"`
	Model      string `json:"model,omitempty"`
	Transcript string `json:"transcript,omitempty"` // its path
	Recent     bool   `json:"recent,omitempty"`     // a resume whose payload had the time since the last answer (ADR-0019 rule 5)
	// Process distinguishes the agent's process from every other process that ever had its process id, empty if unknown (package
	// proc). It is only compared, never shown.
	Process string `json:"process,omitempty"`
	// Headless is set if a program started the agent, and no person uses it.
	Headless bool `json:"headless,omitempty"`
}

func (SessionStarted) event() {}

var _ = declare[SessionStarted]("session.started", "a session began, or went on after resume, clear or fork", irreversible, lasting,
	from(SessionStart, func(h Hook) SessionStarted {
		return SessionStarted{Source: h.Source, Root: h.Root, Cwd: h.Cwd, Model: h.Model, Transcript: h.Transcript, Recent: h.SinceLast, Process: h.Process, Headless: h.Headless}
	}))

// SessionLinked names the session that the event's session continues, according to their transcripts. No hook of a fork names
// its parent; and an import stores the part before a session's first hook under a session of its own (ADR-0011, ADR-0020).
type SessionLinked struct {
	Session string `json:"session"` // the earlier session
	How     string `json:"how"`     // fork, predecessor
	// Row is the first transcript row that a fork shares with its parent.
	Row string `json:"row,omitempty"`
}

func (SessionLinked) event() {}

var _ = declare[SessionLinked]("session.linked", "a session goes on from another one, as their transcripts show", irreversible, lasting)

// ForkID returns the id of the SessionLinked of a fork. The owner and an import derive the same id, so that the link is recorded
// once.
func ForkID(project, session string) string {
	return DerivedID(string(TypeOf[SessionLinked]()), "fork", project, session)
}

// SessionCarried holds the open work of the session that the event's session continues after /clear. It is an event, because
// folds do not read the work of another session (S3.8).
type SessionCarried struct {
	From  string `json:"from"`            // the earlier session
	Todos []Todo `json:"todos,omitempty"` // open todos
	Plan  string `json:"plan,omitempty"`  // newest approved plan
	File  string `json:"file,omitempty"`  // path at which the client stores the plan
}

func (SessionCarried) event() {}

var _ = declare[SessionCarried]("session.continued", "a session took over what the one before it left open", irreversible, lasting, reserved)

// SessionTitled records the client's own title of the session, as in its transcript.
type SessionTitled struct {
	Title  string `json:"title"`
	Person bool   `json:"person,omitempty"` // the person chose it; otherwise the client did
}

func (SessionTitled) event() {}

var _ = declare[SessionTitled]("session.titled", "the client named the session", irreversible, lasting, bookkeeping,
	from(Title, func(h Hook) SessionTitled { return SessionTitled{Title: h.Text, Person: h.Reason == "person"} }))

// SessionGap records that hooks missed a part of a session. An import found the part in the transcript, and stored it under another
// session, because nothing can be inserted between recorded events (ADR-0011).
type SessionGap struct {
	Session string `json:"session"`           // the session with the imported part
	Prompts int    `json:"prompts,omitempty"` // number of prompts in that part
	Tools   int    `json:"tools,omitempty"`   // number of tool calls in it
	Turns   int    `json:"turns,omitempty"`   // number of turns in it
}

func (SessionGap) event() {}

var _ = declare[SessionGap]("session.gap", "hooks missed a stretch of the session that was imported apart", irreversible)

// SessionGone records that the process of a session ended without a hook of its end: it crashed, or the machine was
// switched off. The session's work stays open.
type SessionGone struct {
	PID int `json:"pid"` // the process that ended
	// Evidence is "boot" if the machine was restarted since, "process" if no process has this id and start time.
	Evidence string `json:"evidence"`
}

func (SessionGone) event() {}

var _ = declare[SessionGone]("session.died", "the process of a session ended, and no hook reported it", irreversible, reserved)

// SessionEnded records that a session ended. Many sessions end without this event (docs/CLIENTS.md §4).
type SessionEnded struct {
	Reason string `json:"reason,omitempty"` // clear, resume, logout, prompt_input_exit, other
}

func (SessionEnded) event() {}

var _ = declare[SessionEnded]("session.ended", "a session ended", irreversible,
	from(SessionEnd, func(h Hook) SessionEnded { return SessionEnded{Reason: h.Reason} }))

// ProjectSeen records the path of a project key. The log's owner appends one event per key (ADR-0015 rule 4), and for a project
// shared with a team another event when a field changes.
type ProjectSeen struct {
	Root string `json:"root"`
	// Repository is the name of the repository whose worktree Root is, empty for any other directory. A worktree is a
	// project of its own (ADR-0015).
	Repository string `json:"repository,omitempty"`
	// Commits and Remote identify the repository of the checkout (journal/git): the commits without a parent, sorted,
	// and the address without names and secrets. Name is a name that a person chose instead.
	Commits []string `json:"commits,omitempty"`
	Remote  string   `json:"remote,omitempty"`
	Name    string   `json:"name,omitempty"`
	// Also lists repositories of other members. A person has declared that they are the same project.
	Also []Checkout `json:"same_as,omitempty"`
	// Handover is set if the project's unfinished work is shared with the team.
	Handover bool `json:"handover,omitempty"`
	// Decisions is set if the project's decisions are shared with the team.
	Decisions bool `json:"decisions,omitempty"`
}

// Checkout identifies a repository by its commits and its address, as in ProjectSeen.
type Checkout struct {
	Commits []string `json:"commits,omitempty"`
	Remote  string   `json:"remote,omitempty"`
}

func (ProjectSeen) event() {}

var _ = declare[ProjectSeen]("project.seen", "the path behind a project key", irreversible, lasting, reserved)

// UsageSampled is a sample of the used part of the agent's context (S1.3).
type UsageSampled struct {
	Percent int    `json:"percent"` // 0 to 100; meaningless without a window
	Tokens  int64  `json:"tokens,omitempty"`
	Window  int64  `json:"window,omitempty"` // size in tokens; 0 for unknown, as in headless sessions
	Model   string `json:"model,omitempty"`
	Client  string `json:"client,omitempty"` // version of the agent
}

func (UsageSampled) event() {}

var _ = declare[UsageSampled]("usage.sampled", "how full the agent's context was", appendable,
	fromEach(func(h Hook) []UsageSampled {
		if h.Usage == nil {
			return nil
		}
		return []UsageSampled{{Percent: h.Usage.Percent, Tokens: h.Usage.Tokens, Window: h.Usage.Window, Model: h.Model, Client: h.Client}}
	}))

// SubagentStarted records that a subagent began in the lane of the envelope.
type SubagentStarted struct {
	AgentType string `json:"agent_type,omitempty"`
}

func (SubagentStarted) event() {}

var _ = declare[SubagentStarted]("subagent.started", "a subagent began",
	from(SubagentStart, func(h Hook) SubagentStarted { return SubagentStarted{AgentType: h.AgentType} }))

// SubagentTasked is the task of a subagent. The lane that started the subagent reports it.
type SubagentTasked struct {
	Lane  string `json:"lane"`            // the subagent's id
	Text  string `json:"text"`            // the task
	About string `json:"about,omitempty"` // its purpose, in the agent's words
	Use   string `json:"use,omitempty"`
	// Background is set if the reporting lane did not wait; SubagentEnded or BackgroundEnded then reports the end.
	Background bool `json:"background,omitempty"`
	// Name and Team are set for a teammate. A teammate continues after each answer, until a BackgroundEnded with its name or id.
	Name string `json:"name,omitempty"`
	Team string `json:"team,omitempty"`
	// Report is the end of the subagent's answer, if the reporting call has it.
	Report string `json:"report,omitempty"`
}

func (SubagentTasked) event() {}

var _ = declare[SubagentTasked]("subagent.tasked", "a subagent was given its task",
	fromSome(ToolEnd, func(h Hook) (SubagentTasked, bool) {
		t := h.Tool
		return SubagentTasked{
			Lane: t.Lane, Text: t.Task, About: t.About, Use: t.Use, Background: t.Background != "", Name: t.Teammate, Team: t.Team,
			Report: text.EndUnits(t.Report, momentUnits),
		}, t.Action == RunAgent && t.Lane != "" && t.Task != ""
	}))

// SubagentEnded is the answer of a subagent. Some clients report the summariser of a compaction as a subagent without a type;
// its end is not recorded.
type SubagentEnded struct {
	AgentType string `json:"agent_type"`
	Text      string `json:"text,omitempty"`
}

func (SubagentEnded) event() {}

var _ = declare[SubagentEnded]("subagent.ended", "a subagent gave its answer",
	from(SubagentEnd, func(h Hook) SubagentEnded { return SubagentEnded{AgentType: h.AgentType, Text: h.Text} }))

// HandoverTaken records that a session continues the unfinished work of a session on another machine (J.9). The machine belongs to
// the same or another member of the team. Other events hold the work itself, because folds read no other log.
type HandoverTaken struct {
	Member  string   `json:"member"`  // owner of the other machine
	Device  string   `json:"device"`  // the other machine
	Project string   `json:"project"` // key of the project on the other machine
	Session string   `json:"session"` // on the other machine
	Skill   string   `json:"skill,omitempty"`
	Ports   []string `json:"ports,omitempty"`
	Plan    string   `json:"plan,omitempty"` // the whole text
	AsOf    uint64   `json:"as_of"`          // newest sequence of the other log about the work
}

func (HandoverTaken) event() {}

var _ = declare[HandoverTaken]("handover.taken", "a session goes on with what another machine left unfinished", irreversible, lasting, appendable, requires("member", "device", "session"))

// HandoverNoticed records that, according to the team's hub, a session on another machine continues the unfinished work of a session
// of this log (J.9). The work stays open here.
type HandoverNoticed struct {
	Session string   `json:"session"` // of this log
	Member  string   `json:"member"`  // owner of the other machine
	Device  string   `json:"device"`
	By      string   `json:"by"` // the session on the other machine
	Skill   string   `json:"skill,omitempty"`
	Ports   []string `json:"ports,omitempty"`
	Plan    string   `json:"plan,omitempty"` // title of the plan
	Taken   int64    `json:"taken"`          // time by the other machine's clock, ns since 1970 UTC
}

func (HandoverNoticed) event() {}

var _ = declare[HandoverNoticed]("handover.noticed", "somebody else goes on with what this log left unfinished", irreversible, lasting, reserved)
