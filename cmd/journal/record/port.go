package record

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal/agents/install"
	"journal/projections"
)

var _ = cli.Verb(cli.Recording, func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("port", "units of work with checklists, and their progress",
		`Records units of work and their progress.

  journal port define schema --title "Tables"
  journal port define auth --item "routes" --item "tests" --after schema
  journal port start auth
  journal port tick auth routes`, nil)
	var f portFlags
	// step adds a subcommand that records the event of a step. event gets all ports and the step's own port, both from before the
	// step, and the arguments after the port's id.
	step := func(use, short string, event func(all projections.PortsState, p projections.PortState, words []string) (events.Event, error)) *cobra.Command {
		s := cli.NewCommand(use, short, short,
			func(c *cobra.Command, args []string) error {
				ports, err := cli.StateOf(a, c, f.target, projections.Ports)
				if err != nil && !cli.NothingYet(a, f.target, err) {
					return err
				}
				p, ok := ports.Of(args[0])
				if !ok && c.Name() != "define" {
					return noPort(ports, args[0])
				}
				p.ID = args[0]
				e, err := event(ports, p, args[1:])
				if err != nil {
					return err
				}
				return a.Record(c, f.target, e)
			})
		f.target.AddNew(s)
		a.JSONFlag(s)
		c.AddCommand(cli.AllowAgents(s, "title", "item", "after", "force", "undo", "add", "reason", "json"))
		return s
	}
	define := step("define ID", "create a port, or change its title or checklist", f.define)
	define.Flags().StringVar(&f.title, "title", "", "what the port is about")
	define.Flags().StringArrayVar(&f.items, "item", nil, "an item of the checklist; may be given again")
	define.Flags().StringArrayVar(&f.after, "after", nil, "a port that must be complete first; may be given again")
	start := step("start ID", "work on a port begins", f.start)
	start.Flags().BoolVar(&f.force, "force", false, "even if ports that come before are not complete")
	tick := step("tick ID ITEM...", "an item of the checklist is done", f.tick)
	tick.Flags().BoolVar(&f.undo, "undo", false, "mark the item as open again")
	tick.Flags().BoolVar(&f.add, "add", false, "add the item to the checklist if it is not there")
	block := step("block ID", "a port is blocked", f.setStatus("blocked"))
	block.Flags().StringVar(&f.reason, "reason", "", "why it is blocked")
	complete := step("complete ID", "a port is done", f.complete)
	complete.Flags().BoolVar(&f.force, "force", false, "even if items of its checklist are open")
	step("remove ID", "remove a port; it is not shown any more", f.setStatus("removed"))
	c.AddCommand(portShow(a, &f.target))
	return c
})

// portFlags are the flags of the subcommands of journal port.
type portFlags struct {
	target           cli.TargetFlags
	title, reason    string
	items, after     []string
	undo, add, force bool
}

// define returns the event of a new or changed port.
func (f *portFlags) define(all projections.PortsState, p projections.PortState, _ []string) (events.Event, error) {
	for _, id := range f.after {
		if id == p.ID {
			return nil, fmt.Errorf("port %s cannot come after itself", id)
		}
		if _, ok := all.Of(id); !ok {
			return nil, noPort(all, id)
		}
		if comesAfter(all, id, p.ID) {
			return nil, fmt.Errorf("port %s already comes after %s", id, p.ID)
		}
	}
	return events.PortDefined{Port: p.ID, Title: f.title, Items: f.items, After: f.after}, nil
}

// comesAfter reports whether the port id comes after the port earlier, directly or through others.
func comesAfter(ports projections.PortsState, id, earlier string) bool {
	seen := map[string]bool{}
	for queue := []string{id}; len(queue) > 0; queue = queue[1:] {
		p, ok := ports.Of(queue[0])
		if !ok || seen[p.ID] {
			continue
		}
		seen[p.ID] = true
		if slices.Contains(p.After, earlier) {
			return true
		}
		queue = append(queue, p.After...)
	}
	return false
}

// start returns the event of the beginning of work on a port.
func (f *portFlags) start(all projections.PortsState, p projections.PortState, _ []string) (events.Event, error) {
	if missing := all.Missing(p.After); len(missing) > 0 && !f.force {
		return nil, cli.WithHint(fmt.Errorf("port %s comes after %s, not complete yet", p.ID, strings.Join(missing, ", ")),
			"journal port start "+install.Quote(p.ID)+" --force")
	}
	return events.PortChanged{Port: p.ID, Status: "running"}, nil
}

