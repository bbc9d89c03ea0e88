package catalogue

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"journal/events/text"
)

// PlainName returns the key of a project without the digest at its end.
func PlainName(key string) string {
	if i := strings.LastIndexByte(key, '-'); i > 0 {
		return key[:i]
	}
	return key
}

// shortName is the least width of a name, in columns. Shorter ones are lengthened: a directory called 1 means nothing to a reader.
const shortName = 3

// Name returns a name that distinguishes a project from the others: the end of its path, as long as necessary. The name of a worktree
// begins with that of its repository.
func (t *Table) Name(key string) string {
	if t.names == nil {
		t.names = t.makeNames()
	}
	return cmp.Or(t.names[key], PlainName(key))
}

// Keys returns the keys of all projects in the log, sorted.
func (t *Table) Keys() []string {
	keys := slices.Collect(maps.Keys(t.projects))
	for _, r := range t.allRows() {
		keys = append(keys, r.Project)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// KeyOf returns the key of the only project with a name, or else of the only one whose key begins with it. It returns fallback if there is
// no such project, or if fallback is the key of a project.
func (t *Table) KeyOf(name, fallback string) string {
	var named, plain []string
	for _, key := range t.Keys() {
		switch {
		case key == fallback:
			return fallback
		case t.Name(key) == name:
			named = append(named, key)
		case PlainName(key) == name:
			plain = append(plain, key)
		}
	}
	switch {
	case len(named) == 1:
		return named[0]
	case len(named) == 0 && len(plain) == 1:
		return plain[0]
	}
	return fallback
}

// makeNames returns the names of all projects whose path is known. It lengthens short and ambiguous names as long as their paths have more
// directories.
func (t *Table) makeNames() map[string]string {
	names, lengths := map[string]string{}, map[string]int{}
	for more := true; more; {
		more = false
		byName := map[string][]string{} // keys of projects
		for key, p := range t.projects {
			if p.Root != "" {
				names[key] = p.nameOf(max(lengths[key], 1))
				byName[names[key]] = append(byName[names[key]], key)
			}
		}
		for name, keys := range byName {
			for _, key := range keys {
				n := max(lengths[key], 1) + 1
				if (len(keys) > 1 || text.Columns(name) < shortName) && t.projects[key].nameOf(n) != name {
					lengths[key], more = n, true
				}
			}
		}
	}
	return names
}

// nameOf returns a name with the last n directories of the project's path.
func (p *Project) nameOf(n int) string {
	path := p.path()
	if last := len(path) - 1; last > 0 && p.Repository == path[last] { // as ~/.codex/worktrees/6389/shop
		path = path[:last]
	}
	name := strings.Join(path[max(len(path)-n, 0):], "/")
	if p.Repository != "" && p.Repository != name {
		return p.Repository + "/" + name
	}
	return name
}

// path returns the directories of the project's path, at least one.
func (p *Project) path() []string {
	path := strings.FieldsFunc(p.Root, func(r rune) bool { return r == '/' || r == '\\' })
	if len(path) == 0 {
		return []string{PlainName(p.Key)}
	}
	return path
}

// Checkout returns an identifier of a project's repository. All worktrees have the same, and so have clones with the same remote.
func (t *Table) Checkout(key string) string {
	p := t.projects[key]
	if p == nil {
		return key
	}
	if p.Repository == "" {
		return cmp.Or(p.Remote, p.Key)
	}
	main, near := p, -1
	for _, other := range slices.Sorted(maps.Keys(t.projects)) {
		o := t.projects[other]
		path := o.path()
		if o.Repository != "" || path[len(path)-1] != p.Repository {
			continue
		}
		// Of several repositories with that name the nearest counts: its path has most in common with that of the worktree.
		if n := shared(path, p.path()); n > near {
			main, near = o, n
		}
	}
	if main == p {
		return cmp.Or(p.Remote, p.Repository)
	}
	return cmp.Or(main.Remote, main.Key)
}

// Worktrees lists the projects that are worktrees of a project's repository, sorted. A worktree itself has none.
func (t *Table) Worktrees(key string) (keys []string) {
	if p := t.projects[key]; p == nil || p.Repository != "" {
		return nil
	}
	for _, other := range slices.Sorted(maps.Keys(t.projects)) {
		if t.projects[other].Repository != "" && t.Checkout(other) == t.Checkout(key) {
			keys = append(keys, other)
		}
	}
	return keys
}

// shared returns the number of the first directories that two paths have in common.
func shared(a, b []string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Counted is a project with the totals of its sessions.
type Counted struct {
	Key, Name   string
	Root        string // its directory; empty if unknown
	Beside      bool   // the project before it in the list is a checkout of the same repository
	Sessions    int    // number of sessions in which a person asked something
	Compactions int    // number of compactions in these sessions
	Open        int    // number of open tasks in the newest of these sessions
	At          int64  // time of the newest event, ns since 1970 UTC
}

// Projects returns the projects that have sessions, the most recently active first. Checkouts of one repository follow each other,
// worktrees last.
func (t *Table) Projects() (all []Counted) {
	place := map[string]int{}       // index in all, by key
	checkout := map[string]string{} // repository, by key
	first := map[string]int{}       // number of the first project of a repository, from 1
	for _, r := range t.Rows() {
		i, known := place[r.Project]
		if !known {
			i, place[r.Project] = len(all), len(all)
			all = append(all, Counted{Key: r.Project, Name: t.Name(r.Project), Root: cmp.Or(t.Project(r.Project).Root, r.Info.Root), At: r.Newest().At})
			repository := t.Checkout(r.Project)
			checkout[r.Project] = repository
			if first[repository] == 0 {
				first[repository] = i + 1
			}
		}
		p := &all[i]
		if r.Asked {
			if p.Sessions++; p.Sessions == 1 {
				p.Open = len(r.Tasks.Open())
			}
			p.Compactions += r.Compactions
		}
	}
	worktree := func(p Counted) int { return min(len(t.Project(p.Key).Repository), 1) } // 1 for a worktree, else 0
	slices.SortStableFunc(all, func(a, b Counted) int {
		return cmp.Or(first[checkout[a.Key]]-first[checkout[b.Key]], worktree(a)-worktree(b))
	})
	for i := 1; i < len(all); i++ {
		all[i].Beside = checkout[all[i].Key] == checkout[all[i-1].Key]
	}
	return all
}
