package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/projections"
)

// zombieAfter is the age from which a running port counts as left behind
// (S0.10).
const zombieAfter = 24 * time.Hour

var _ = verb(func(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "port",
		Short: "units of work with checklists: define, start, tick, block, complete, show",
		Long: `Records units of work and how far they are.

  journal port define auth --title "Sign in" --item "routes" --item "tests" --after schema
  journal port start auth
  journal port tick auth routes

Exit codes: 0 durable, 1 refused or not durable, 2 usage.`,
	}
	var t targetFlags
	var undo bool
	var title, reason string
	var items, after []string
	sub := func(use, short string, n int, event func(args []string) events.Event) *cobra.Command {
		s := &cobra.Command{
			Use: use, Short: short, Args: args(cobra.MinimumNArgs(n)),
			Long: short + "\n\nExit codes: 0 durable, 1 refused or not durable, 2 usage.",
			RunE: func(c *cobra.Command, args []string) error { return a.record(c, t, event(args)) },
		}
		t.add(s)
		a.jsonFlag(s)
		c.AddCommand(s)
		return s
	}
	changed := func(status string) func([]string) events.Event {
		return func(args []string) events.Event {
			return events.PortChanged{Port: args[0], Status: status, Reason: reason}
		}
	}
	define := sub("define ID", "a port exists, or has another title or checklist", 1, func(args []string) events.Event {
		return events.PortDefined{Port: args[0], Title: title, Items: items, After: after}
	})
	define.Flags().StringVar(&title, "title", "", "what it is")
	define.Flags().StringArrayVar(&items, "item", nil, "an item of the checklist; may be given again")
	define.Flags().StringArrayVar(&after, "after", nil, "a port that has to be complete first; may be given again")
	sub("start ID", "work on a port begins", 1, changed("running"))
	tick := sub("tick ID ITEM", "an item of the checklist is done", 2, func(args []string) events.Event {
		return events.PortTicked{Port: args[0], Item: strings.Join(args[1:], " "), Undo: undo}
	})
	tick.Flags().BoolVar(&undo, "undo", false, "it is not done after all")
	block := sub("block ID", "a port cannot go on", 1, changed("blocked"))
	block.Flags().StringVar(&reason, "reason", "", "why")
	sub("complete ID", "a port is done", 1, changed("complete"))
	c.AddCommand(a.portShow(&t))
	return c
})

func (a *app) portShow(t *targetFlags) *cobra.Command {
	c := &cobra.Command{
		Use: "show [ID]", Short: "the ports and how far they are", Args: args(cobra.MaximumNArgs(1)),
		Long: `Shows the project's ports. One that has been running for a day without a change is marked as
left behind.

Exit codes: 0; 1 failure.`,
		RunE: func(c *cobra.Command, args []string) error {
			fold, err := a.state(c, *t, projections.Ports)
			if err != nil {
				return err
			}
			ports := projections.PortsState{}
			for _, p := range projections.Ports.In(fold) {
				if len(args) == 0 || args[0] == p.ID {
					ports = append(ports, p)
				}
			}
			if len(args) == 1 && len(ports) == 0 {
				return withHint(fmt.Errorf("no port %s", args[0]), "journal port show")
			}
			return a.print(ports, func() { printEach(a, ports, portLines) })
		},
	}
	t.add(c)
	a.jsonFlag(c)
	return c
}

// portLines shows a port to a person, with the open items of its checklist.
func portLines(p projections.PortState) string {
	lines := fmt.Sprintf("%-10s %-12s %-12s %s", p.Status, p.ID, p.Progress, p.Title)
	if p.Status == "running" && time.Since(p.At.Time()) > zombieAfter {
		lines += "  (left behind since " + p.At.Time().Local().Format(time.DateTime) + ")"
	}
	for _, item := range p.Pending {
		lines += "\n  - [ ] " + item
	}
	return lines
}
