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

var _ = declare[LogGap]("log.gap", "a record was lost here", lasting, reserved)

// LogRepaired ends what a rebuild of a damaged store could save: from here on
// the log is a new epoch, with the sequences of the old one (ADR-0012 rule 3).
type LogRepaired struct {
	Epoch    int    `json:"epoch"`               // of the log from here on
	Reason   string `json:"reason"`              // why the store was rebuilt
	Suspect  string `json:"suspect"`             // name of the directory, beside the store, that the damaged one was renamed to
	Archived uint64 `json:"archived,omitempty"`  // records that came from the archive
	Gaps     uint64 `json:"gaps,omitempty"`      // records that are lost; log.gap stands in their places
	LostTail uint64 `json:"lost_tail,omitempty"` // records that were remembered behind the last one saved; their sequences are used again
}

func (LogRepaired) event() {}

var _ = declare[LogRepaired]("log.repaired", "a damaged store was rebuilt", lasting, reserved)

// LogAcknowledged says that a person has seen what the log lost, so that nothing warns of
// it any more. It names every loss, because a later one may lie before it.
type LogAcknowledged struct {
	Losses []PlaceRange `json:"losses"`
}

// PlaceRange is consecutive places of the log, both ends included.
type PlaceRange struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

func (LogAcknowledged) event() {}

var _ = declare[LogAcknowledged]("log.acknowledged", "a person has seen what is lost", lasting, appendable)

// LogForgotten stands in a log where a person had an event removed for good, or did
// not want to keep it. It says nothing about what was here: neither type, time, session
// nor project (ADR-0017). The log holds a mark of 39 bytes for it (ADR-0052 rule 5).
type LogForgotten struct {
	Seq    uint64 `json:"seq"`    // its own place
	Reason string `json:"reason"` // in older logs the kind of request that removed it, never its words
}

func (LogForgotten) event() {}

var _ = declare[LogForgotten]("log.forgotten", "a person had an event removed here", lasting, reserved)

// TranscriptPassed is the offset from which the transcript of a session is read. The rows before
// it were written before the session was recorded, or while a person had stopped the recording:
// no later owner may read them either (ADR-0017). It is an event, and not a file beside the log,
// because those rows would be read if it were lost.
type TranscriptPassed struct {
	Path   string `json:"path"`
	Offset int64  `json:"offset"` // bytes
	// Digest is the sha256 of the last bytes before the offset, up to 256 of them,
	// hex: agents rewrite their transcripts, and then the offset means nothing.
	Digest string `json:"digest,omitempty"`
}

func (TranscriptPassed) event() {}

var _ = declare[TranscriptPassed]("transcript.passed", "a transcript is read from here on", lasting, reserved)

// RecordingPaused says that a person stopped the recording: what follows up to
// recording.resumed is not in the log because somebody wanted it so (ADR-0017).
type RecordingPaused struct {
	Everywhere bool `json:"everywhere,omitempty"` // in every project, not only in the event's own
}

func (RecordingPaused) event() {}

var _ = declare[RecordingPaused]("recording.paused", "a person stopped the recording", lasting, appendable)

// RecordingResumed says that a person let the recording go on.
type RecordingResumed struct {
	Everywhere bool `json:"everywhere,omitempty"` // it had been stopped in every project
}

func (RecordingResumed) event() {}

var _ = declare[RecordingResumed]("recording.resumed", "the recording goes on", lasting, appendable)
