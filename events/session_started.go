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

var _ = declare("session.started", "a session began, or went on after resume, clear or fork",
	lasting[SessionStarted](),
	from(func(h Hook) (SessionStarted, bool) {
		return SessionStarted{
			Source: h.Source, Root: h.Root, Cwd: h.Cwd, Model: h.Model,
			Transcript: h.Transcript, Recent: h.SinceLast, Process: h.Process,
		}, h.Kind == SessionStart
	}),
)
