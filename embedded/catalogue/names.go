package catalogue

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"journal/events/text"
)

// PlainName is the key of a project without the digest at its end.
func PlainName(key string) string {
	if i := strings.LastIndexByte(key, '-'); i > 0 {
		return key[:i]
	}
	return key
}

// shortName is what a name has at least, in columns: a directory called 1 says nothing.
const shortName = 3

// Name gives a project a name by which people tell it from the others: the end of its path, as long as it has to be,
// or for a worktree the name of the repository and of its directory.
func (t *Table) Name(key string) string {
	if t.names == nil {
		t.names = t.named()
	}
	return cmp.Or(t.names[key], PlainName(key))
}

// Called gives the key of the one project that a name means, otherwise where there is none or several.
func (t *Table) Called(name, otherwise string) string {
	found := ""
	for _, p := range t.Projects() {
		switch {
		case p.Key == otherwise:
			return otherwise
		case p.Name != name && PlainName(p.Key) != name:
		case found != "":
			return otherwise
		default:
			found = p.Key
		}
	}
	return cmp.Or(found, otherwise)
}

// named names all projects whose path is known.
func (t *Table) named() map[string]string {
	names, long := map[string]string{}, map[string]int{}
	for more := true; more; {
		more = false
		bearers := map[string][]string{}
		for key, p := range t.projects {
			if p.Root != "" {
				names[key] = p.called(max(long[key], 1))
				bearers[names[key]] = append(bearers[names[key]], key)
			}
		}
		for name, keys := range bearers {
			for _, key := range keys {
				n := max(long[key], 1) + 1
				if (len(keys) > 1 || text.Columns(name) < shortName) && t.projects[key].called(n) != name {
					long[key], more = n, true
				}
			}
		}
	}
	return names
}

// called names a project by the last so many directories of its path.
func (p *Project) called(n int) string {
	path := p.path()
	name := strings.Join(path[max(len(path)-n, 0):], "/")
	if p.Repository != "" && p.Repository != path[len(path)-1] {
		return p.Repository + "/" + name
	}
	return name
}

// path gives the directories that lead to a project, one at least.
func (p *Project) path() []string {
	path := strings.FieldsFunc(p.Root, func(r rune) bool { return r == '/' || r == '\\' })
	if len(path) == 0 {
		return []string{PlainName(p.Key)}
	}
	return path
}

// Checkout says what a project is a checkout of: the same for all worktrees of a repository, and for its clones where their
// remote is known.
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
		// Of several of that name the one that lies nearest.
		if n := shared(path, p.path()); n > near {
			main, near = o, n
		}
	}
	if main == p {
		return cmp.Or(p.Remote, p.Repository)
	}
	return cmp.Or(main.Remote, main.Key)
}

// shared counts what two paths have in common at their beginning.
func shared(a, b []string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Counted is a project with what its sessions add up to.
type Counted struct {
	Key, Name   string
	Root        string // where it is; empty: unknown
	Beside      bool   // it is a checkout of the same repository as the one before it
	Sessions    int    // in which a person asked something
	Compactions int    // of these
	Open        int    // tasks of the newest of these
	At          int64  // ns since 1970 UTC, when something happened last
}

// Projects lists the projects that have sessions, those first in which something happened last, all checkouts of one
// repository together and its worktrees behind it.
func (t *Table) Projects() (all []Counted) {
	place, first, checkout := map[string]int{}, map[string]int{}, map[string]string{}
	for _, r := range t.Rows() {
		i, known := place[r.Project]
		if !known {
			i, place[r.Project] = len(all), len(all)
			all = append(all, Counted{Key: r.Project, Name: t.Name(r.Project), Root: cmp.Or(t.Project(r.Project).Root, r.Info.Root), At: r.Newest().At})
			of := t.Checkout(r.Project)
			if checkout[r.Project] = of; first[of] == 0 {
				first[of] = i + 1
			}
		}
		if p := &all[i]; r.Asked {
			if p.Sessions++; p.Sessions == 1 {
				p.Open = len(r.Tasks.Open())
			}
			p.Compactions += r.Compactions
		}
	}
	worktree := func(p Counted) int { return min(len(t.Project(p.Key).Repository), 1) }
	slices.SortStableFunc(all, func(a, b Counted) int {
		return cmp.Or(first[checkout[a.Key]]-first[checkout[b.Key]], worktree(a)-worktree(b))
	})
	for i := 1; i < len(all); i++ {
		all[i].Beside = checkout[all[i].Key] == checkout[all[i-1].Key]
	}
	return all
}
