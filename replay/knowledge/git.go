package knowledge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/projections"
)

// Git is the state of the checkout at the compaction. Text is the branch, State the directory of a linked worktree, Detail
// that of gitDetail, Times the number of written files whose changes are not in Detail, and Unpushed that of unpushed.
const Git Kind = "git"

// Bounds of the state of a checkout in a text.
const (
	maxGit     = 1500 // all uncommitted changes, in UTF-16 units
	maxSubject = 60   // the subject of a commit, in UTF-16 units
	maxCommits = 2    // the newest commits
)

var _ = declare(Def{
	Kind: Git, Needs: []projections.Projection{projections.Git, projections.Files, projections.Commands},
	Items: func(f *projections.Fold) []Item {
		g := projections.Git.In(f)
		if g.Seq == 0 {
			return nil
		}
		it := Item{Kind: Git, Seq: g.Seq, Text: g.Branch, Shows: []string{g.Branch}, Unpushed: unpushed(f, g.GitObserved)}
		it.Detail, it.Times = gitDetail(g.GitObserved, writtenBelow(f, g.Top))
		if g.Worktree {
			it.State = g.Top
		}
		return []Item{it}
	},
	Text: Text{Form: Code, Units: 100, Detail: 700, Tiers: Tiers{Best: Likely, First: 1}, Unasked: true},
})

// writtenBelow returns the files below a directory that the agent wrote, relative to it.
func writtenBelow(f *projections.Fold, dir string) map[string]bool {
	written := map[string]bool{}
	for file := range projections.Files.In(f).All() {
		if below, inside := strings.CutPrefix(projections.Slashed(file.Path), projections.Slashed(dir)+"/"); inside && file.WrittenSeq > 0 {
			written[below] = true
		}
	}
	return written
}

// unpushed lists the newest commits that the agent made after its last push, by their hashes. It is empty if the agent never pushed, and
// if git knows an upstream branch: then the distance to it tells more. The newest commits must be those of the agent's newest commands
// that commit: a command has the commit's subject, or concludes a merge.
func unpushed(f *projections.Fold, g events.GitObserved) string {
	var commits, made []string // made lists the commands that committed
	pushed := false
	for c := range projections.Commands.In(f).Backward() {
		if !c.OK || !strings.Contains(c.Command, "git ") || strings.Contains(c.Command, "--dry-run") {
			continue
		}
		has := func(action string) bool {
			return slices.ContainsFunc(tasks(c.Command), func(t task) bool { return t.isGit(action) })
		}
		if pushed = has("push"); pushed {
			break
		}
		if has("commit") {
			made = append(made, c.Command)
		}
	}
	if !pushed || g.Upstream != "" {
		return ""
	}
	for i, c := range g.Commits[:min(len(made), len(g.Commits))] {
		merged := strings.HasPrefix(c.Subject, "Merge ") && !strings.Contains(made[i], " -m")
		if c.Subject == "" || !merged && !strings.Contains(made[i], c.Subject) {
			break
		}
		commits = append(commits, c.Hash)
	}
	return strings.Join(commits, ", ")
}

// gitDetail lists an unfinished operation, the distance to the upstream branch, the newest commits and the uncommitted
// changes, one a line. It leaves out the changes of written files that are not staged if there are several, and returns their number:
// the list of written files has them. If the list of changes is not complete, it leaves out none of them.
func gitDetail(g events.GitObserved, written map[string]bool) (detail string, left int) {
	leaves := func(c events.GitChange) bool { return c.State == " M" && written[c.Path] }
	for _, c := range g.Changes {
		if leaves(c) && !g.Unknown && g.More == 0 {
			left++
		}
	}
	if left == 1 {
		left = 0 // its line is as short
	}
	var b strings.Builder
	if g.Operation != "" {
		fmt.Fprintf(&b, "%s in progress\n", g.Operation)
	}
	if g.Upstream != "" {
		fmt.Fprintf(&b, "%s: %d ahead, %d behind\n", g.Upstream, g.Ahead, g.Behind)
	}
	for _, c := range g.Commits[:min(maxCommits, len(g.Commits))] {
		b.WriteString(c.Hash + " " + text.CutLine(c.Subject, maxSubject) + "\n")
	}
	more, units := g.More, 0
	for _, c := range g.Changes {
		if left > 0 && leaves(c) {
			continue
		}
		line := c.State + " " + text.Line(c.Path) + "\n"
		if units += text.Units(line); units > maxGit {
			more++
			continue
		}
		b.WriteString(line)
	}
	switch {
	case g.Unknown:
		b.WriteString("git status took too long")
	case more > 0:
		fmt.Fprintf(&b, "… +%d", more)
	case len(g.Changes) == 0:
		b.WriteString("nothing to commit, working tree clean")
	}
	return strings.TrimRight(b.String(), "\n"), left
}

// Place has the symbols of one of the files that the agent edited, with their lines and changes as of the compaction. The
// first Place can have the uses of a changed symbol in other files; Detail is that symbol.
const Place Kind = "place"

