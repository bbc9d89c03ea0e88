package events

// LogForgotten stands in a log where a person had an event removed for good. It
// says nothing about what was here: neither type, time, session nor project
// (ADR-0017).
type LogForgotten struct {
	Seq    uint64 `json:"seq"`    // its own place
	Reason string `json:"reason"` // which kind of request removed it, never its words
}

func (LogForgotten) event() {}

var _ = declare("log.forgotten", "a person had an event removed here", reserved[LogForgotten]())
