package events

// RecordingPaused says that a person stopped the recording: what follows up to
// recording.resumed is not in the log because somebody wanted it so (ADR-0017).
type RecordingPaused struct {
	Everywhere bool `json:"everywhere,omitempty"` // in every project, not only in the event's own
}

func (RecordingPaused) event() {}

var _ = declare("recording.paused", "a person stopped the recording", lasting[RecordingPaused](), appendable[RecordingPaused]())
