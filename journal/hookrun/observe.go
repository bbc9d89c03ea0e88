package hookrun

import (
	"os"
	"path/filepath"

	"journal/events"
	"journal/journal/observe"
)

// observations adds to the report of a hook what the project's files of notes,
// knowledge and workflow state hold, where that changed. remembered is to be
// called when the report is durable.
//
// A tool call is asked about the files that it wrote, so that others cost
// nothing; what was written by other means is seen when a turn ends, at the
// latest before a compaction. The hooks around a compaction look again, because
// another tool's hook may trim those files at the same moment (DECISIONS 2.6).
func (h *process) observations(hook events.Hook, report []events.Envelope) (all []events.Envelope, remembered func()) {
	if hook.Root == "" || hook.Broken != "" {
		return report, func() {}
	}
	var found []events.FileObserved
	switch hook.Kind {
	case events.ToolEnd:
		if a := hook.Tool.Action; hook.Tool.Failed || a != events.WriteFile && a != events.EditFile {
			return report, func() {}
		}
		found, remembered = h.watcher(hook).Written(hook.Tool.Paths)
	case events.SessionStart, events.ContextRestart, events.CompactIntent, events.CompactEnd, events.TurnEnd:
		found, remembered = h.watcher(hook).All()
	default:
		return report, func() {}
	}
	all = report
	for _, f := range found {
		about := report[0].Meta
		about.ID, about.Cause, about.N = events.NewID(), report[0].ID, len(all)
		e, err := events.Wrap(f, about)
		if err != nil { // it costs this file and no more (S1.11)
			h.trouble("observation", err, "path", f.Path)
			continue
		}
		all = append(all, e)
	}
	return all, remembered
}

func (h *process) watcher(hook events.Hook) *observe.Watcher {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then there is no knowledge of the person's own
	}
	return observe.New(h.Dir, hook.Root, home, observe.Options{
		Dirs: filepath.SplitList(h.Getenv("JOURNAL_NOTES")),
	})
}
