package events

// HookKind is what a hook call means, whatever the agent calls it.
type HookKind string

// The kinds of hook that the events of this package recognise. An agent's hook
// that is none of these has the kind Other and is kept as received.
const (
	SessionStart   HookKind = "session-start"   // a session begins, is resumed, cleared or forked
	SessionEnd     HookKind = "session-end"     // a session ends
	PromptSubmit   HookKind = "prompt-submit"   // a prompt goes to the model
	ToolStart      HookKind = "tool-start"      // a tool call is about to run
	ToolEnd        HookKind = "tool-end"        // a tool call has ended, well or not
	CommandExit    HookKind = "command-exit"    // how a command failed whose end another hook told
	CompactIntent  HookKind = "compact-intent"  // the agent means to compact; it may be blocked or fail
	ContextRestart HookKind = "context-restart" // a compacted context begins: fact of a compaction
	CompactEnd     HookKind = "compact-end"     // a compaction has a summary: fact of a compaction
	CompactSummary HookKind = "compact-summary" // the summary of a compaction that another hook told
	CompactDraft   HookKind = "compact-draft"   // the summary of a compaction that goes on
	CompactNotice  HookKind = "compact-notice"  // a notification that speaks of the context: weak evidence of a compaction
	TurnEnd        HookKind = "turn-end"        // the model has answered
	TurnFail       HookKind = "turn-fail"       // the model could not answer
	TurnInterrupt  HookKind = "turn-interrupt"  // the person stopped the model; Reason is tool when it waited for one
	SubagentStart  HookKind = "subagent-start"  // a subagent begins
	SubagentEnd    HookKind = "subagent-end"    // a subagent has answered
	TaskChange     HookKind = "task-change"     // a task of the agent's task list is new or has another status
	UsageSample    HookKind = "usage-sample"    // the statusline tells how full the context is
	Other          HookKind = "other"           // no meaning of its own yet
)

// Action is what a tool call does, whatever the agent calls the tool.
type Action string

// The actions that events recognise. A tool of any other kind has the action
// OtherTool.
const (
	RunCommand Action = "run-command"
	ReadFile   Action = "read-file"
	WriteFile  Action = "write-file" // the whole file
	EditFile   Action = "edit-file"  // a part of it
	WriteTodos Action = "write-todos"
	ChangeTask Action = "change-task"
	AskPerson  Action = "ask-person"   // put questions to the person
	OfferPlan  Action = "offer-plan"   // ask the person to approve a plan
	RunAgent   Action = "run-subagent" // hand a task to a subagent
	OtherTool  Action = "other-tool"
)

// Hook is what one call of an agent's hook said, in neutral words. A dialect
// fills what the agent's payload holds and leaves the rest zero. Every text in
// it is already bounded and redacted.
type Hook struct {
	Agent   string
	Native  string // the agent's own name of the hook, "PostToolUse"
	Kind    HookKind
	Session string // as the agent gave it; empty when missing
	Lane    string // subagent id; empty is the main thread
	Turn    string // prompt_id, turn_id
	At      int64  // ns since 1970 UTC, when the hook process began
	PID     int    // the agent's process id, 0 unknown
	Process string // of a SessionStart: what tells that process from others of the same id
	Root    string // project root, absolute
	Cwd     string

	Source     string // of a SessionStart: startup, resume, clear, compact, fork
	Trigger    string // of a compaction: manual, auto
	Reason     string // of a SessionEnd; the kind of error of a TurnFail
	Model      string
	Client     string // version of the agent, where a sample of its usage tells it
	Transcript string
	// SinceLast says whether a resumed session's payload told the time since
	// its last answer: clients that do keep injected context over a resume,
	// older ones lose it (ADR-0019 rule 5).
	SinceLast bool
	AgentType string // of a subagent
	Text      string // prompt; last message; summary; instructions; error details
	Said      string // of a CompactIntent: the agent's last words, where its hook tells them
	SinceSaid int    // tool calls after these
	Machine   bool   // a prompt that no person typed
	Within    bool   // a prompt that was said while a turn ran, and belongs to that
	Broken    string // why the payload could not be read to its end; empty when it could

	Tool  *ToolCall // of a ToolStart or ToolEnd; without it they mean nothing
	Tasks []Task
	Usage *Usage
	Ended *Background // a task of the background of which a machine's prompt tells the end

	// Rest is the payload without what the fields above hold, JSON.
	Rest []byte
}

