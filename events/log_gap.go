package events

// LogGap says that something is lost for good. In a rebuilt log it stands where a record
// could be read neither from the store nor from the archive, so that every other record
// keeps its sequence (ADR-0012 rule 3). With a count it stands at the end of a time in
// which events could be kept nowhere: they never had a place.
type LogGap struct {
	Seq    uint64 `json:"seq"`    // its own place: what was here is lost
	Reason string `json:"reason"` // why the record could not be read, or the events not kept

	Count uint64 `json:"count,omitempty"` // events that could be kept nowhere; 0: one record was here
	From  int64  `json:"from,omitempty"`  // of those: since when, nanoseconds since 1970 UTC
	Until int64  `json:"until,omitempty"` // and till when
}

func (LogGap) event() {}

var _ = declare("log.gap", "a record was lost here", lasting[LogGap](), reserved[LogGap]())
