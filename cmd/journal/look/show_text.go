package look

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/cli/state"
	"journal/events"
	"journal/projections"
	"journal/replay"
)

// sessionOf names the session, subagent and project of an event.
func sessionOf(ctx context.Context, a *cli.App, log replay.Source, e events.Envelope) string {
	if e.Session == events.None {
		return "project " + e.Project
	}
	return cli.SessionLine(ctx, a, log, projections.Target{Project: e.Project, Session: e.Session, Lane: e.Lane})
}

// printWhole prints an event for people. Nothing is cut.
func printWhole(a *cli.App, session string, v events.View) {
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
		fmt.Fprintln(a.Out, "the hook also said")
		printTree(a, v.More, "  ")
	}
}

// printTree prints a value: a line per member, what has lines or members of its own
// indented below it.
func printTree(a *cli.App, b json.RawMessage, indent string) {
	show := func(name string, value json.RawMessage) {
		said, plain := plainValue(value)
		switch {
		case !plain:
			fmt.Fprintln(a.Out, indent+name)
			printTree(a, value, indent+"  ")
		case strings.Contains(said, "\n"):
			fmt.Fprintln(a.Out, indent+name)
			for line := range strings.Lines(said) {
				fmt.Fprintln(a.Out, indent+"  "+strings.TrimRight(line, "\r\n"))
			}
		default:
			fmt.Fprintln(a.Out, strings.TrimRight(indent+name+" "+said, " "))
		}
	}
	if list, ok := state.List(b); ok {
		for _, item := range list {
			show("-", item)
		}
		return
	}
	for _, m := range state.Members(b) {
		show(cli.OneLine(m.Words()), m.Value)
	}
}

// plainValue gives a value that holds no others as a text.
func plainValue(b json.RawMessage) (said string, plain bool) {
	if list, ok := state.List(b); ok {
		return "none", len(list) == 0
	}
	if members := state.Members(b); members != nil {
		return "none", len(members) == 0
	}
	if json.Unmarshal(b, &said) == nil {
		return said, true
	}
	return state.Text{}.Value(state.Member{Value: b}), true
}
