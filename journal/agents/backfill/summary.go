package backfill

import (
	"journal/events"
	"journal/journal/agents/transcript"
)

// Summary is the result of an import. Its JSON is stable.
type Summary struct {
	Files       []FileSummary       `json:"files"`
	Sessions    int                 `json:"sessions"`
	Events      int                 `json:"events"`      // added
	Types       map[events.Type]int `json:"types"`       // numbers of added events, by type
	Compactions int                 `json:"compactions"` // found in the transcripts
	Known       Known               `json:"compactions_known"`
	Late        int                 `json:"summaries_late"` // summaries of compactions that hooks reported without one
	Skipped     int                 `json:"skipped"`        // files that were not imported
	Broken      int                 `json:"broken"`         // rows that could not be read
	Gaps        int                 `json:"gaps"`           // stretches that hooks missed
	Forgotten   int                 `json:"forgotten"`      // steps that were left out: a person removed them from the log
	Bytes       int64               `json:"bytes"`          // in the rows that were read
	DryRun      bool                `json:"dry_run"`
	Spooled     bool                `json:"spooled"` // a part of the events is in the spool

	sessions map[string]bool
}

// FileSummary is the result for one transcript.
type FileSummary struct {
	Path        string `json:"path"`
	Session     string `json:"session,omitempty"`
	Rows        int    `json:"rows"`
	Broken      int    `json:"broken"`
	Compactions int    `json:"compactions"`
	Known       Known  `json:"compactions_known"`
	Late        int    `json:"summaries_late"`
	Events      int    `json:"events"`         // added
	Covered     int    `json:"covered"`        // steps that the log has, or that are between such steps
	Common      int    `json:"common"`         // steps of the session from which this one was forked
	Before      int    `json:"before"`         // steps before the first one that the log has: they are in SESSION~1
	Missed      int    `json:"missed"`         // steps that hooks missed after that: they are in SESSION~2 and further parts
	Gaps        int    `json:"gaps"`           // stretches of missed steps
	Forgotten   int    `json:"forgotten"`      // steps that a person removed from the log
	Skip        string `json:"skip,omitempty"` // the reason why the transcript was not imported
}

// Known counts the compactions that the log already had, by origin.
type Known struct {
	Hooked   int `json:"hooked"`   // from hooks
	Imported int `json:"imported"` // from an import, now or earlier, of a transcript with the same rows
	Forked   int `json:"forked"`   // from the session of which a fork copied the rows
}

// All returns the number of compactions of any origin.
func (k Known) All() int { return k.Hooked + k.Imported + k.Forked }

// count counts a compaction by the state of its step. imported is set if an import added the step.
func (k *Known) count(state transcript.State, imported bool) {
	switch {
	case state == transcript.Elsewhere:
		k.Forked++
	case imported:
		k.Imported++
	case state == transcript.Held:
		k.Hooked++
	}
}

// add adds other counts.
func (k *Known) add(other Known) {
	k.Hooked, k.Imported, k.Forked = k.Hooked+other.Hooked, k.Imported+other.Imported, k.Forked+other.Forked
}

// add adds the result for one transcript. The outbox must be closed.
func (s *Summary) add(w *work) {
	f := w.result
	s.Bytes += w.summary.Bytes
	if w.paused {
		f = FileSummary{Path: f.Path, Session: f.Session, Rows: f.Rows, Broken: f.Broken, Skip: "recording is paused"}
		w.types = nil
	}
	s.Files = append(s.Files, f)
	s.Events += f.Events
	for t, n := range w.types {
		s.Types[t] += n
	}
	s.Compactions += f.Compactions
	s.Known.add(f.Known)
	s.Late += f.Late
	s.Broken += f.Broken
	s.Gaps += f.Gaps
	s.Forgotten += f.Forgotten
	if f.Skip != "" {
		s.Skipped++
	}
	if f.Session != "" && !s.sessions[f.Session] {
		s.sessions[f.Session] = true
		s.Sessions++
	}
}
