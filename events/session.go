package events

import "journal/events/text"

// SessionStarted records that a session began, or continued after a resume, a clear or a fork. The start of a compacted
// context is ContextRestarted instead.
type SessionStarted struct {
	Source     string `json:"source"` // startup, resume, clear, fork
	Root       string `json:"root,omitempty"`
	Cwd        string `json:"cwd,omitempty"`
	Model      string `json:"model,omitempty"`
	Transcript string `json:"transcript,omitempty"`
	Recent     bool   `json:"recent,omitempty"` // a resume whose payload had the time since the last answer (ADR-0019 rule 5)
	// Process distinguishes the agent's process from all others that ever had its id, empty if unknown (package proc).
	// It is only compared, never shown.
	Process string `json:"process,omitempty"`
	// Headless reports whether a program started the agent for a task of its own: nobody sits at it.
	Headless bool `json:"headless,omitempty"`
}

func (SessionStarted) event() {}

var _ = declare[SessionStarted]("session.started", "a session began, or went on after resume, clear or fork", irreversible, lasting,
	from(SessionStart, func(h Hook) SessionStarted {
		return SessionStarted{Source: h.Source, Root: h.Root, Cwd: h.Cwd, Model: h.Model, Transcript: h.Transcript, Recent: h.SinceLast, Process: h.Process, Headless: h.Headless}
	}))

// SessionLinked names the session that another one continues, according to their transcripts: no hook of a fork names
// its parent, and the part before the first hook of a session is kept apart (ADR-0011, ADR-0020).
type SessionLinked struct {
	Session string `json:"session"` // the earlier one
	How     string `json:"how"`     // fork, predecessor
	// Row is the first transcript row that a fork shares with its parent.
	Row string `json:"row,omitempty"`
}

func (SessionLinked) event() {}

var _ = declare[SessionLinked]("session.linked", "a session goes on from another one, as their transcripts show", irreversible, lasting)

// ForkID returns the id of the link of a fork to its parent. A session is forked once: everybody who finds the link,
// while the fork runs or in an import, derives this id.
func ForkID(project, session string) string {
	return DerivedID(string(TypeOf[SessionLinked]()), "fork", project, session)
}

// SessionCarried holds the work that a session takes over from the one that it continues: a person who clears the
// context goes on with the work. It is an event because nothing of one session is read as another's (S3.8).
type SessionCarried struct {
	From  string `json:"from"`            // the earlier session
	Todos []Todo `json:"todos,omitempty"` // its open todos
	Plan  string `json:"plan,omitempty"`  // its newest approved plan
	File  string `json:"file,omitempty"`  // where the client stores the plan
}

func (SessionCarried) event() {}

var _ = declare[SessionCarried]("session.continued", "a session took over what the one before it left open", irreversible, lasting, reserved)

// SessionTitled records the client's own title of the session, as its transcript has it.
type SessionTitled struct {
	Title  string `json:"title"`
	Person bool   `json:"person,omitempty"` // the person gave it; else the client made it
}

func (SessionTitled) event() {}

var _ = declare[SessionTitled]("session.titled", "the client named the session", irreversible, lasting, aside,
	from(Title, func(h Hook) SessionTitled { return SessionTitled{Title: h.Text, Person: h.Reason == "person"} }))

// SessionGap records that hooks missed a part of a session that an import found in its transcript. The part itself is kept
// under another session, since it cannot be inserted between recorded events (ADR-0011).
type SessionGap struct {
	Session string `json:"session"` // the session with the imported part
	Prompts int    `json:"prompts,omitempty"`
	Tools   int    `json:"tools,omitempty"`
	Turns   int    `json:"turns,omitempty"`
}

func (SessionGap) event() {}

var _ = declare[SessionGap]("session.gap", "hooks missed a stretch of the session that was imported apart", irreversible)

// SessionGone records that the agent's process of a session ended without a hook of its end: it crashed, or the machine
// was switched off. It only dates the open work; it ends nothing.
type SessionGone struct {
	PID int `json:"pid"` // the process that ended
	// Evidence is boot if the machine was restarted since, process if no process has this id and start time.
	Evidence string `json:"evidence"`
}

func (SessionGone) event() {}

var _ = declare[SessionGone]("session.died", "the process of a session ended, and no hook reported it", irreversible, reserved)

// SessionEnded records that a session ended. Many sessions end without one: it is optional evidence (docs/CLIENTS.md §4).
type SessionEnded struct {
	Reason string `json:"reason,omitempty"` // clear, resume, logout, prompt_input_exit, other
}

func (SessionEnded) event() {}

var _ = declare[SessionEnded]("session.ended", "a session ended", irreversible,
	from(SessionEnd, func(h Hook) SessionEnded { return SessionEnded{Reason: h.Reason} }))