var _ = declare(Def{
	Kind: Place, Needs: []projections.Projection{projections.Places, projections.Uses, projections.Files, projections.SubagentFiles, projections.Prompts},
	Items: places,
	Text: Text{
		Form: Line, Units: otherPlaces, Tiers: Tiers{Best: Likely, First: 8, Second: 20}, Unasked: true,
	},
})

const (
	maxFresh    = 3   // bounds the files whose places are Vital, because they changed since the request
	otherPlaces = 200 // bounds the places of a file after these, in UTF-16 units
)

// places lists the uses of a changed symbol, then the files. Those with the newest changes since the request are first.
// Files written after the places were read are left out.
func places(f *projections.Fold) (items []Item) {
	named := nameOfWritten(f)
	if u := projections.Uses.In(f); len(u.Lines) > 0 {
		items = append(items, Item{Kind: Place, Tier: Vital, Seq: u.Seq, Text: usesOf(u.UsesObserved, named), Detail: u.Name})
	}
	s := projections.Places.In(f)
	if len(s.Files) == 0 {
		return items
	}
	written := editsOf(f).after(newestRequest(f))
	age := func(i int) int { // number of files written later; len(written) for a file not changed since the request
		p := s.Files[i]
		if n := slices.IndexFunc(written, func(w projections.FileState) bool { return strings.HasSuffix(w.Path, "/"+p.Path) }); n >= 0 && len(p.Changed) > 0 {
			return n
		}
		return len(written)
	}
	order := make([]int, len(s.Files))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(age(a), age(b)) })
	for n, i := range order {
		p := s.Files[i]
		if slices.ContainsFunc(s.Stale, func(written string) bool { return strings.HasSuffix(projections.Slashed(written), "/"+p.Path) }) {
			continue
		}
		item := Item{Kind: Place, Seq: s.Seq, Part: i + 1, Text: named(p.Path) + ": " + placesOf(p)}
		switch {
		case n >= maxFresh:
			item.Most = otherPlaces
		case age(i) < len(written):
			item.Tier = Vital
		}
		items = append(items, item)
	}
	return items
}

// nameOfWritten returns a function that shortens the path of a written file, absolute or the end of it, to the shortest end that no other file
// of the session has: texts list the whole path. Paths of other files stay.
func nameOfWritten(f *projections.Fold) func(file string) string {
	var all, written []string
	for file := range projections.Files.In(f).All() {
		all = append(all, projections.Slashed(file.Path))
		if file.WrittenSeq > 0 {
			written = append(written, all[len(all)-1])
		}
	}
	nameOf := shortestEnds(all)
	return func(file string) string {
		if i := slices.IndexFunc(written, func(w string) bool { return w == file || strings.HasSuffix(w, "/"+file) }); i >= 0 {
			return nameOf(written[i])
		}
		return file
	}
}

// shortestEnds returns a function that returns the shortest end of one of some paths that no other one has: its name, or its name behind
// those of directories. Paths have slashes.
func shortestEnds(paths []string) func(file string) string {
	return func(file string) string {
		for from := strings.LastIndexByte(file, '/'); from >= 0; from = strings.LastIndexByte(file[:from], '/') {
			if !slices.ContainsFunc(paths, func(p string) bool { return p != file && strings.HasSuffix(p, file[from:]) }) {
				return file[from+1:]
			}
		}
		return file
	}
}

// usesOf lists the uses of a symbol on one line, by file. named returns the name of a file.
func usesOf(u events.UsesObserved, named func(file string) string) string {
	var all []string
	for i, l := range u.Lines {
		if i > 0 && u.Lines[i-1].Path == l.Path {
			all[len(all)-1] += fmt.Sprint(", ", l.Line)
		} else {
			all = append(all, fmt.Sprint(named(l.Path), " ", l.Line))
		}
	}
	if u.More > 0 {
		all = append(all, fmt.Sprint("+", u.More))
	}
	return strings.Join(all, "; ")
}

// placesOf lists the places in a file on one line: names with their lines and latest changes, then changes outside any
// name.
func placesOf(p events.FilePlaces) string {
	in := map[string][]string{} // changes by the name that encloses them
	for _, r := range p.Changed {
		lines := fmt.Sprint("±", r.From)
		if r.To > r.From {
			lines += fmt.Sprint("–", r.To)
		}
		separator := ": "
		for _, n := range r.Names {
			lines += fmt.Sprint(separator, n.Name, " ", n.Line)
			separator = " "
		}
		in[r.In] = append(in[r.In], lines)
	}
	var all []string
	for _, n := range p.Names {
		s := fmt.Sprint(n.Name, " ", n.Line)
		if changed := in[n.Name]; changed != nil {
			s += " (" + strings.Join(changed, ", ") + ")"
			delete(in, n.Name)
		}
		all = append(all, s)
	}
	for _, r := range p.Changed { // changes whose enclosing name is not listed
		changed := strings.Join(in[r.In], ", ")
		switch {
		case changed == "": // it is listed
		case r.In == "":
			all = append(all, changed)
		default:
			all = append(all, r.In+" ("+changed+")")
		}
		delete(in, r.In)
	}
	return strings.Join(all, ", ")
}
