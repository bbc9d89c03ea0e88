package look

import (
	"os"
	"path/filepath"

	"journal/cmd/journal/cli"
	"journal/journal/notes"
	"journal/journal/notes/sections"
	"journal/projections"
	"journal/replay/audit"
	"journal/replay/knowledge"
)

// onDisk holds the entries of a project's files as they are now; nil without --now. It is not part of an
// audit, which must not change with the day or the machine.
type onDisk map[string]bool // headings and texts of entries

// diskNow reads the project's notes as a hook would.
func diskNow(a *cli.App, root string) onDisk {
	home, _ := os.UserHomeDir() // without one the person has no learnings of their own
	disk := onDisk{}
	for _, f := range notes.Now(root, home, notes.Options{Dirs: filepath.SplitList(a.Getenv("JOURNAL_NOTES"))}) {
		if content, err := f.Text.Unpack(); err == nil && f.Gap == "" && !f.Gone {
			sections.Read(&f.FileObserved, content)
		}
		for _, e := range f.Entries {
			disk[e.Heading], disk[e.Text] = true, true
		}
	}
	delete(disk, "")
	return disk
}

// holds reports whether an item is on disk, and whether that can be known.
func (d onDisk) holds(it audit.Item) (held, known bool) {
	switch it.Kind {
	case knowledge.Note:
		return d[it.Text] || d[it.Detail], true
	case knowledge.File:
		_, err := os.Stat(it.Text)
		return err == nil, true
	}
	return false, false
}

// word returns the word for it in the list, empty when it cannot be known.
func (d onDisk) word(it audit.Item) string {
	if d == nil {
		return ""
	}
	switch held, known := d.holds(it); {
	case !known:
		return ""
	case held:
		return "on disk now"
	}
	return "gone"
}

// itemNow is an item of a report, and whether its file holds it now.
type itemNow struct {
	audit.Item
	Now *bool `json:"now,omitempty"` // its file holds it now; absent without --now, or when that cannot be known
}

func (d onDisk) mark(items []audit.Item) []itemNow {
	marked := make([]itemNow, len(items))
	for i, it := range items {
		marked[i].Item = it
		if held, known := d.holds(it); d != nil && known {
			marked[i].Now = &held
		}
	}
	return marked
}

// markAll returns a report with its items marked, and with the losses of the log, whose content nobody knows.
func (d onDisk) markAll(r audit.Report, lost []projections.Loss) any {
	type compaction struct {
		audit.Compaction
		Items []itemNow `json:"items"`
	}
	doc := struct {
		audit.Report
		Compactions []compaction       `json:"compactions"`
		Losses      []projections.Loss `json:"losses"`
	}{r, []compaction{}, lost}
	for _, c := range r.Compactions {
		doc.Compactions = append(doc.Compactions, compaction{c, d.mark(c.Items)})
	}
	return doc
}
