package events

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
