package events

// AuditJudged holds the answers of a model that the person named, about items of a compaction. The owner appends it
// after it found each quote in the summary; an audit looks for them again.
type AuditJudged struct {
	Compaction uint64    `json:"compaction"` // its first event
	Summary    uint64    `json:"summary"`    // the event with the summary
	Digest     string    `json:"digest"`     // sha256 of the summary, hex
	Judge      string    `json:"judge"`      // the program, as the person configured it
	Prompt     int       `json:"prompt"`     // version of the question
	Verdicts   []Verdict `json:"verdicts"`
	Refused    int       `json:"refused,omitempty"` // answers that count for nothing
}

// Verdict is a judge's answer about one item.
type Verdict struct {
	Item   string `json:"item"`            // as an audit names it
	Answer string `json:"answer"`          // kept, lost, unsure
	Quote  string `json:"quote,omitempty"` // the words of the summary that keep it
}

func (AuditJudged) event() {}

var _ = declare[AuditJudged]("audit.judged", "a model of the person's answered what a summary kept", reserved)
