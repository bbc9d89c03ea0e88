package events

// PhaseEntered records that a skill's workflow entered a phase. The first phase starts the skill (S3.1).
type PhaseEntered struct {
	Skill  string `json:"skill"`
	Phase  string `json:"phase"` // number or key: "2", "2b"
	Name   string `json:"name,omitempty"`
	Output string `json:"output,omitempty"` // the destination of the skill's result
	Input  string `json:"input,omitempty"`  // the source of the skill's task
	Next   string `json:"next,omitempty"`   // the next action
}

func (PhaseEntered) event() {}

var _ = declare[PhaseEntered]("phase.entered", "a skill's workflow went into a phase", lasting, appendable, requires("skill", "phase"))

// PhasePlanned is the running skill's next action.
type PhasePlanned struct {
	Next string `json:"next"`
}

func (PhasePlanned) event() {}

var _ = declare[PhasePlanned]("phase.planned", "the running skill's next action", lasting, appendable)

// PhaseCompleted records that a phase of the running skill is finished.
type PhaseCompleted struct {
	Phase   string `json:"phase"`
	Name    string `json:"name,omitempty"`
	Summary string `json:"summary,omitempty"`
	Next    string `json:"next,omitempty"`
}

func (PhaseCompleted) event() {}

var _ = declare[PhaseCompleted]("phase.completed", "a phase of the running skill is done", lasting, appendable, requires("phase"))

// SkillContinued accepts the offer to continue an unfinished skill (S3.3). It has the whole state of an earlier
// session's skill, because folds do not read the work of another session (S3.8).
type SkillContinued struct {
	From      string      `json:"from"` // the session that left it unfinished, possibly the same
	Skill     string      `json:"skill"`
	Phase     string      `json:"phase,omitempty"`
	Name      string      `json:"name,omitempty"`
	Output    string      `json:"output,omitempty"`
	Input     string      `json:"input,omitempty"`
	Next      string      `json:"next,omitempty"`
	Completed []PhaseDone `json:"completed,omitempty"`
	Text      string      `json:"text,omitempty"` // of the skill's own file, as last observed
	File      string      `json:"file,omitempty"` // path of that file; empty if events reported the state
}

// PhaseDone is a finished phase.
type PhaseDone struct {
	Phase   string `json:"phase"`
	Name    string `json:"name,omitempty"`
	Summary string `json:"summary,omitempty"`
}

func (SkillContinued) event() {}

var _ = declare[SkillContinued]("skill.continued", "a session goes on with an unfinished skill", lasting, appendable, requires("from", "skill"))

// SkillEnded records that a skill is over: recovery texts no longer restore it (S3.4).
type SkillEnded struct {
	Status string `json:"status"` // finished, discarded
	// Session is the session whose skill is over, or the key of a file that belongs to no session. It is empty for the event's
	// own session (S3.3).
	Session string `json:"from,omitempty"`
}

func (SkillEnded) event() {}

func (s SkillEnded) validate() error {
	return oneOf("status", s.Status, "finished", "discarded")
}

var _ = declare[SkillEnded]("skill.ended", "the running skill is finished or discarded", lasting, appendable)

// PortDefined holds a unit of work with a checklist, or its new title, checklist or dependencies (S0.10).
type PortDefined struct {
	Port  string   `json:"port"` // id of the port
	Title string   `json:"title,omitempty"`
	Items []string `json:"items,omitempty"` // the checklist
	After []string `json:"after,omitempty"` // ids of ports that must be complete first
}

func (PortDefined) event() {}

var _ = declare[PortDefined]("port.defined", "a unit of work with a checklist exists", lasting, appendable, requires("port"))

// PortChanged records that a port was started, blocked, completed or removed.
type PortChanged struct {
	Port   string `json:"port"`
	Status string `json:"status"` // running, blocked, complete, removed
	Reason string `json:"reason,omitempty"`
}

func (PortChanged) event() {}

func (p PortChanged) validate() error {
	return oneOf("status", p.Status, "running", "blocked", "complete", "removed")
}

var _ = declare[PortChanged]("port.changed", "a port was started, blocked, completed or removed", lasting, appendable, requires("port"))

// PortTicked records that an item of a port's checklist is done.
type PortTicked struct {
	Port string `json:"port"`
	Item string `json:"item"`           // text of the item
	Undo bool   `json:"undo,omitempty"` // it is not done after all
}

func (PortTicked) event() {}

var _ = declare[PortTicked]("port.ticked", "an item of a port's checklist is done", lasting, appendable, requires("item"), requires("port"))