// ProjectSeen records the path of a project key. The log's owner appends it once per key (ADR-0015 rule 4). For a
// project shared with a team it is appended again when the names by which others know it are found or change, or when
// handover is turned on or off.
type ProjectSeen struct {
	Root string `json:"root"`
	// Repository is the name of the repository whose worktree Root is, empty for any other directory. A worktree is a
	// project of its own (ADR-0015).
	Repository string `json:"repository,omitempty"`
	// Commits and Remote identify the repository of the checkout (journal/git): the commits without a parent, sorted,
	// and the address without names and secrets. Name is a person's own name for it instead.
	Commits []string `json:"commits,omitempty"`
	Remote  string   `json:"remote,omitempty"`
	Name    string   `json:"name,omitempty"`
	// Also lists repositories of others that a person declared to be this project too.
	Also []Checkout `json:"same_as,omitempty"`
	// Handover is set if the team gets the list of unfinished work here.
	Handover bool `json:"handover,omitempty"`
	// Decisions is set if the team gets this project's decisions.
	Decisions bool `json:"decisions,omitempty"`
}

// Checkout is git's description of a repository, as in ProjectSeen.
type Checkout struct {
	Commits []string `json:"commits,omitempty"`
	Remote  string   `json:"remote,omitempty"`
}

func (ProjectSeen) event() {}

var _ = declare[ProjectSeen]("project.seen", "the path behind a project key", irreversible, lasting, reserved)

// UsageSampled is a sample of the used part of the agent's context (S1.3).
type UsageSampled struct {
	Percent int    `json:"percent"` // 0 to 100; counts only with a window
	Tokens  int64  `json:"tokens,omitempty"`
	Window  int64  `json:"window,omitempty"` // size in tokens; 0 for unknown: a headless session reports its tokens alone
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

// SubagentTasked is the task of a subagent. The main thread reports it, about another lane than its own.
type SubagentTasked struct {
	Lane  string `json:"lane"` // the subagent's id
	Text  string `json:"text"`
	About string `json:"about,omitempty"` // its purpose, in the agent's words
	Use   string `json:"use,omitempty"`
	// Background is set if the main thread goes on; SubagentEnded or BackgroundEnded reports the end.
	Background bool `json:"background,omitempty"`
	// Name and Team are set for a teammate. It goes on after each answer, until BackgroundEnded with its name or id.
	Name string `json:"name,omitempty"`
	Team string `json:"team,omitempty"`
	// Report is the end of its answer, if the call that gave the task reports it.
	Report string `json:"report,omitempty"`
}

func (SubagentTasked) event() {}

var _ = declare[SubagentTasked]("subagent.tasked", "a subagent was given its task",
	fromSome(ToolEnd, func(h Hook) (SubagentTasked, bool) {
		t := h.Tool
		return SubagentTasked{
			Lane: t.Lane, Text: t.Task, About: t.About, Use: t.Use, Background: t.Background != "", Name: t.Mate, Team: t.Team,
			Report: text.EndUnits(t.Report, momentUnits),
		}, t.Action == RunAgent && t.Lane != "" && t.Task != ""
	}))

// SubagentEnded is the answer of a subagent. The summariser of a compaction, which reports itself as a subagent without
// a type, does not count.
type SubagentEnded struct {
	AgentType string `json:"agent_type"`
	Text      string `json:"text,omitempty"`
}

func (SubagentEnded) event() {}

var _ = declare[SubagentEnded]("subagent.ended", "a subagent gave its answer",
	from(SubagentEnd, func(h Hook) SubagentEnded { return SubagentEnded{AgentType: h.AgentType, Text: h.Text} }))

// HandoverTaken records that a session continues the unfinished work of a session on another machine, offered by a
// member of the team or by the same one on another device (J.9). The work itself comes as events of its own: nothing of
// another log is folded with this one.
type HandoverTaken struct {
	Member  string   `json:"member"`
	Device  string   `json:"device"`
	Project string   `json:"project"` // its key on the other machine
	Session string   `json:"session"` // on the other machine
	Skill   string   `json:"skill,omitempty"`
	Ports   []string `json:"ports,omitempty"`
	Plan    string   `json:"plan,omitempty"` // whole
	AsOf    uint64   `json:"as_of"`          // newest sequence of the other log about it
}

func (HandoverTaken) event() {}

var _ = declare[HandoverTaken]("handover.taken", "a session goes on with what another machine left unfinished", irreversible, lasting, appendable, requires("member", "device", "session"))

// HandoverNoticed records that the owner saw at the team's hub that another session continues unfinished work of a
// session of this log (J.9). It ends nothing here: another machine decides nothing for this one.
type HandoverNoticed struct {
	Session string   `json:"session"` // of this log, which left it
	Member  string   `json:"member"`  // who continues
	Device  string   `json:"device"`
	By      string   `json:"by"` // their session
	Skill   string   `json:"skill,omitempty"`
	Ports   []string `json:"ports,omitempty"`
	Plan    string   `json:"plan,omitempty"` // its title
	Taken   int64    `json:"taken"`          // by their machine's clock, ns since 1970
}

func (HandoverNoticed) event() {}

var _ = declare[HandoverNoticed]("handover.noticed", "somebody else goes on with what this log left unfinished", irreversible, lasting, reserved)
