package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/embedded/handover"
	"journal/journal/team"
)

var _ = teamVerb(func(a *app) *cobra.Command {
	var off, yes bool
	c := &cobra.Command{
		Use:   "decisions [PROJECT]",
		Short: "tell each other what is decided in a project",
		Long: `Without a project it shows what others decided, as far as the hub was asked; it asks nobody. With one
(directory or key) what is decided in it, and what the person answered when asked, stands in recovery
texts of others in the same repository who chose the same, under the member's name; theirs stands in
texts here, after one's own. It is off for every project until then, and says so and asks first.
Nothing of it is recorded in this log. What is forgotten there is gone here at the next look, every two
minutes.

  journal team share .
  journal team decisions .
  journal team decisions . --off`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := team.Load(a.dir); err != nil {
				return withHint(err, "journal team join FILE")
			}
			s, err := team.LoadShare(a.dir)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				if off {
					return usage(c, errors.New("a project says what --off ends"))
				}
				return a.showDecisions(s)
			}
			key := a.projectKey(args[0])
			if off {
				if err := s.WithoutDecisions(key).Save(a.dir); err != nil {
					return err
				}
				fmt.Fprintf(a.out, "%s: decisions are not exchanged any more\n", key)
				return nil
			}
			if s = s.WithDecisions(key); !s.Decides(key) {
				return withHint(fmt.Errorf("%s is not shared", key), "journal team share "+args[0])
			}
			fmt.Fprintf(a.out, "%s: agents of others in this repository are told what was decided here, with your name and the day, and yours what others decided\n", key)
			if err := a.confirm(yes, "Exchange decisions?", "journal team decisions --yes …"); err != nil {
				return err
			}
			return s.Save(a.dir)
		},
	}
	c.Flags().BoolVar(&off, "off", false, "end it")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	a.jsonFlag(c)
	return c
})

// teamDecisionsDoc is what is known of what others decided, in a form that scripts rely on.
type teamDecisionsDoc struct {
	Projects  []string        `json:"projects"` // for which that was chosen
	Decisions []team.Decision `json:"decisions"`
}

func (a *app) showDecisions(s team.Share) error {
	all, err := team.KnownDecisions(a.dir)
	if err != nil {
		return err
	}
	doc := teamDecisionsDoc{append([]string{}, s.Decisions...), append([]team.Decision{}, all...)}
	return a.print(doc, func() {
		if len(s.Decisions) == 0 {
			fmt.Fprintln(a.out, "no decisions are exchanged")
			return
		}
		fmt.Fprintf(a.out, "chosen for %s\n", strings.Join(s.Decisions, ", "))
		for i, d := range handover.Colleagues(all) {
			fmt.Fprintf(a.out, "%s  %s/%s #%d  %s\n", d.At.Time().Local().Format(time.DateOnly), all[i].Member, all[i].Device, d.Seq, d.Text)
		}
	})
}
