package knowledge

import (
	"path"
	"strings"
	"sync"

	"journal/events"
	"journal/events/text"
	"journal/projections"
)

// File is the full path of a file that was written or edited. Detail is the beginning of the newest change, if that
// belongs to the work since the request.
const File Kind = "file"

// Bounds of the changes that a text shows: their number, and UTF-16 units of each.
const (
	maxChanges  = 2
	changeUnits = 80
)

var _ = declare(Def{
	Kind: File, Needs: []projections.Projection{projections.Files, projections.Git, projections.SessionInfo, projections.Commands, projections.Prompts}, Items: files,
	Text:  Text{Form: Line, Units: 400, Tiers: Tiers{Best: Vital, First: 6, Second: 60}},
	Audit: Audit{Match: ByPath, Rate: rateFile, Title: "Files", Subject: subject(func(e events.FileWritten) string { return e.Path })},
})

var (
	written = worthKeeping(90, "files that were written outside of the project")
	theirs  = worthKeeping(92, "files that a subagent wrote outside of the project")
)

// draft matches the path of a plan that the client keeps in a file.
var draft = text.Pattern(`/\.[^/]+/plans/[^/]+\.md$`)

// temporary matches a path in a directory that is cleared by itself.
var temporary = text.Pattern(`(?i)^(?:/private)?(?:/var)?/tmp/|/appdata/local/temp/`)

func rateFile(f *projections.Fold) func(Item) Worth {
	root, removed := "", func() map[string]uint64 { return nil }
	if f != nil {
		root, removed = projections.Slashed(projections.SessionInfo.In(f).Root), sync.OnceValue(func() map[string]uint64 { return removedIn(f) })
	}
	return func(i Item) Worth {
		i.Text = projections.Slashed(i.Text)
		inProject := root != "" && strings.HasPrefix(i.Text, root+"/")
		switch {
		case inProject, i.Tier == Unlisted, i.Summarized, draft().MatchString(i.Text), temporary().MatchString(i.Text), within(i, removed()):
			return other
		case i.Kind == SubagentFile:
			return theirs
		}
		return written
	}
}

// within reports whether paths has the file, or a directory above it, with a sequence after the item's.
func within(i Item, paths map[string]uint64) bool {
	for p := i.Text; p != "" && len(paths) > 0; p = p[:max(0, strings.LastIndexByte(p, '/'))] {
		if paths[p] > i.Seq {
			return true
		}
	}
	return false
}

// removedIn reads the commands of a session: the files and directories that they removed or moved away, each with the
// sequence of the newest such command. Relative paths count from the session's directory.
func removedIn(f *projections.Fold) map[string]uint64 {
	removed, root := map[string]uint64{}, projections.Slashed(projections.SessionInfo.In(f).Root)
	for c := range projections.Commands.In(f).Backward() {
		if !c.OK || !strings.Contains(c.Command, "rm ") && !strings.Contains(c.Command, "mv ") {
			continue
		}
		for _, t := range tasks(c.Command) {
			does := t.words[len(t.words)-1]
			for i, name := range t.targets {
				if name = projections.Slashed(name); !path.IsAbs(name) && !drive().MatchString(name) {
					name = path.Join(root, name)
				}
				name = strings.TrimSuffix(name, "/")
				if does == "rm" || does == "mv" && i == 0 {
					removed[name] = max(removed[name], c.Seq)
				}
			}
		}
	}
	return removed
}

var drive = text.Pattern(`^[a-z]:(/|$)`)

// files lists the written and the read files, newest first, and at most one Committed item, which holds those without
// uncommitted changes.
func files(f *projections.Fold) []Item {
	items := make([]Item, 0, projections.Files.In(f).Len()+1)
	git, request := projections.Git.In(f), newestRequest(f)
	done := Item{Kind: Committed, Seq: git.Seq}
	var paths []string
	units, changes := 0, 0
	for f := range projections.Files.In(f).All() {
		item := Item{Kind: File, Seq: f.LastSeq, Text: f.Path, State: f.Op, Times: f.Count}
		if f.Op == "read" {
			item.Kind = Read
		} else if settled(git, f) && units+text.Units(f.Path) < maxCommitted {
			item.Tier = Unlisted
			units += text.Units(f.Path) + len(", ")
			paths, done.Holds = append(paths, f.Path), append(done.Holds, item.ID())
		} else if f.WrittenSeq < request {
			item.Tier = Useful // of earlier work
		} else if f.Changed != "" && changes < maxChanges {
			item.Detail = text.CutLine(f.Changed, changeUnits)
			changes++
		}
		items = append(items, item)
	}
	if len(paths) > 0 {
		done.Text = strings.Join(paths, ", ")
		items = append(items, done)
	}
	return items
}

// Read is a file that was only read. Its items come with those of File.
const Read Kind = "read"

var _ = declare(Def{
	Kind: Read, CountedAs: File,
	Text:  Text{Form: Line, Units: 400, Most: 3, Summary: true},
	Audit: Audit{Match: ByPath, Title: "Files", Subject: subject(func(e events.FileRead) string { return e.Path })},
})

// SubagentFile is a file that a subagent wrote and the main thread did not.
const SubagentFile Kind = "subagent-file"

var _ = declare(Def{
	Kind: SubagentFile, CountedAs: File, Needs: []projections.Projection{projections.SubagentFiles, projections.Files},
	Items: func(f *projections.Fold) []Item {
		own := map[string]bool{}
		for f := range projections.Files.In(f).All() {
			own[f.Path] = f.Op != "read"
		}
		var items []Item
		for f := range projections.SubagentFiles.In(f).All() {
			if !own[f.Path] {
				items = append(items, Item{Kind: SubagentFile, Seq: f.LastSeq, Text: f.Path, Detail: f.Lane, State: f.Op, Times: f.Count})
			}
		}
		return items
	},
	Text:  Text{Form: Owned, Units: 400, Tiers: Tiers{Best: Likely, First: 60}},
	Audit: Audit{Match: ByPath, Rate: rateFile, Title: "Files"},
})
