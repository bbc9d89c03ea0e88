package events

// AuditJudged holds the verdicts of a judge, a model that the person configured, about items of a compaction. The owner
// appends it. An audit counts a verdict that an item was kept only if its quote is in the summary.
type AuditJudged struct {
	Compaction uint64    `json:"compaction"` // the first fact of the compaction
	Summary    uint64    `json:"summary"`    // the event with the summary
	Digest     string    `json:"digest"`     // sha256 of the summary, hex
	Judge      string    `json:"judge"`      // the program, as the person configured it
	Prompt     int       `json:"prompt"`     // version of the question
	Verdicts   []Verdict `json:"verdicts"`
	Refused    int       `json:"refused,omitempty"` // lines of the judge's answer that are no valid verdict
}

// Verdict is a judge's answer about one item.
type Verdict struct {
	Item   string `json:"item"`            // its id, as in audit.Item
	Answer string `json:"answer"`          // kept, lost, unsure
	Quote  string `json:"quote,omitempty"` // of a kept item: the words of the summary about it
}

func (AuditJudged) event() {}

var _ = declare[AuditJudged]("audit.judged", "a model of the person's answered what a summary kept", reserved)
