package backfill

import "journal/events"

// Summary says what an import did, in a form that scripts rely on.
type Summary struct {
	Files       []FileSummary       `json:"files"`
	Sessions    int                 `json:"sessions"`
	Events      int                 `json:"events"` // added
	Types       map[events.Type]int `json:"types"`  // of those, by type
	Compactions int                 `json:"compactions"`
	Skipped     int                 `json:"skipped"` // files that are no transcript
	Broken      int                 `json:"broken"`  // rows that are no JSON
	Gaps        int                 `json:"gaps"`    // stretches that hooks missed
	Bytes       int64               `json:"bytes"`
	DryRun      bool                `json:"dry_run"`
	Spooled     bool                `json:"spooled"` // some of it waits for the log's owner

	sessions map[string]bool
}

// FileSummary says what became of one transcript.
type FileSummary struct {
	Path        string `json:"path"`
	Session     string `json:"session,omitempty"`
	Rows        int    `json:"rows"`
	Broken      int    `json:"broken"`
	Compactions int    `json:"compactions"`
	Events      int    `json:"events"`         // added
	Covered     int    `json:"covered"`        // steps that the log held, or that lie between such
	Common      int    `json:"common"`         // steps that belong to the session it was forked from
	Before      int    `json:"before"`         // steps before the first that a hook told, under SESSION~1
	Missed      int    `json:"missed"`         // steps that hooks missed in between, under SESSION~2 and on
	Gaps        int    `json:"gaps"`           // stretches of those
	Skip        string `json:"skip,omitempty"` // why it was not imported
}

// add counts one transcript, once what was sent of it is durable.
func (s *Summary) add(w *work) {
	f := w.doc
	s.Bytes += w.summary.Bytes
	if w.paused {
		f.Skip, f.Events, w.types = "recording is paused", 0, nil
	}
	s.Files = append(s.Files, f)
	s.Events += f.Events
	for t, n := range w.types {
		s.Types[t] += n
	}
	s.Compactions += f.Compactions
	s.Broken += f.Broken
	s.Gaps += f.Gaps
	if f.Skip != "" {
		s.Skipped++
	}
	if f.Session != "" && !s.sessions[f.Session] {
		s.sessions[f.Session] = true
		s.Sessions++
	}
}
