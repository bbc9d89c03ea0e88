package events

// LogGap records that something is lost for good. In a rebuilt log it replaces a record that neither the store nor the
// archive could provide, so that all other records keep their sequences (ADR-0012 rule 3). With a count it marks the
// end of a time in which events could be stored nowhere: they never had a sequence.
type LogGap struct {
	Seq    uint64 `json:"seq"`    // its own sequence: the record that was here is lost
	Reason string `json:"reason"` // why the record could not be read, or the events not stored

	Count uint64 `json:"count,omitempty"` // events that could be stored nowhere; 0: one record was here
	From  int64  `json:"from,omitempty"`  // start of that time, nanoseconds since 1970 UTC
	Until int64  `json:"until,omitempty"` // end of that time
}

func (LogGap) event() {}

var _ = declare[LogGap]("log.gap", "a record was lost here", irreversible, lasting, reserved)

// LogRepaired comes after everything that a rebuild of a damaged store could save: from here on the log is a new epoch,
// with the sequences of the old one (ADR-0012 rule 3).
type LogRepaired struct {
	Epoch    int    `json:"epoch"`               // of the log from here on
	Reason   string `json:"reason"`              // why the store was rebuilt
	Suspect  string `json:"suspect"`             // directory, beside the store, to which the damaged one was renamed
	Archived uint64 `json:"archived,omitempty"`  // records taken from the archive
	Gaps     uint64 `json:"gaps,omitempty"`      // lost records; a log.gap replaces each
	LostTail uint64 `json:"lost_tail,omitempty"` // remembered records after the last saved one; their sequences are reused
}

func (LogRepaired) event() {}

var _ = declare[LogRepaired]("log.repaired", "a damaged store was rebuilt", irreversible, lasting, reserved)

// LogAcknowledged records that a person has seen the losses of the log: no text warns of them any more. It lists every
// loss, because a later loss may have lower sequences.
type LogAcknowledged struct {
	Losses []PlaceRange `json:"losses"`
}

// PlaceRange is a range of sequences, both ends included.
type PlaceRange struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

func (LogAcknowledged) event() {}

var _ = declare[LogAcknowledged]("log.acknowledged", "a person has seen what is lost", irreversible, lasting, appendable)

// LogForgotten replaces an event that a person removed for good, or did not want to keep. It holds nothing of the
// event: neither type, time, session nor project (ADR-0017). The log stores it as a mark of 39 bytes (ADR-0052 rule 5).
type LogForgotten struct {
	Seq    uint64 `json:"seq"` // its own sequence
	Reason string `json:"reason"`
}

func (LogForgotten) event() {}

var _ = declare[LogForgotten]("log.forgotten", "a person had an event removed here", irreversible, lasting, reserved)

// TranscriptPassed is the offset from which the transcript of a session is read. The rows before it were written before
// the session was recorded, or while a person had paused the recording: no later owner may read them either (ADR-0017).
// It is an event and not a file beside the log: if such a file were lost, those rows would be read.
type TranscriptPassed struct {
	Path   string `json:"path"`
	Offset int64  `json:"offset"` // bytes
	// Digest is the sha256 of the last bytes before the offset, at most 256, in hex: agents rewrite their transcripts,
	// and then the offset means nothing.
	Digest string `json:"digest,omitempty"`
}

func (TranscriptPassed) event() {}

var _ = declare[TranscriptPassed]("transcript.skipped", "a transcript is read from here on", irreversible, lasting, reserved)

// RecordingPaused records that a person stopped the recording: events until recording.resumed are deliberately not in
// the log (ADR-0017).
type RecordingPaused struct {
	Everywhere bool `json:"everywhere,omitempty"` // in every project, not only in the event's own
}

func (RecordingPaused) event() {}

var _ = declare[RecordingPaused]("recording.paused", "a person stopped the recording", irreversible, lasting, appendable)

// RecordingResumed records that a person resumed the recording.
type RecordingResumed struct {
	Everywhere bool `json:"everywhere,omitempty"` // it had been stopped in every project
}

func (RecordingResumed) event() {}

var _ = declare[RecordingResumed]("recording.resumed", "the recording goes on", irreversible, lasting, appendable)