// ToolCall is the tool call of a hook.
type ToolCall struct {
	Name   string // the agent's own name
	Use    string // the agent's id of the call
	Action Action
	Paths  []string // files read, written or edited; absolute where the agent said so
	// Replaced is what an EditFile changed, as far as the agent says so.
	Replaced []Replaced
	// From and To are the lines of a ReadFile, from 1; 0 is the whole file, or unknown.
	From, To int
	Query    string // what a call searched the files for
	Command  string
	About    string // what the agent says the command is for
	Failed   bool
	Exit     int // exit code of a failed command, 0 when unknown
	Output   string
	Error    string
	Millis   int64
	Todos    []Todo   // of WriteTodos: the whole new list
	Answers  []Answer // of AskPerson: what the person chose or wrote
	Plan     string   // of OfferPlan: the whole plan, as it was approved
	File     string   // of OfferPlan: where the client keeps it
	Task     string   // of RunAgent: what the subagent is asked to do
	Lane     string   // of RunAgent: the subagent's id, where the call tells it

	// Refused says that the person refused the call; Words are what they said.
	Refused bool
	Words   string
	// Void says that the call never ran to an end of its own: the person interrupted
	// it, or another call of the same batch failed.
	Void bool
	// Mark is a line of a command's output that says it failed, where its exit code
	// cannot be trusted to say so.
	Mark string
	// Background is the client's id of a command that goes on in the background:
	// that the call ended says nothing about it.
	Background string
	// Person says that the person ran a command themselves, beside the agent.
	Person bool
}

// Answer is what a person chose or wrote when they were asked.
type Answer struct {
	Question string
	Answer   string
}

// Background is the end of a task in the background.
type Background struct {
	Task   string // the client's id
	Use    string // the tool call that began it
	Status string // in the client's words: completed, failed, killed
	Exit   int    // exit code, 0 also when unknown
	Text   string // the client's line about it
}

// Task is a change to one entry of the agent's task list. Empty fields are
// unchanged or unknown.
type Task struct {
	ID      string
	Subject string
	Detail  string
	Status  string // pending, in_progress, completed, deleted
}

// Usage is how full a context window is.
type Usage struct {
	Percent int // 0 to 100
	Tokens  int64
	Window  int64 // tokens in all
}

// Recognise gives the events that a hook means, in an order that depends on
// nothing but their names, so that two hooks of one fact give the same report.
// A hook that means nothing yet gives one hook.received: it is kept as it came.
func Recognise(h Hook) []Event {
	var all []Event
	toolLess := h.Tool == nil && (h.Kind == ToolStart || h.Kind == ToolEnd)
	if h.Broken == "" && !toolLess {
		for _, d := range recognisers() {
			all = append(all, d.recognise(h)...)
		}
	}
	if len(all) == 0 {
		return []Event{HookReceived{Hook: h.Native, Kind: string(h.Kind), AgentType: h.AgentType, Broken: h.Broken}}
	}
	return all
}

// HookReceived is a hook without a meaning of its own yet, or one that could not
// be read to its end. What it said is in the envelope's More.
type HookReceived struct {
	Hook      string `json:"hook,omitempty"` // the agent's own name of it
	Kind      string `json:"kind,omitempty"`
	AgentType string `json:"agent_type,omitempty"`
	Broken    string `json:"broken,omitempty"` // why it could not be read to its end
}

func (HookReceived) event() {}

var _ = declare[HookReceived]("hook.received", "a hook without a meaning of its own yet, kept as received")
