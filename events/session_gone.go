package events

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

var _ = declare("session.gone", "the process of a session is gone though nothing told its end", reserved[SessionGone]())
