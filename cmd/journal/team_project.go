package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/embedded/handover"
	"journal/journal"
	"journal/journal/repository"
	"journal/journal/team"
	"journal/journal/team/peers"
)

// projectFlags are what a person says of a project.
type projectFlags struct {
	project     string
	same, other []string // addresses, or members
}

var _ = teamVerb(func(a *app) *cobra.Command {
	var f projectFlags
	c := &cobra.Command{
		Use:   "project [NAME]",
		Short: "which project of others is this one",
		Long: `Two checkouts are one project to the team when the first commits and the address of the remote are
the same; of a shallow clone, the address. When only one of both is, as with a fork or a repository
that moved, nothing is joined before a person says so: without NAME this shows who shares such a
repository, and asks once. --same and --other answer for scripts.

With NAME it says what the team calls a directory that is in no repository: it is nobody else's until
both call it by one name. That counts for a checkout too, and before what git says; "" takes the name
away.

  journal team project
  journal team project --same acme.org/web
  journal team project notes --project ~/notes`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.likeProjects(c.Context(), f)
			}
			if len(f.same)+len(f.other) > 0 {
				return usage(c, errors.New("a project that has a name is compared by it alone"))
			}
			if args[0] != "" {
				if err := team.CheckName(args[0]); err != nil {
					return usage(c, err)
				}
			}
			return a.nameProject(a.projectGiven(f.project), args[0])
		},
	}
	c.Flags().StringVar(&f.project, "project", "", "project directory or key (the git top level, the working directory)")
	c.Flags().StringArrayVar(&f.same, "same", nil, "address of a repository, or member who shares it: it is this project")
	c.Flags().StringArrayVar(&f.other, "other", nil, "the same: it is another one")
	a.jsonFlag(c)
	return c
})

// projectGiven is the key of a project that a flag names, of the working directory's without one.
func (a *app) projectGiven(given string) string {
	if given == "" {
		given = "."
	}
	return a.projectKey(given)
}

// nameProject calls a project by a name, or no more by any.
func (a *app) nameProject(key, name string) error {
	names, err := team.LoadNames(a.dir)
	if err != nil {
		return err
	}
	if names[key] = name; name == "" {
		delete(names, key)
	}
	if err := team.SaveNames(a.dir, names); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s is called %q\n", key, name)
	return nil
}

// likeDoc is a project of others beside one of this log, in a form that scripts rely on.
type likeDoc struct {
	Member   string              `json:"member"`
	Device   string              `json:"device"`
	Project  string              `json:"project"` // key there
	Name     string              `json:"name,omitempty"`
	Of       repository.Checkout `json:"of"`
	Likeness repository.Likeness `json:"likeness"` // same, alike
	// Said is what a person said of one that is alike; absent: nothing yet.
	Said *bool `json:"said,omitempty"`
}

// likeProjects shows what others share that is the project or like it, and has a person say which of the
// latter is it.
func (a *app) likeProjects(ctx context.Context, f projectFlags) error {
	m, err := team.Load(a.dir)
	if err != nil {
		return withHint(err, "journal team join FILE")
	}
	own, err := a.known(ctx, f.project)
	if err != nil {
		return err
	}
	nc, err := peers.Connect(ctx, m.Member)
	if err != nil {
		return withHint(err, "journal team status")
	}
	defer nc.Close()
	all, trouble := handover.Neighbours(ctx, nc, m, own)
	words, err := team.LoadWords(a.dir)
	if err != nil {
		return err
	}
	said := len(words)
	for _, answer := range []struct {
		given []string
		same  bool
	}{{f.same, true}, {f.other, false}} {
		for _, given := range answer.given {
			n, ok := handover.Named(all, given)
			if !ok {
				return withHint(errors.Join(fmt.Errorf("nothing that is like %s is shared as %s", own.Key, given), trouble), "journal team project")
			}
			words, said = words.With(team.Word{Project: own.Key, Of: n.Is.Checkout(), Same: answer.same}), -1
		}
	}
	if !a.asJSON && said >= 0 {
		if words, err = a.askAlike(ctx, own, all, words); err != nil {
			return err
		}
	}
	if said != len(words) {
		if err := words.Save(a.dir); err != nil {
			return err
		}
	}
	docs := make([]likeDoc, 0, len(all))
	for _, n := range all {
		d := likeDoc{n.Member, n.Device, n.Key, n.Is.Name, n.Is.Checkout(), n.Likeness, nil}
		if w, ok := words.Of(own.Key, d.Of); ok && n.Likeness == repository.Alike {
			d.Said = &w.Same
		}
		docs = append(docs, d)
	}
	err = a.print(docs, func() { a.printLike(own, docs) })
	if err == nil && trouble != nil {
		a.note(trouble.Error())
		return exitWith(exitError)
	}
	return err
}

