package events

// HookKind is the meaning of a hook call, whatever the agent calls it.
type HookKind string

// The kinds of hook that this package recognises. An agent's other hooks have the kind Other and are kept as received.
const (
	SessionStart   HookKind = "session-start"   // a session begins, is resumed, cleared or forked
	SessionEnd     HookKind = "session-end"     // a session ends
	PromptSubmit   HookKind = "prompt-submit"   // a prompt goes to the model
	ToolStart      HookKind = "tool-start"      // a tool call is about to run
	ToolEnd        HookKind = "tool-end"        // a tool call has ended, well or not
	CommandExit    HookKind = "command-exit"    // the exit code of a failed command; another hook reported its end
	CompactIntent  HookKind = "compact-intent"  // the agent announces a compaction; it may be blocked or fail
	ContextRestart HookKind = "context-restart" // a compacted context begins, which proves a compaction
	CompactEnd     HookKind = "compact-end"     // a compaction has a summary, which proves a compaction
	CompactSummary HookKind = "compact-summary" // the summary of a compaction; another hook reported the compaction
	CompactDraft   HookKind = "compact-draft"   // the summary of a running compaction
	CompactNotice  HookKind = "compact-notice"  // a notification about the context: weak evidence of a compaction
	ContextClear   HookKind = "context-clear"   // the client dropped a part of the context without a compaction
	TurnEnd        HookKind = "turn-end"        // the model has answered
	TurnFail       HookKind = "turn-fail"       // the model could not answer
	TurnInterrupt  HookKind = "turn-interrupt"  // the person stopped the model; Reason is "tool" if it waited for a tool
	SubagentStart  HookKind = "subagent-start"  // a subagent begins
	SubagentEnd    HookKind = "subagent-end"    // a subagent has answered
	Title          HookKind = "title"           // the client's own title of the session; Reason is "person" if the person chose it
	Rewind         HookKind = "rewind"          // the person took back a part of the conversation
	TaskChange     HookKind = "task-change"     // a task of the agent's task list is new or changed status
	UsageSample    HookKind = "usage-sample"    // the statusline reports how full the context is
	Nothing        HookKind = "nothing"         // a hook call without a fact of its own: it is not recorded
	Other          HookKind = "other"           // none of these
)

// Action is the kind of a tool call, independent of the agent's name for the tool.
type Action string

// The actions that events recognise. Any other tool has the action OtherTool.
const (
	RunCommand Action = "run-command"
	ReadFile   Action = "read-file"
	WriteFile  Action = "write-file" // the whole file
	EditFile   Action = "edit-file"  // a part of it
	WriteTodos Action = "write-todos"
	ChangeTask Action = "change-task"
	AskPerson  Action = "ask-person"
	OfferPlan  Action = "offer-plan" // ask the person to approve a plan
	RunAgent   Action = "run-subagent"
	OtherTool  Action = "other-tool"
)

// Hook is the content of one call of an agent's hook, in neutral terms. A dialect sets the fields that the agent's
// payload has and leaves the rest zero. All its texts are bounded and redacted.
type Hook struct {
	Agent   string
	Native  string // the agent's own name of the hook, "PostToolUse"
	Kind    HookKind
	Session string // as in the payload; empty if missing there
	Lane    string // subagent id; empty is the main lane
	Turn    string // prompt_id, turn_id
	At      int64  // ns since 1970 UTC, the start of the hook process
	PID     int    // the agent's process id, 0 for unknown
	Process string // of a SessionStart: distinguishes the process from others with the same process id
	Root    string // project root, absolute
	Cwd     string

	Source     string // of a SessionStart: startup, resume, clear, fork; of a ContextRestart: compact
	Headless   bool   // of a SessionStart: a program started the agent, and no person uses it
	Trigger    string // of a compaction: manual, auto
	Reason     string // of a SessionEnd; the kind of error of a TurnFail; also of a Title and a TurnInterrupt
	Model      string
	Client     string // version of the agent, from samples of its usage
	Transcript string // path
	// SinceLast is set if a resumed session's payload has the time since its last answer. Clients that send it keep the
	// texts of hooks over a resume; older ones lose them (ADR-0019 rule 5).
	SinceLast  bool
	AgentType  string   // of a subagent
	Text       string   // prompt, last message, title, summary, instructions or error details
	Said       string   // of a CompactIntent or TurnInterrupt: the agent's last text, if known
	SinceSaid  int      // number of tool calls after Said
	Findings   []string // earlier passages of the turn that state a finding
	Machine    bool     // of a prompt: no person typed it
	DuringTurn bool     // of a prompt: it came while a turn ran
	Restored   bool     // of a Rewind: the client restored the files
	Broken     string   // why the payload could not be read to its end; empty if it could

	Tool  *ToolCall // of a ToolStart, ToolEnd or CommandExit; without it such a hook is only kept as received
	Tasks []Task    // changes of the agent's task list
	Usage *Usage    // nil for no sample
	// Cleared is set for a ContextClear.
	Cleared *ContextCleared
	Ended   []BackgroundEnded // background tasks whose end a prompt or a call reports

	// Rest is the payload without the content of the fields above, as JSON.
	Rest []byte
}