// tick returns the event of an item of the checklist that is done, or with --undo open again.
func (f *portFlags) tick(_ projections.PortsState, p projections.PortState, words []string) (events.Event, error) {
	item := strings.Join(words, " ")
	onList := slices.ContainsFunc(p.Items, func(i projections.PortItem) bool { return i.Text == item })
	mayAdd := f.add && !f.undo // --undo changes only an item that is there
	if !onList && !mayAdd {
		return nil, cli.WithHint(fmt.Errorf("%q is not on the checklist of port %s%s", item, p.ID, checklist(p)),
			fmt.Sprintf("journal port tick %s ITEM, or --add to put it there", install.Quote(p.ID)))
	}
	return events.PortTicked{Port: p.ID, Item: item, Undo: f.undo}, nil
}

// checklist returns the items of a port, each on a line of its own, after a line break.
func checklist(p projections.PortState) string {
	var b strings.Builder
	for _, item := range p.Items {
		box := "[ ]"
		if item.Done {
			box = "[x]"
		}
		b.WriteString("\n  - " + box + " " + cli.OneLine(item.Text))
	}
	return b.String()
}

// complete returns the event of the end of a port.
func (f *portFlags) complete(_ projections.PortsState, p projections.PortState, _ []string) (events.Event, error) {
	if n := len(p.Pending); n > 0 && !f.force {
		return nil, cli.WithHint(fmt.Errorf("port %s has open items: %d%s", p.ID, n, checklist(p)), "journal port complete "+install.Quote(p.ID)+" --force")
	}
	return events.PortChanged{Port: p.ID, Status: "complete"}, nil
}

// setStatus returns a function that returns the event of a port's new status.
func (f *portFlags) setStatus(status string) func(projections.PortsState, projections.PortState, []string) (events.Event, error) {
	return func(_ projections.PortsState, p projections.PortState, _ []string) (events.Event, error) {
		return events.PortChanged{Port: p.ID, Status: status, Reason: f.reason}, nil
	}
}

// noPort returns the error for an id that no port has. The error suggests ids that are nearly the same.
func noPort(ports projections.PortsState, id string) error {
	var ids []string
	for _, p := range ports {
		ids = append(ids, p.ID)
	}
	hint := "journal port show, or journal port define " + install.Quote(id)
	if len(ports) == 0 {
		hint = "journal port define " + install.Quote(id)
	}
	return cli.WithHint(fmt.Errorf("no port %s%s", id, cli.DidYouMean(id, ids)), hint)
}

// portShow makes the command `journal port show`.
func portShow(a *cli.App, t *cli.TargetFlags) *cobra.Command {
	c := cli.NewCommand("show [ID]", "the ports and their progress",
		`Shows the ports of the project. A running port without a change for a day is marked as idle.`+cli.ShowExits,
		func(c *cobra.Command, args []string) error {
			ports, err := cli.StateOf(a, c, *t, projections.Ports)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				p, ok := ports.Of(args[0])
				if !ok {
					return noPort(ports, args[0])
				}
				ports = projections.PortsState{p}
			}
			return a.Print(ports, func() { cli.PrintAll(a, ports, "no ports", portLines) })
		})
	t.Add(c)
	return cli.AllowAgents(a.JSONFlag(c), "json")
}

// portLines returns a line about a port, and a line for each open item of its checklist.
func portLines(p projections.PortState) string {
	lines := fmt.Sprintf("%-10s %-12s %-12s %s", p.Status, p.ID, p.Progress, p.Title)
	if p.Reason != "" {
		lines += ": " + p.Reason
	}
	if p.Status == "pending" && len(p.After) > 0 {
		lines += " (after " + strings.Join(p.After, ", ") + ")"
	}
	if p.Status == "running" && time.Since(p.At.Time()) > projections.IdleAfter {
		lines += "  (idle since " + p.At.Time().Local().Format(time.DateTime) + ")"
	}
	for _, item := range p.Pending {
		lines += "\n  - [ ] " + item
	}
	return lines
}