// askAlike asks about each repository that nothing was said of, if somebody is there to answer.
func (a *app) askAlike(ctx context.Context, own handover.Project, all []handover.Neighbour, words team.Words) (team.Words, error) {
	if !isTerminal(a.in) {
		return words, nil
	}
	for _, n := range all {
		if _, said := words.Of(own.Key, n.Is.Checkout()); said || n.Likeness != repository.Alike {
			continue
		}
		yes, err := a.yes(ctx, fmt.Sprintf("%s shares %s, %s. Is it this project?", n.Member, n.Is.Checkout(), half(own.Is, n.Is.Checkout())))
		if err != nil {
			return words, err
		}
		words = words.With(team.Word{Project: own.Key, Of: n.Is.Checkout(), Same: yes})
	}
	return words, nil
}

// half says which half of two repositories that are alike is equal.
func half(own repository.Identity, of repository.Checkout) string {
	if own.Remote == of.Remote {
		return "with the same address and other first commits"
	}
	return "with the same first commits and another address"
}

func (a *app) printLike(own handover.Project, docs []likeDoc) {
	what := own.Is.Checkout().String()
	if own.Is.Name != "" {
		what = fmt.Sprintf("called %q", own.Is.Name)
	}
	if what == "" {
		what = "in no repository, and without a name: journal team project NAME"
	}
	fmt.Fprintf(a.out, "%s: %s\n", own.Key, what)
	open := false
	for _, d := range docs {
		says := "the same"
		switch {
		case d.Likeness == repository.Same:
		case d.Said == nil:
			says, open = half(own.Is, d.Of)+"; not joined", true
		case *d.Said:
			says = "the same, as you said"
		default:
			says = "another one, as you said"
		}
		name := d.Of.String()
		if d.Name != "" {
			name = fmt.Sprintf("%q", d.Name)
		}
		a.printBeside(fmt.Sprintf("  %s/%s  ", d.Member, d.Device), strings.TrimSpace(name+": "+says))
	}
	if len(docs) == 0 {
		fmt.Fprintln(a.out, "  nobody else shares it, or anything like it")
	}
	if open {
		a.note("say so with: journal team project --same ADDRESS, or --other ADDRESS")
	}
}

// known is a project of this log as others compare it: a directory by what git says now, a key by what the
// log says.
func (a *app) known(ctx context.Context, given string) (p handover.Project, err error) {
	p.Key = a.projectGiven(given)
	if p.Key != given {
		p.Is, err = repository.Look(ctx, a.root(cmp.Or(given, ".")))
	} else {
		err = a.read(ctx, func(log *journal.Log) error {
			all, err := handover.Projects(ctx, log)
			i := slices.IndexFunc(all, func(o handover.Project) bool { return o.Key == given })
			if i < 0 {
				return cmp.Or(err, withHint(fmt.Errorf("the log knows no project %s", given), "journal sessions"))
			}
			p = all[i]
			return err
		})
	}
	if err != nil {
		return p, err
	}
	names, err := team.LoadNames(a.dir)
	if err != nil {
		return p, err
	}
	words, err := team.LoadWords(a.dir)
	p.Is.Name, p.Is.Also = names[p.Key], words.Same(p.Key)
	return p, err
}

// sayAlike tells, once, of what a member shares that is like the project and is not joined.
func (a *app) sayAlike(own handover.Project, member string, theirs []handover.Project) {
	words, err := team.LoadWords(a.dir)
	if err != nil {
		return
	}
	i := slices.IndexFunc(theirs, func(t handover.Project) bool {
		_, said := words.Of(own.Key, t.Is.Checkout())
		return !said && repository.Compare(own.Is, t.Is) == repository.Alike
	})
	if i >= 0 {
		c := theirs[i].Is.Checkout()
		a.note(fmt.Sprintf("%s shares %s, %s: journal team project says whether it is this one", member, c, half(own.Is, c)))
	}
}