// ToolCall is the tool call of a hook.
type ToolCall struct {
	Name   string // the agent's own name
	Use    string // the agent's id of the call
	Action Action
	Paths  []string // files read, written or edited; absolute if the agent reported them so
	// Replaced holds the changes of an EditFile, as far as the agent reports them.
	Replaced []Replaced
	// From and To are the first and last line that a ReadFile read, from 1; 0 for the whole file or unknown.
	From, To int
	Query    string // the text for which a call searched files
	Command  string // of RunCommand
	About    string // the purpose of a command or subagent, in the agent's words
	Failed   bool
	Exit     int // exit code of a failed command, 0 for unknown
	Output   string
	Error    string   // the client's message about a failure; of a command it often has the output
	Millis   int64    // duration of the call, 0 for unknown
	Todos    []Todo   // of WriteTodos: the whole new list
	Answers  []Answer // of AskPerson: the person's answers
	Plan     string   // of OfferPlan: the whole approved plan
	File     string   // of OfferPlan: the path at which the client stores the plan
	Task     string   // of RunAgent: the subagent's task
	Lane     string   // of RunAgent: the subagent's id, if the call has it
	Teammate string   // of RunAgent: the name of a teammate; empty for other subagents
	Team     string   // of RunAgent: the name of a teammate's team
	Report   string   // of RunAgent: the subagent's answer, if the call has it

	Refused bool   // the person refused the call
	Words   string // of a refused call: the person's reason; may be empty
	// Aborted is set if the call was aborted: the person interrupted it, or another call of the same batch failed.
	Aborted bool
	// Mark is the output line that shows a command's failure, if its exit code cannot be trusted.
	Mark string
	// Found has a line for each finding of a failed command whose Output or Error is cut, "" for fewer than two.
	Found string
	// Background is the client's id of a command or subagent that continues in the background after the call.
	Background string
	// Person is set if the person ran the command in the client, and not the agent.
	Person bool
}

// Answer is a person's answer to a question of the agent.
type Answer struct {
	Question string
	Answer   string
}

// Task is a change of one entry of the agent's task list. Empty fields are unchanged or unknown.
type Task struct {
	ID      string
	Subject string
	Detail  string
	Status  string // pending, in_progress, completed, deleted
	Owner   string // the name of the teammate that has the task
}

// Usage is the used part of a context window.
type Usage struct {
	Percent int // 0 to 100
	Tokens  int64
	Window  int64 // its size in tokens
}

// Recognise returns the events that a hook reports, sorted by type, so that two hooks of one fact have equal reports. A hook
// from which nothing is recognised becomes one hook.received.
func Recognise(h Hook) []Event {
	var all []Event
	lacksTool := h.Tool == nil && (h.Kind == ToolStart || h.Kind == ToolEnd || h.Kind == CommandExit)
	if h.Broken == "" && !lacksTool {
		for _, d := range recognisers() {
			all = append(all, d.recognise(h)...)
		}
	}
	if len(all) == 0 {
		return []Event{HookReceived{Hook: h.Native, Kind: string(h.Kind), AgentType: h.AgentType, Broken: h.Broken}}
	}
	return all
}

// HookReceived is a hook from which no other event was recognised, or which could not be read to its end. The envelope's More has
// the content of the hook.
type HookReceived struct {
	Hook      string `json:"hook,omitempty"` // the agent's own name of the hook
	Kind      string `json:"kind,omitempty"`
	AgentType string `json:"agent_type,omitempty"`
	Broken    string `json:"broken,omitempty"` // why it could not be read to its end
}

func (HookReceived) event() {}

var _ = declare[HookReceived]("hook.received", "a hook without a meaning of its own yet, kept as received")
