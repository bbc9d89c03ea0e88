package team

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/service"
	"journal/journal/team"
)

// choiceVerb is the verb of a choice.
type choiceVerb struct {
	choice           team.Choice
	use, short, long string
	begun, ended     string // what is said of the project then
	question         string // asked first, after begun was said; empty: nothing is asked
	show             func(*cli.App, team.Share) error
}

// teamChoice adds the verb that shows, begins and ends a choice.
func teamChoice(v choiceVerb) struct{} {
	return teamVerb(func(a *cli.App) *cobra.Command {
		var off, yes bool
		c := &cobra.Command{
			Use:   v.use + " [PROJECT]",
			Short: v.short,
			Long:  v.long + fmt.Sprintf("\n\n  journal team share .\n  journal team %[1]s .\n  journal team %[1]s . --off", v.use),
			RunE: func(c *cobra.Command, args []string) error {
				if _, err := team.Load(a.Dir); err != nil {
					return err
				}
				s, err := team.LoadShare(a.Dir)
				if err != nil {
					return err
				}
				if len(args) == 0 && off {
					return cli.Usage(c, errors.New("a project says what --off ends"))
				}
				if len(args) == 0 {
					return v.show(a, s)
				}
				key := a.ProjectKey(args[0])
				if off {
					if err := v.choice.End(s, key).Save(a.Dir); err != nil {
						return err
					}
					fmt.Fprintf(a.Out, "%s: %s\n", key, v.ended)
					return nil
				}
				if s = v.choice.Begin(s, key); !v.choice.Has(s, key) {
					return cli.WithHint(fmt.Errorf("%s is not shared", key), "journal team share "+args[0])
				}
				if v.question != "" {
					fmt.Fprintf(a.Out, "%s: %s\n", key, v.begun)
					if err := a.Confirm(c.Context(), yes, v.question, "journal team "+v.use+" --yes …"); err != nil {
						return err
					}
				}
				if err := s.Save(a.Dir); err != nil || v.question != "" {
					return err
				}
				fmt.Fprintf(a.Out, "%s: %s\n", key, v.begun)
				return nil
			},
		}
		c.Flags().BoolVar(&off, "off", false, "end it")
		if v.question != "" {
			c.Flags().BoolVar(&yes, "yes", false, "do not ask")
		}
		a.JSONFlag(c)
		return c
	})
}

// Status is how a journal stands to its team, in a form that scripts rely on.
type Status struct {
	team.Status
	Projects []string `json:"projects"`
	All      bool     `json:"all"`
	// Alike are repositories of others of which a person has to say whether they are a project here.
	Alike []team.Alike `json:"alike"`
	Owner bool         `json:"owner"` // one runs; without one nothing moves
}

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "what is shared, how far the hub is, what is pending",
		Long: `Shows what the owner of the log knows of the hub; it asks nobody. Pending is what has to be removed
at the hub and is still there.`,
		RunE: func(c *cobra.Command, _ []string) error {
			d, err := StatusOf(a.Dir)
			if err != nil {
				return err
			}
			d.Owner = service.Look(c.Context(), a.Dir).Owner != nil
			return a.Print(d, func() { printTeam(a, d) })
		},
	}
	a.JSONFlag(c)
	return c
})

// StatusOf gathers what is known without asking anybody.
func StatusOf(dir string) (Status, error) {
	var d Status
	m, err := team.Load(dir)
	if err != nil {
		return d, err
	}
	share, err := team.LoadShare(dir)
	if err != nil {
		return d, err
	}
	if d.Status, err = team.LoadStatus(dir); err != nil {
		return d, err
	}
	copied, err := team.LoadCopy(dir)
	if err != nil {
		return d, err
	}
	if !share.Covers(copied.Share) {
		copied.EraseBelow = copied.Number + 1 // as soon as an owner sees it
	}
	d.Pending = len(copied.Erase())
	d.Team, d.Member, d.Device = m.Team, m.Name, m.Device
	alike, err := team.LoadAlike(dir)
	if err != nil {
		return d, err
	}
	d.Alike = append([]team.Alike{}, alike...)
	d.Projects, d.All = append([]string{}, share.Projects...), share.All
	return d, nil
}

func printTeam(a *cli.App, d Status) {
	line := func(name, format string, args ...any) {
		a.PrintBeside(fmt.Sprintf("%-8s ", name), fmt.Sprintf(format, args...))
	}
	at := func(t time.Time) string { return t.Local().Format(time.DateTime) }
	line("team", "%s, as %s on device %s", d.Team, d.Member, d.Device)
	switch shared := strings.Join(d.Projects, ", "); {
	case d.All:
		line("shared", "every project")
	case shared == "":
		line("shared", "nothing")
	default:
		line("shared", "%s", shared)
	}
	switch {
	case !d.Owner:
		line("hub", "no owner runs, so nobody looks; the next hook starts one")
	case d.Connected:
		line("hub", "connected")
	case d.Contact.IsZero():
		line("hub", "not reached yet")
	default:
		line("hub", "not reached since %s", at(d.Contact))
	}
	if d.SetBack {
		line("kept", "%s; journal team restore brings it back, and journal doctor says how", team.Kept)
	}
	if d.Copy > 0 {
		line("copy", "%d, up to #%d of #%d", d.Copy, d.Hub, d.Head)
	}
	if d.Behind > 0 {
		line("behind", "%s, since %s", cli.Counted(d.Behind, "event"), at(d.Since))
	}
	if d.Pending > 0 {
		line("pending", "%s at the hub to be removed when it is reached", cli.Counted(d.Pending, "copy"))
	}
	for _, q := range d.Alike {
		line("alike", "%s, and what %s shares: %s. journal team project in it says whether they are one", q.Project, q.Member, q.Of)
	}
	if d.Problem != "" && d.Owner {
		line("problem", "%s", d.Problem)
	}
}
