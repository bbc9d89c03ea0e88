package events

// LogGap records that events are lost for good. In a rebuilt log it replaces a record that neither the store nor the
// archive could provide, so that all other records keep their sequences (ADR-0012 rule 3). With a Count it follows a time in
// which events could be stored nowhere: they never had a sequence.
type LogGap struct {
	Seq    uint64 `json:"seq"`    // the event's own sequence; without a Count the lost record had it
	Reason string `json:"reason"` // why the record could not be read, or the events not stored

	Count uint64 `json:"count,omitempty"` // number of events that could be stored nowhere; 0 if a record was lost
	From  int64  `json:"from,omitempty"`  // with a Count: start of the time, nanoseconds since 1970 UTC
	Until int64  `json:"until,omitempty"` // with a Count: end of the time, nanoseconds since 1970 UTC
}

func (LogGap) event() {}

var _ = declare[LogGap]("log.gap", "events are lost for good", irreversible, lasting, reserved)

// LogRepaired records that a damaged store was rebuilt. It follows the last event that the rebuild could save. It begins a new
// epoch of the log, in which the sequences continue (ADR-0012 rule 3).
type LogRepaired struct {
	Epoch    int    `json:"epoch"`               // number of the new epoch
	Reason   string `json:"reason"`              // why the store was rebuilt
	Suspect  string `json:"suspect"`             // directory, beside the store, to which the damaged one was renamed
	Archived uint64 `json:"archived,omitempty"`  // records taken from the archive
	Gaps     uint64 `json:"gaps,omitempty"`      // lost records; a log.gap replaces each
	LostTail uint64 `json:"lost_tail,omitempty"` // number of lost records after the last saved one; their sequences are reused
}

func (LogRepaired) event() {}

var _ = declare[LogRepaired]("log.repaired", "a damaged store was rebuilt", irreversible, lasting, reserved)

// LogAcknowledged records that a person has seen losses of the log: no text warns of them any more. It lists each loss, because
// a loss that is found later may have lower sequences.
type LogAcknowledged struct {
	Losses []SeqRange `json:"losses"`
}

// SeqRange is a range of sequences, both ends included.
type SeqRange struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

func (LogAcknowledged) event() {}

var _ = declare[LogAcknowledged]("log.acknowledged", "a person has seen what is lost", irreversible, lasting, appendable)

// LogForgotten replaces an event that a person or the chosen retention removed for good. It holds nothing of the
// event: neither type, time, session nor project (ADR-0017). The log stores it as a mark of 39 bytes (ADR-0052 rule 5).
type LogForgotten struct {
	Seq    uint64 `json:"seq"` // the event's own sequence, which the removed one had
	Reason string `json:"reason"`
}

func (LogForgotten) event() {}

var _ = declare[LogForgotten]("log.forgotten", "an event was removed here for good", irreversible, lasting, reserved)

// TranscriptSkipped records the offset from which the transcript of a session is read. The rows before it are from before the
// session was recorded, or from a time in which a person had paused the recording: no later owner may read them (ADR-0017).
// The offset is in the log, because those rows would be read if a file beside the log had it and were lost.
type TranscriptSkipped struct {
	Path   string `json:"path"`
	Offset int64  `json:"offset"` // in bytes
	// Digest is the sha256 of the last bytes before the offset, at most 256, in hex. If it differs, the agent has rewritten its
	// transcript, and the offset no longer holds.
	Digest string `json:"digest,omitempty"`
}

func (TranscriptSkipped) event() {}

var _ = declare[TranscriptSkipped]("transcript.skipped", "a transcript is read from here on", irreversible, lasting, reserved)

// RecordingPaused records that a person paused the recording of the event's project, or of every project. The log gets no events
// of paused projects until recording.resumed (ADR-0017).
type RecordingPaused struct {
	Everywhere bool `json:"everywhere,omitempty"` // in every project, not only in the event's own
}

func (RecordingPaused) event() {}

var _ = declare[RecordingPaused]("recording.paused", "a person stopped the recording", irreversible, lasting, appendable)

// RecordingResumed records that a person resumed the recording.
type RecordingResumed struct {
	Everywhere bool `json:"everywhere,omitempty"` // the recording was paused in every project
}

func (RecordingResumed) event() {}

var _ = declare[RecordingResumed]("recording.resumed", "the recording goes on", irreversible, lasting, appendable)
