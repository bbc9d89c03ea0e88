package knowledge

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"

	"journal/events"
	"journal/events/text"
	"journal/projections"
)

// File is the full path of a file that was written or edited.
const File Kind = "file"

var _ = declare(Def{
	Kind: File, Needs: []projections.Projection{projections.Files, projections.Git, projections.SessionInfo, projections.Commands, projections.Prompts}, Items: files,
	Text:  Text{Form: Line, Units: 400, Tiers: Tiers{Best: Vital, First: 6, Second: 60}},
	Audit: Audit{Match: ByPath, Rate: rateFile, Title: "Files", Subject: subject(func(e events.FileWritten) string { return e.Path })},
})

var (
	writtenOutside  = worthKeeping(90, "files that were written outside of the project")
	subagentOutside = worthKeeping(92, "files that a subagent wrote outside of the project")
)

// planFile matches the path of a plan that the client keeps in a file.
var planFile = text.Pattern(`/\.[^/]+/plans/[^/]+\.md$`)

// temporary matches a path in a directory that is cleared by itself.
var temporary = text.Pattern(`(?i)^(?:/private)?(?:/var)?/tmp/|/appdata/local/temp/`)

// rateFile rates files. Those of the project, temporary and removed ones are easy to find again or not missed.
func rateFile(f *projections.Fold) func(Item) Worth {
	root := projections.Slashed(projections.SessionInfo.In(f).Root)
	removed := sync.OnceValue(func() map[string]uint64 { return removedIn(f) })
	return func(i Item) Worth {
		i.Text = projections.Slashed(i.Text)
		inProject := root != "" && strings.HasPrefix(i.Text, root+"/")
		switch {
		case inProject, i.Tier == Unlisted, i.Summarized, planFile().MatchString(i.Text), temporary().MatchString(i.Text), isRemoved(i, removed()):
			return other
		case i.Kind == SubagentFile:
			return subagentOutside
		}
		return writtenOutside
	}
}

// isRemoved reports whether a file, or a directory above it, was removed after the item's event. removed is that of
// removedIn.
func isRemoved(i Item, removed map[string]uint64) bool {
	for p := i.Text; p != "" && len(removed) > 0; p = p[:max(0, strings.LastIndexByte(p, '/'))] {
		if removed[p] > i.Seq {
			return true
		}
	}
	return false
}

// removedIn returns the files and directories that the commands of a lane removed or moved away, each with the sequence of
// the newest such command. Relative paths count from the session's directory. A single plain word is not among them: it is no target
// of a task.
func removedIn(f *projections.Fold) map[string]uint64 {
	removed, root := map[string]uint64{}, projections.Slashed(projections.SessionInfo.In(f).Root)
	for c := range projections.Commands.In(f).All() {
		if !c.OK || !strings.Contains(c.Command, "rm ") && !strings.Contains(c.Command, "mv ") {
			continue
		}
		for _, t := range tasks(c.Command) {
			verb, gone := t.words[len(t.words)-1], t.targets
			switch {
			case verb == "mv" && !t.here && t.narrow == "" && len(gone) > 0:
				gone = gone[:len(gone)-1] // the new place, which neither "." nor -t names
			case verb != "mv" && verb != "rm":
				gone = nil
			}
			for _, name := range gone {
				if name = projections.Slashed(name); !path.IsAbs(name) && !drive().MatchString(name) {
					name = path.Join(root, name)
				}
				removed[strings.TrimSuffix(name, "/")] = c.Seq
			}
		}
	}
	return removed
}

// drive matches the beginning of an absolute path of Windows, after Slashed.
var drive = text.Pattern(`^[a-z]:(/|$)`)

// files lists the written and the read files, newest first, then a Committed item, which holds those without uncommitted
// changes, if there are any, then those of rereads.
func files(f *projections.Fold) []Item {
	items := make([]Item, 0, projections.Files.In(f).Len()+1)
	git, request := projections.Git.In(f), newestRequest(f)
	committed := Item{Kind: Committed, Seq: git.Seq}
	var paths []string
	units, looked := 0, 0 // looked counts the files that were read since the request
	acted := len(editsOf(f).after(request)) > 0
	for file := range projections.Files.In(f).All() {
		item := Item{Kind: File, Seq: file.LastSeq, Text: file.Path, State: file.Op, Times: file.Count}
		switch {
		case file.Op == "read":
			item.Kind, item.Detail = Read, file.Lines
			if !acted && file.LastSeq > request { // what the agent has done is to read
				item.Tier = Unlisted
				if looked++; looked <= maxLooked {
					item.Tier = Useful
				}
			}
		case settled(git, file) && units+text.Units(file.Path) < maxCommitted:
			item.Tier = Unlisted
			units += text.Units(file.Path) + len(", ")
			paths, committed.Holds = append(paths, file.Path), append(committed.Holds, item.ID())
		case file.WrittenSeq < request:
			item.Tier = Useful // of earlier work
		}
		items = append(items, item)
	}
	if len(paths) > 0 {
		committed.Text = strings.Join(paths, ", ")
		items = append(items, committed)
	}
	return append(items, rereads(f)...)
}

// maxLooked bounds the files that a text of a turn without edits lists as read since the request.
const maxLooked = 6

// Read is a file that was only read. Detail has the ranges of lines of the newest reads. Its items come with those of File.
const Read Kind = "read"

var _ = declare(Def{
	Kind: Read, CountedAs: File,
	Text:  Text{Form: Line, Units: 400, Most: 3, Unasked: true},
	Audit: Audit{Match: ByPath, Title: "Files", Subject: subject(func(e events.FileRead) string { return e.Path })},
})

// Reread is a written file of which the agent read parts since the newest request and since its last write. Text has the file and
// the ranges of lines. Its items come with those of File.
const Reread Kind = "reread"

var _ = declare(Def{
	Kind: Reread,
	Text: Text{Form: Line, Units: 160, Most: 3, Tiers: Tiers{Best: Likely, First: 3}, Unasked: true},
})

// rereads lists the written files that were read again, the newest read first.
func rereads(f *projections.Fold) (items []Item) {
	named, request := nameOfWritten(f), newestRequest(f)
	for file := range projections.Files.In(f).All() {
		if file.WrittenSeq > 0 && file.ReadSeq > request {
			items = append(items, Item{Kind: Reread, Seq: file.ReadSeq, Text: named(projections.Slashed(file.Path)) + ":" + file.Lines})
		}
	}
	slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(b.Seq, a.Seq) })
	return items
}

// SubagentFile is a file that a subagent wrote and the main lane did not.
const SubagentFile Kind = "subagent-file"

var _ = declare(Def{
	Kind: SubagentFile, CountedAs: File, Needs: []projections.Projection{projections.SubagentFiles, projections.Files},
	Items: func(f *projections.Fold) []Item {
		own := map[string]bool{}
		for file := range projections.Files.In(f).All() {
			own[projections.Slashed(file.Path)] = file.Op != "read"
		}
		var items []Item
		for file := range projections.SubagentFiles.In(f).All() {
			if !own[projections.Slashed(file.Path)] {
				items = append(items, Item{Kind: SubagentFile, Seq: file.LastSeq, Text: file.Path, Detail: file.Lane, State: file.Op, Times: file.Count})
			}
		}
		return items
	},
	Text:  Text{Form: Owned, Units: 400, Tiers: Tiers{Best: Likely, First: 60}},
	Audit: Audit{Match: ByPath, Rate: rateFile, Title: "Files"},
})
