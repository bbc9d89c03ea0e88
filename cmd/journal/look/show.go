package look

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/rebuild"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

var _ = cli.Verb(cli.Looking, func(a *cli.App) *cobra.Command {
	var around int
	c := cli.NewCommand("show NUMBER...", "whole events, by the numbers that a recovery text names",
		`Prints whole events: every field, and the other fields of the hook. --around 5 also prints a line for
each of the five events of the session before and after it. With --json each event is one document
with stable keys.

Exit codes: 0; 1 there is no such event; 2 usage; 3 no copy has it.`,
		func(c *cobra.Command, args []string) error {
			var seqs []uint64
			for _, s := range args {
				var n cli.Ordinal
				if err := n.Set(s); err != nil {
					return cli.Usage(err)
				}
				seqs = append(seqs, uint64(n))
			}
			return a.ReadPastHoles(c.Context(), func(log *journal.Log) error {
				for _, n := range seqs {
					if err := show(c.Context(), a, log, n, around); err != nil {
						return err
					}
				}
				return nil
			})
		})
	cli.CountFlag(c, &around, "around", "", 0, 0, maxAround, "how many events of the session to show before and after")
	return cli.Literal(cli.AllowAgents(cli.TeamFlag(a, a.JSONFlag(c)), "json", "around"))
})

// maxAround bounds the events that are shown before and after one.
const maxAround = 50

// show prints a whole event, with a line for each of the around events of its session before and after it.
func show(ctx context.Context, a *cli.App, log *journal.Log, seq uint64, around int) error {
	st, err := log.Stats(ctx)
	if err != nil {
		return err
	}
	if seq > st.Last {
		return cli.WithHint(fmt.Errorf("there is no event #%d, the log ends at #%d", seq, st.Last), "journal log")
	}
	project, err := a.ReadableProject(ctx, log)
	if err != nil {
		return err
	}
	for e, err := range log.Events(ctx, events.Span{After: seq - 1, Until: seq}) {
		if err != nil {
			return err
		}
		if project != "" && e.Project != project && !rebuild.IsAboutLog(e.Type) {
			return cli.NotForAgents(fmt.Sprintf("read event #%d of another project", seq))
		}
		v, err := events.ViewOf(e)
		if err != nil {
			return err
		}
		before, after, err := neighbours(ctx, log, e, around)
		if err != nil {
			return err
		}
		if err := printNeighbours(a, before); err != nil {
			return err
		}
		if err := a.Print(v, func() { printWhole(a, sessionOf(ctx, a, log, e), v) }); err != nil {
			return err
		}
		if err := printNeighbours(a, after); err != nil {
			return err
		}
	}
	return nil
}

// neighbours returns the n events before and after an event in all lanes of its session. It leaves out echoes and samples of
// usage.
func neighbours(ctx context.Context, log *journal.Log, e events.Envelope, n int) (before, after []events.Envelope, err error) {
	if n == 0 || e.Session == events.None {
		return nil, nil, nil
	}
	sel, f := []events.Selector{{Project: e.Project, Session: e.Session}}, logFlags{last: n}
	before, err = newestOf(ctx, log, f, sel, e.Seq-1, false)
	if err != nil {
		return nil, nil, err
	}
	for next, err := range log.Events(ctx, events.Span{After: e.Seq}, sel...) {
		if err != nil {
			return nil, nil, err
		}
		if f.wants(next) {
			after = append(after, next)
		}
		if len(after) == n {
			break
		}
	}
	return before, after, nil
}

// printNeighbours prints a line for each event. It makes their texts inert, because only the requested event is printed word for
// word.
func printNeighbours(a *cli.App, all []events.Envelope) error {
	for _, e := range all {
		inert, err := events.MapEnvelope(e, text.Inert)
		if err != nil {
			return err
		}
		if err := printEvent(a, inert, false); err != nil {
			return err
		}
	}
	return nil
}

// sessionOf returns a heading with the session, subagent and project of an event.
func sessionOf(ctx context.Context, a *cli.App, log replay.Source, e events.Envelope) string {
	if e.Session == events.None {
		return "project " + e.Project
	}
	return cli.SessionLine(ctx, a, log, projections.Target{Project: e.Project, Session: e.Session, Lane: e.Lane})
}

// printWhole prints a whole event for people. session is a heading with its session.
func printWhole(a *cli.App, session string, v events.View) {
	if v.Type == events.TypeOf[events.LogForgotten]() { // such an event has no other information
		fmt.Fprintf(a.Out, "#%d was removed for good\n", v.Seq)
		return
	}
	at, _ := time.Parse(time.RFC3339Nano, v.At)
	fmt.Fprintf(a.Out, "#%d %s, %s\n%s\n", v.Seq, v.Type, at.Local().Format(time.DateTime), session)
	if v.EchoOf != 0 {
		fmt.Fprintf(a.Out, "a second report of #%d\n", v.EchoOf)
	}
	if v.Unknown {
		fmt.Fprintln(a.Out, "of a type or version that this program does not know")
	}
	printTree(a, v.Data, "  ")
	if len(v.More) > 0 {
		fmt.Fprintln(a.Out, "other fields of the hook")
		printTree(a, v.More, "  ")
	}
}

// printTree prints a JSON value with a line per member. A member with several lines or members is printed indented below its
// name.
func printTree(a *cli.App, b json.RawMessage, indent string) {
	show := func(name string, value json.RawMessage) {
		shown, plain := plainValue(value)
		switch {
		case !plain:
			fmt.Fprintln(a.Out, indent+name)
			printTree(a, value, indent+"  ")
		case strings.Contains(shown, "\n"):
			fmt.Fprintln(a.Out, indent+name)
			for line := range strings.Lines(shown) {
				fmt.Fprintln(a.Out, indent+"  "+strings.TrimRight(line, "\r\n"))
			}
		default:
			fmt.Fprintln(a.Out, strings.TrimRight(indent+name+" "+shown, " "))
		}
	}
	if list, ok := cli.ListItems(b); ok {
		for _, item := range list {
			show("-", item)
		}
		return
	}
	for _, m := range cli.StateMembers(b) {
		show(cli.OneLine(m.Words()), m.Value)
	}
}

// plainValue returns a JSON value as text; plain is false if it contains other values.
func plainValue(b json.RawMessage) (value string, plain bool) {
	if list, ok := cli.ListItems(b); ok {
		return "none", len(list) == 0
	}
	if members := cli.StateMembers(b); members != nil {
		return "none", len(members) == 0
	}
	if json.Unmarshal(b, &value) == nil {
		return value, true
	}
	return cli.StateText{}.Value(cli.StateMember{Value: b}), true
}
