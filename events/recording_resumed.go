package events

// RecordingResumed says that a person let the recording go on.
type RecordingResumed struct {
	Everywhere bool `json:"everywhere,omitempty"` // it had been stopped in every project
}

func (RecordingResumed) event() {}

var _ = declare("recording.resumed", "the recording goes on", lasting[RecordingResumed](), appendable[RecordingResumed]())
