package events

// DeliveryConfirmed says what an agent's own transcript shows of its context
// after a compaction: that our recovery text arrived, and what the client kept
// by itself (ADR-0010). RecoveryGiven alone proves that the text was
// printed; this is its receipt.
type DeliveryConfirmed struct {
	// Compaction is the ordinal of the compaction within its lane, from 1; 0 is
	// that of the recovery.given, or without one the newest before this event.
	Compaction int `json:"compaction,omitempty"`

	Recovery uint64 `json:"recovery,omitempty"` // sequence of the recovery.given, 0 when no text was found
	Digest   string `json:"digest,omitempty"`   // sha256 of the text that arrived, hex, as in recovery.given
	Whole    bool   `json:"whole,omitempty"`    // all of the text; else the client spilled it into a file and showed a preview
	// Preview is how much of the beginning the client showed of a text that is
	// not whole, in UTF-16 code units.
	Preview int `json:"preview,omitempty"`
	// Kept are the sequences of the prompt.submitted, command.ran, file.read and
	// file.written events whose messages or files the client itself carried
	// over into the new context.
	Kept []uint64 `json:"kept,omitempty"`
}

func (DeliveryConfirmed) event() {}

var _ = declare("delivery.confirmed", "the agent's transcript shows what its context holds after a compaction", reserved[DeliveryConfirmed]())
