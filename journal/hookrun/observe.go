package hookrun

import (
	"os"
	"path/filepath"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/notes"
	"journal/journal/wire"
)

// observations returns the changed files of notes, knowledge and workflow state of the
// project, as further events of the report that begins with first. The owner parses
// them. The caller must call remembered when the report is durable.
//
// After a tool call it checks only the files that the call wrote, after a shell command
// those that the command names as written. Files written by other means are seen when a turn
// or a subagent ends, at the latest before a compaction. The hooks around a compaction
// check again, because another tool's hook may trim those files at the same moment.
func (h *process) observations(hook events.Hook, first events.Meta, n int) (files []wire.File, last string, remembered func()) {
	remembered = func() {}
	if hook.Root == "" || hook.Broken != "" {
		return nil, "", remembered
	}
	var found []notes.File
	switch hook.Kind {
	case events.ToolEnd:
		switch t := hook.Tool; {
		case t.Action == events.RunCommand && t.Background == "" && !t.Refused:
			found, remembered = h.watcher(hook).Commanded(t.Command)
		case !t.Failed && (t.Action == events.WriteFile || t.Action == events.EditFile):
			found, remembered = h.watcher(hook).Written(t.Paths)
		}
	case events.SessionStart, events.ContextRestart, events.CompactIntent, events.CompactEnd, events.TurnEnd, events.SubagentEnd:
		found, remembered = h.watcher(hook).All()
	}
	for _, f := range found {
		about := first
		about.ID, about.Cause, about.N = events.FurtherID(first.ID, "file", f.Path, f.Digest), first.ID, n+len(files)
		b, err := encode(f.FileObserved, about)
		if err != nil { // only this file is lost (S1.11)
			h.trouble("observation", err, "path", f.Path)
			continue
		}
		files, last = append(files, wire.File{Event: b, Text: f.Text}), about.ID
	}
	return files, last, remembered
}

func encode(e events.FileObserved, about events.Meta) (events.Raw, error) {
	wrapped, err := events.Wrap(e, about)
	if err != nil {
		return nil, err
	}
	return events.Encode(wrapped)
}

func (h *process) watcher(hook events.Hook) *notes.Watcher {
	home := h.Home
	if home == "" {
		home, _ = os.UserHomeDir() // empty: the person has no learnings of their own
	}
	o := notes.Options{Dirs: filepath.SplitList(h.Getenv("JOURNAL_NOTES")), Pace: h.Pace}
	if d, err := agents.Named(hook.Agent); err == nil {
		o.Memory = d.Memory
	}
	return notes.New(h.Dir, hook.Root, home, o)
}
