package events

// LogGap stands in a rebuilt log where a record could be read neither from the
// store nor from the archive, so that every other record keeps its sequence
// (ADR-0012 rule 3).
type LogGap struct {
	Seq    uint64 `json:"seq"`    // its own place: what was here is lost
	Reason string `json:"reason"` // why the record could not be read
}

func (LogGap) event() {}

var _ = declare("log.gap", "a record was lost here", lasting[LogGap](), reserved[LogGap]())
