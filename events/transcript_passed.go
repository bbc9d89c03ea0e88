package events

// TranscriptPassed says from where on the transcript of a session is read: what lies
// before was written before the session was recorded, or while a person had stopped
// the recording, and must not be read by a later owner either (ADR-0017). It is an
// event and no file beside the log, because without it those rows would be read.
type TranscriptPassed struct {
	Path   string `json:"path"`
	Offset int64  `json:"offset"` // bytes
	// Digest is the sha256 of the last bytes before the offset, up to 256 of them,
	// hex: agents rewrite their transcripts, and then the offset means nothing.
	Digest string `json:"digest,omitempty"`
}

func (TranscriptPassed) event() {}

var _ = declare("transcript.passed", "a transcript is read from here on", lasting[TranscriptPassed](), reserved[TranscriptPassed]())
