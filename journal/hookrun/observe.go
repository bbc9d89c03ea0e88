package hookrun

import (
	"os"
	"path/filepath"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/notes"
	"journal/journal/wire"
)

// observations returns the project's changed files of notes, knowledge and workflow state, as further events of a report. The
// report begins with the event first and has n events. last is the id of the last file's event, "" without files. The owner
// parses the files. The caller calls remember when the report is durable, so that unchanged files are not reported again.
//
// After a tool call only the files that the call wrote are checked, after a shell command only those that the command names as
// written. All files are checked at the start of a session, at the end of a turn or of a subagent, and before a compaction.
// They are checked again after a compaction, because a hook of another tool may trim the files while the compaction begins.
func (h *call) observations(hook events.Hook, first events.Meta, n int) (files []wire.File, last string, remember func()) {
	remember = func() {}
	if hook.Root == "" || hook.Broken != "" {
		return nil, "", remember
	}
	var found []notes.File
	switch hook.Kind {
	case events.ToolEnd:
		switch t := hook.Tool; {
		case t.Action == events.RunCommand && t.Background == "" && !t.Refused:
			found, remember = h.watcher(hook).WrittenBy(t.Command)
		case !t.Failed && (t.Action == events.WriteFile || t.Action == events.EditFile):
			found, remember = h.watcher(hook).Written(t.Paths)
		}
	case events.SessionStart, events.ContextRestart, events.CompactIntent, events.CompactEnd, events.TurnEnd, events.SubagentEnd:
		found, remember = h.watcher(hook).All()
	}
	for _, f := range found {
		meta := first
		meta.ID, meta.Cause, meta.N = events.FurtherID(first.ID, "file", f.Path, f.Digest), first.ID, n+len(files)
		b, err := encode(f.FileObserved, meta)
		if err != nil { // only this file is lost (S1.11)
			h.logError("observation", err, "path", f.Path)
			continue
		}
		files, last = append(files, wire.File{Event: b, Text: f.Text}), meta.ID
	}
	return files, last, remember
}

// encode returns the bytes of the event of an observed file.
func encode(e events.FileObserved, meta events.Meta) (events.Raw, error) {
	wrapped, err := events.Wrap(e, meta)
	if err != nil {
		return nil, err
	}
	return events.Encode(wrapped)
}

// watcher returns a watcher of the files of the hook's project and agent.
func (h *call) watcher(hook events.Hook) *notes.Watcher {
	home := h.Home
	if home == "" {
		home, _ = os.UserHomeDir() // empty without a home: the person's files are not watched
	}
	o := notes.Options{Dirs: filepath.SplitList(h.Getenv("JOURNAL_NOTES")), Pace: h.Pace}
	if d, err := agents.Named(hook.Agent); err == nil {
		o.Memory = d.Memory
	}
	return notes.New(h.Dir, hook.Root, home, o)
}
