package events

// SessionStarted says that a session began, or went on after a resume, a clear
// or a fork. The start of a compacted context is ContextRestarted instead.
type SessionStarted struct {
	Source     string `json:"source"` // startup, resume, clear, fork
	Root       string `json:"root,omitempty"`
	Cwd        string `json:"cwd,omitempty"`
	Model      string `json:"model,omitempty"`
	Transcript string `json:"transcript,omitempty"`
	Recent     bool   `json:"recent,omitempty"` // a resume that told the time since the last answer (ADR-0019 rule 5)
	// Process tells the agent's process from every other one that ever had its id,
	// empty where that cannot be told (package proc). What it says is compared and
	// never shown.
	Process string `json:"process,omitempty"`
}

func (SessionStarted) event() {}

var _ = declare[SessionStarted]("session.started", "a session began, or went on after resume, clear or fork", lasting,
	from(SessionStart, func(h Hook) SessionStarted {
		return SessionStarted{Source: h.Source, Root: h.Root, Cwd: h.Cwd, Model: h.Model, Transcript: h.Transcript, Recent: h.SinceLast, Process: h.Process}
	}))

// SessionLinked says which session another one goes on from, as it was found in
// their transcripts: no hook of a fork names its parent, and what lies before
// the first hook of a session is kept apart (ADR-0011, ADR-0020).
type SessionLinked struct {
	Session string `json:"session"` // the earlier one
	How     string `json:"how"`     // fork, predecessor
	// Row is the first transcript row that both have, of a fork.
	Row string `json:"row,omitempty"`
}

func (SessionLinked) event() {}

var _ = declare[SessionLinked]("session.linked", "a session goes on from another one, as their transcripts show", lasting)

// ForkID is the id of the link of a fork to its parent. A session is forked once, so
// that whoever finds the link, while the fork runs or in an import, gives it this id.
func ForkID(project, session string) string {
	return DerivedID(string(TypeOf[SessionLinked]()), "fork", project, session)
}

// SessionCarried says what a session takes over from the one that it goes on from: a
// person who clears the context goes on with the work. It is an event because nothing
// of one session is read as another's (S3.8).
type SessionCarried struct {
	From  string `json:"from"`            // the session
	Todos []Todo `json:"todos,omitempty"` // that it left open
	Plan  string `json:"plan,omitempty"`  // that the person approved last
	File  string `json:"file,omitempty"`  // where the client keeps the plan
}

func (SessionCarried) event() {}

var _ = declare[SessionCarried]("session.carried", "a session took over what the one before it left open", lasting, reserved)

// SessionGap says that hooks missed a stretch of a session that an import found in
// its transcript. The stretch itself is kept under another session, since it cannot
// be put between what was recorded (ADR-0011).
type SessionGap struct {
	Session string `json:"session"` // the imported stretch
	Prompts int    `json:"prompts,omitempty"`
	Tools   int    `json:"tools,omitempty"`
	Turns   int    `json:"turns,omitempty"`
}

func (SessionGap) event() {}

var _ = declare[SessionGap]("session.gap", "hooks missed a stretch of the session that was imported apart")

// SessionGone says that the agent's process of a session is not there any more,
// though no hook told its end: it crashed, or the machine was switched off. It
// changes how fresh what the session left is; it ends nothing.
type SessionGone struct {
	PID int `json:"pid"` // the process that is gone
	// Evidence says how that is known: boot when the machine was started anew
	// since, process when no process has this id and start time.
	Evidence string `json:"evidence"`
}

func (SessionGone) event() {}

var _ = declare[SessionGone]("session.gone", "the process of a session is gone though nothing told its end", reserved)

// SessionEnded says that a session ended. Many sessions end without one: it is
// optional evidence (docs/CLIENTS.md §4).
type SessionEnded struct {
	Reason string `json:"reason,omitempty"` // clear, resume, logout, prompt_input_exit, other
}

func (SessionEnded) event() {}

var _ = declare[SessionEnded]("session.ended", "a session ended",
	from(SessionEnd, func(h Hook) SessionEnded { return SessionEnded{Reason: h.Reason} }))

