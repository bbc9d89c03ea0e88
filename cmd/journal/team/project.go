package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/colleagues"
	"journal/journal"
	"journal/journal/git"
	"journal/journal/team"
	"journal/journal/team/peers"
)

// projectFlags are what a person says of a project.
type projectFlags struct {
	project     string
	same, other []string // addresses, or members
}

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var f projectFlags
	c := cli.NewCommand("project [NAME]", "which project of others is this one",
		`Two checkouts are one project to the team when the first commits and the address of the remote are
the same; of a shallow clone, the address. When only one of both is, as with a fork or a repository
that moved, nothing is joined before a person says so: without NAME this shows who shares such a
repository, and asks once. --same and --other answer for scripts.

With NAME it says what the team calls a directory that is in no repository: it is nobody else's until
both call it by one name. That counts for a checkout too, and before what git says; "" takes the name
away.

  journal team project
  journal team project --same acme.org/web
  journal team project notes --project ~/notes`,
		func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return likeProjects(c.Context(), a, f)
			}
			if len(f.same)+len(f.other) > 0 {
				return cli.Usage(c, errors.New("a project that has a name is compared by it alone"))
			}
			if args[0] != "" {
				if err := team.CheckName(args[0]); err != nil {
					return cli.Usage(c, err)
				}
			}
			return nameProject(a, projectGiven(a, f.project), args[0])
		})
	c.Flags().StringVar(&f.project, "project", "", "project directory or key (the git top level, the working directory)")
	c.Flags().StringArrayVar(&f.same, "same", nil, "address of a repository, or member who shares it: it is this project")
	c.Flags().StringArrayVar(&f.other, "other", nil, "the same: it is another one")
	return a.JSONFlag(c)
})

// projectGiven is the key of a project that a flag names, of the working directory's without one.
func projectGiven(a *cli.App, given string) string {
	return a.ProjectKey(cmp.Or(given, "."))
}

// nameProject calls a project by a name, or no more by any.
func nameProject(a *cli.App, key, name string) error {
	if err := team.SaveName(a.Dir, key, name); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%s is called %q\n", key, name)
	return nil
}

// likeDoc is a project of others beside one of this log, in a form that scripts rely on.
type likeDoc struct {
	Member   string       `json:"member"`
	Device   string       `json:"device"`
	Project  string       `json:"project"` // key there
	Name     string       `json:"name,omitempty"`
	Of       git.Checkout `json:"of"`
	Likeness git.Likeness `json:"likeness"` // same, alike
	// Said is what a person said of one that is alike; absent: nothing yet.
	Said *bool `json:"said,omitempty"`
}

// likeProjects shows what others share that is the project or like it, and has a person say which of the
// latter is it.
func likeProjects(ctx context.Context, a *cli.App, f projectFlags) error {
	m, err := team.Load(a.Dir)
	if err != nil {
		return err
	}
	own, err := projectKnown(ctx, a, f.project)
	if err != nil {
		return err
	}
	hub, err := peers.Reach(ctx, m.Member)
	if err != nil {
		return cli.WithHint(err, "journal team status")
	}
	defer hub.Close()
	all, trouble := colleagues.Neighbours(ctx, hub, a.Dir, m, own)
	words, err := team.LoadWords(a.Dir)
	if err != nil {
		return err
	}
	var said []team.Word
	for _, answer := range []struct {
		given []string
		same  bool
	}{{f.same, true}, {f.other, false}} {
		for _, given := range answer.given {
			n, ok := colleagues.Named(all, given)
			if !ok {
				return cli.WithHint(errors.Join(fmt.Errorf("nothing that is like %s is shared as %s", own.Key, given), trouble), "journal team project")
			}
			said = append(said, team.Word{Project: own.Key, Of: n.Is.Checkout(), Same: answer.same})
		}
	}
	if !a.AsJSON && said == nil {
		if said, err = askAlike(ctx, a, own, all, words); err != nil {
			return err
		}
	}
	if said != nil {
		if words, err = team.Say(a.Dir, said); err != nil {
			return err
		}
	}
	docs := make([]likeDoc, 0, len(all))
	for _, n := range all {
		d := likeDoc{n.Member, n.Device, n.Key, n.Is.Name, n.Is.Checkout(), n.Likeness, nil}
		if w, ok := words.Of(own.Key, d.Of); ok && n.Likeness == git.Alike {
			d.Said = &w.Same
		}
		docs = append(docs, d)
	}
	err = a.Print(docs, func() { printLike(a, own, docs) })
	if err == nil && trouble != nil {
		a.Note(trouble.Error())
		return cli.ExitWith(cli.ExitError)
	}
	return err
}

// askAlike asks about each repository that nothing was said of, if somebody is there to answer.
func askAlike(ctx context.Context, a *cli.App, own colleagues.Project, all []colleagues.Neighbour, words team.Words) (said []team.Word, err error) {
	if !cli.IsTerminal(a.In) {
		return nil, nil
	}
	for _, n := range all {
		if _, known := words.Of(own.Key, n.Is.Checkout()); known || n.Likeness != git.Alike {
			continue
		}
		yes, err := a.Yes(ctx, fmt.Sprintf("%s shares %s, %s. Is it this project?", n.Member, n.Is.Checkout(), cli.EqualHalf(own.Is, n.Is.Checkout())))
		if err != nil {
			return nil, err
		}
		word := team.Word{Project: own.Key, Of: n.Is.Checkout(), Same: yes}
		words, said = words.With(word), append(said, word) // two devices may share it, and are asked about once
	}
	return said, nil
}

func printLike(a *cli.App, own colleagues.Project, docs []likeDoc) {
	what := cmp.Or(own.Is.Checkout().String(), "in no repository, and without a name: journal team project NAME")
	if own.Is.Name != "" {
		what = fmt.Sprintf("called %q", own.Is.Name)
	}
	fmt.Fprintf(a.Out, "%s: %s\n", own.Key, what)
	open := false
	for _, d := range docs {
		says := "the same"
		switch {
		case d.Likeness == git.Same:
		case d.Said == nil:
			says, open = cli.EqualHalf(own.Is, d.Of)+"; not joined", true
		case *d.Said:
			says = "the same, as you said"
		default:
			says = "another one, as you said"
		}
		name := d.Of.String()
		if d.Name != "" {
			name = fmt.Sprintf("%q", d.Name)
		}
		a.PrintBeside(fmt.Sprintf("  %s/%s  ", d.Member, d.Device), strings.TrimSpace(name+": "+says))
	}
	if len(docs) == 0 {
		fmt.Fprintln(a.Out, "  nobody else shares it, or anything like it")
	}
	if open {
		a.Note("say so with: journal team project --same ADDRESS, or --other ADDRESS")
	}
}

// projectKnown is a project of this log as others compare it: a directory by what git says now, a key by what the
// log says.
func projectKnown(ctx context.Context, a *cli.App, given string) (p colleagues.Project, err error) {
	p.Key = projectGiven(a, given)
	if p.Key != given {
		p.Is, err = git.Look(ctx, a.Root(cmp.Or(given, ".")))
	} else {
		err = a.Read(ctx, func(log *journal.Log) error {
			all, err := colleagues.Projects(ctx, log)
			i := slices.IndexFunc(all, func(o colleagues.Project) bool { return o.Key == given })
			if i < 0 {
				return cmp.Or(err, cli.WithHint(fmt.Errorf("the log knows no project %s", given), "journal sessions"))
			}
			p = all[i]
			return err
		})
	}
	if err != nil {
		return p, err
	}
	return p, team.Identify(a.Dir, p.Key, &p.Is)
}
