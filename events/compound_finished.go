package events

// CompoundFinished says that a person had working notes promoted to lasting
// knowledge (S1.8). It is never run by the journal itself (S1.12).
type CompoundFinished struct {
	Promoted int `json:"promoted"`
	// Entries are the ids of the notes that were promoted, as FlowEntry has them; empty
	// when nobody told which.
	Entries []string `json:"entries,omitempty"`
}

func (CompoundFinished) event() {}

var _ = declare("compound.finished", "working notes were promoted to lasting knowledge", lasting[CompoundFinished](), appendable[CompoundFinished]())