// ProjectSeen gives the path behind a project key. The log's owner appends it
// once per key (ADR-0015 rule 4), and again for a project that is shared with a team
// when what others know it by is found or has changed, or handing over was chosen or ended.
type ProjectSeen struct {
	Root string `json:"root"`
	// Repository is the name of the repository whose worktree Root is, empty for any
	// other directory. A worktree is a project of its own (ADR-0015).
	Repository string `json:"repository,omitempty"`
	// Commits and Remote say which repository it is a checkout of (journal/git): the
	// commits without a parent, sorted, and the address without names and secrets. Name is what a
	// person called it instead.
	Commits []string `json:"commits,omitempty"`
	Remote  string   `json:"remote,omitempty"`
	Name    string   `json:"name,omitempty"`
	// Also are repositories of others of which a person said that they are this project too.
	Also []Checkout `json:"also,omitempty"`
	// Handover says that the team is told of what is unfinished here.
	Handover bool `json:"handover,omitempty"`
	// Decisions says that what is decided here is given to others of the team.
	Decisions bool `json:"decisions,omitempty"`
}

// Checkout is what git says of a repository, as ProjectSeen has it.
type Checkout struct {
	Commits []string `json:"commits,omitempty"`
	Remote  string   `json:"remote,omitempty"`
}

func (ProjectSeen) event() {}

var _ = declare[ProjectSeen]("project.seen", "the path behind a project key", lasting, reserved)

// UsageSampled says how full the agent's context was (S1.3).
type UsageSampled struct {
	Percent int    `json:"percent"` // 0 to 100; counts only with a window
	Tokens  int64  `json:"tokens,omitempty"`
	Window  int64  `json:"window,omitempty"` // tokens in all; 0 unknown: a headless session tells its tokens alone
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

// SubagentStarted says that a subagent began in the lane of the envelope.
type SubagentStarted struct {
	AgentType string `json:"agent_type,omitempty"`
}

func (SubagentStarted) event() {}

var _ = declare[SubagentStarted]("subagent.started", "a subagent began",
	from(SubagentStart, func(h Hook) SubagentStarted { return SubagentStarted{AgentType: h.AgentType} }))

// SubagentTasked says what a subagent was asked to do. The main thread tells it, of
// a lane that is not its own.
type SubagentTasked struct {
	Lane string `json:"lane"` // the subagent's id
	Text string `json:"text"`
	Use  string `json:"use,omitempty"`
}

func (SubagentTasked) event() {}

var _ = declare[SubagentTasked]("subagent.tasked", "a subagent was given its task",
	fromSome(ToolEnd, func(h Hook) (SubagentTasked, bool) {
		t := h.Tool
		return SubagentTasked{Lane: t.Lane, Text: t.Task, Use: t.Use}, t.Action == RunAgent && t.Lane != "" && t.Task != ""
	}))

// SubagentEnded says that a subagent gave its answer. The summariser of a compaction, which reports itself as a
// subagent without a type, does not count as one.
type SubagentEnded struct {
	AgentType string `json:"agent_type"`
	Text      string `json:"text,omitempty"`
}

func (SubagentEnded) event() {}

var _ = declare[SubagentEnded]("subagent.ended", "a subagent gave its answer",
	from(SubagentEnd, func(h Hook) SubagentEnded { return SubagentEnded{AgentType: h.AgentType, Text: h.Text} }))

// HandoverTaken says that a session goes on with what a session on another machine left unfinished,
// which a member of the team or the same one on another device offered (J.9). What it goes on with
// comes as events of its own: nothing of another log is folded with this one.
type HandoverTaken struct {
	Member  string   `json:"member"`
	Device  string   `json:"device"`
	Project string   `json:"project"` // key there
	Session string   `json:"session"` // there
	Skill   string   `json:"skill,omitempty"`
	Ports   []string `json:"ports,omitempty"`
	Plan    string   `json:"plan,omitempty"` // whole
	AsOf    uint64   `json:"as_of"`          // newest sequence there that tells of it
}

func (HandoverTaken) event() {}

var _ = declare[HandoverTaken]("handover.taken", "a session goes on with what another machine left unfinished", lasting, appendable, requires("member", "device", "session"))

// HandoverNoticed says that the owner saw at the team's hub who went on with what a session of this
// log left unfinished (J.9). It ends nothing here: another machine decides nothing for this one.
type HandoverNoticed struct {
	Session string   `json:"session"` // of this log, that left it
	Member  string   `json:"member"`  // who goes on
	Device  string   `json:"device"`
	By      string   `json:"by"` // their session
	Skill   string   `json:"skill,omitempty"`
	Ports   []string `json:"ports,omitempty"`
	Plan    string   `json:"plan,omitempty"` // its title
	Taken   int64    `json:"taken"`          // by the time of their machine, ns since 1970
}

func (HandoverNoticed) event() {}

var _ = declare[HandoverNoticed]("handover.noticed", "somebody else goes on with what this log left unfinished", lasting, reserved)
