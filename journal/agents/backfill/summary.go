package backfill

import (
	"journal/events"
	"journal/journal/agents/transcript"
)

// Summary reports what an import did, in a form that scripts rely on.
type Summary struct {
	Files       []FileSummary       `json:"files"`
	Sessions    int                 `json:"sessions"`
	Events      int                 `json:"events"`      // added
	Types       map[events.Type]int `json:"types"`       // the added ones, by type
	Compactions int                 `json:"compactions"` // found, by their boundaries
	Known       Known               `json:"compactions_known"`
	Late        int                 `json:"summaries_late"` // summaries of compactions that hooks reported without one
	Skipped     int                 `json:"skipped"`        // files that are no transcript
	Broken      int                 `json:"broken"`         // rows that are no JSON
	Gaps        int                 `json:"gaps"`           // stretches that hooks missed
	Forgotten   int                 `json:"forgotten"`      // steps that a person removed from the log, and that are left out
	Bytes       int64               `json:"bytes"`
	DryRun      bool                `json:"dry_run"`
	Spooled     bool                `json:"spooled"` // a part of it waits for the log's owner

	sessions map[string]bool
}

// FileSummary reports what happened to one transcript.
type FileSummary struct {
	Path        string `json:"path"`
	Session     string `json:"session,omitempty"`
	Rows        int    `json:"rows"`
	Broken      int    `json:"broken"`
	Compactions int    `json:"compactions"`
	Known       Known  `json:"compactions_known"`
	Late        int    `json:"summaries_late"`
	Events      int    `json:"events"`         // added
	Covered     int    `json:"covered"`        // steps that the log has, or that lie between such
	Common      int    `json:"common"`         // steps of the session from which it was forked
	Before      int    `json:"before"`         // steps before the first that a hook reported, under SESSION~1
	Missed      int    `json:"missed"`         // steps that hooks missed in between, under SESSION~2 and on
	Gaps        int    `json:"gaps"`           // stretches of those
	Forgotten   int    `json:"forgotten"`      // steps that a person removed from the log
	Skip        string `json:"skip,omitempty"` // why it was not imported
}

// Known counts the compactions whose boundary the log already had, by reason: the others are new.
type Known struct {
	Hooked   int `json:"hooked"`   // hooks reported them
	Imported int `json:"imported"` // another transcript, now or earlier, has the same rows
	Forked   int `json:"forked"`   // they belong to the session from which a fork copied its rows
}

// All returns how many are known.
func (k Known) All() int { return k.Hooked + k.Imported + k.Forked }

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

func (k *Known) add(other Known) {
	k.Hooked, k.Imported, k.Forked = k.Hooked+other.Hooked, k.Imported+other.Imported, k.Forked+other.Forked
}

// add counts one transcript, once what was sent of it is durable.
func (s *Summary) add(w *work) {
	f := w.doc
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
