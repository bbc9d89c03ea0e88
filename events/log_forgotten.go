package events

// LogForgotten stands in a log where a person had an event removed for good, or did
// not want to keep it. It says nothing about what was here: neither type, time, session
// nor project (ADR-0017). The log holds a mark of 39 bytes for it (ADR-0052 rule 5).
type LogForgotten struct {
	Seq    uint64 `json:"seq"`    // its own place
	Reason string `json:"reason"` // in older logs the kind of request that removed it, never its words
}

func (LogForgotten) event() {}

var _ = declare("log.forgotten", "a person had an event removed here", lasting[LogForgotten](), reserved[LogForgotten]())
