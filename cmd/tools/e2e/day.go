package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// fullContext is a number of tokens with which every client compacts.
const fullContext = 90_000

// lostText is a phrase of every recovery text.
const lostText = "what the compacted context may have lost"

// check is a condition after a day.
type check struct {
	Name string
	// Holds reports whether the condition holds, and returns the figure for the table.
	Holds func(ctx context.Context, w *world) (figure string, ok bool)
}

// result is the outcome of a day.
type result struct {
	Client, Version string
	Error           string // why the day could not be played to its end
	Checks          []outcome
}

// look makes checks of a world, and adds their outcomes.
func (r *result) look(ctx context.Context, w *world, checks []check) {
	for _, c := range checks {
		figure, ok := c.Holds(ctx, w)
		r.Checks = append(r.Checks, outcome{c.Name, figure, ok})
	}
}

// outcome is the outcome of a check.
type outcome struct {
	Name, Figure string
	OK           bool
}

// rafters is the agent's text before the compaction in the middle of its turn.
const rafters = "First the rafters."

// day plays the script: work with a failure and a decision, a compaction in the
// middle of a turn, another one in a later process, and a question at the end.
func (w *world) day(ctx context.Context) result {
	r := result{Client: w.Name, Version: w.Version}
	if err := w.played(ctx); err != nil {
		r.Error = err.Error()
	}
	r.look(ctx, w, append(checks, w.Checks...))
	if err := w.uninstalled(ctx); err != nil {
		r.Checks = append(r.Checks, outcome{"uninstall", err.Error(), false})
	} else {
		r.Checks = append(r.Checks, outcome{"uninstall", "clean", true})
	}
	if w.Connect != nil {
		r.Checks = append(r.Checks, w.alone(ctx)...)
	}
	_, _ = w.journal(ctx, "stop") // an owner that is left ends with the namespace
	return r
}

// played plays the turns of the day.
func (w *world) played(ctx context.Context) error {
	if err := w.installed(ctx); err != nil {
		return err
	}
	journal := w.command()
	turns := []struct {
		prompt string
		steps  []step
	}{
		{"build the lighthouse of bricks, and keep the stairs outside", []step{
			{Calls: []call{{Shell: "echo hello > a.txt && cat a.txt"}}, Tokens: 2000},
			{Calls: []call{{Write: []string{"plan.txt", "bricks\nstairs\n"}}}, Tokens: 3000},
			{Calls: []call{{Shell: "cat no-such-brick.txt"}}, Tokens: 4000},
			{Calls: []call{{Shell: journal + " decide 'bricks, since stone cracks'"}}, Tokens: 5000},
			{Text: "The foundation is laid.", Tokens: 6000},
		}},
		{"now the roof", []step{
			{Text: rafters, Calls: []call{{Shell: "echo roof > roof.txt"}}, Tokens: fullContext},
			{Text: "The roof is on.", Tokens: 3000},
		}},
		{"and the lamp", []step{
			{Calls: []call{{Shell: "echo lamp > lamp.txt"}}, Tokens: fullContext},
			{Text: "The lamp is lit.", Tokens: 3000},
		}},
		{"what is left", []step{{Text: "The stairs.", Tokens: 3000}}},
	}
	for i, t := range turns {
		w.model.play(t.steps...)
		if _, err := w.run(ctx, w.Line(w, t.prompt, i > 0)...); err != nil {
			return err
		}
		if n := w.model.left(); n > 0 {
			return fmt.Errorf("%q: %d steps of the script were not asked for", t.prompt, n)
		}
	}
	return nil
}

// checks are the checks of every client.
var checks = []check{
	{"prompts", func(ctx context.Context, w *world) (string, bool) { return w.counted(ctx, "prompt.submitted", 4) }},
	{"sessions", func(ctx context.Context, w *world) (string, bool) {
		all, err := w.recorded(ctx)
		ids := map[string]bool{}
		for _, e := range all {
			if e.Session != "" && e.Session != "none" {
				ids[e.Session] = true
			}
		}
		return fmt.Sprint(len(ids)), err == nil && len(ids) == 1
	}},
	{"failure", func(ctx context.Context, w *world) (string, bool) {
		all, err := w.recorded(ctx)
		if err != nil {
			return err.Error(), false
		}
		for _, e := range all {
			if e.Type == "command.ran" && strings.Contains(string(e.Data), "no-such-brick") &&
				(strings.Contains(string(e.Data), `"failed":true`) || strings.Contains(string(e.Data), `"mark"`)) {
				return "yes", true
			}
		}
		return "no", false
	}},
	{"files", func(ctx context.Context, w *world) (string, bool) { return w.counted(ctx, "file.written", 1) }},
	{"decision", func(ctx context.Context, w *world) (string, bool) { return w.counted(ctx, "decision.recorded", 1) }},
	{"compactions", func(ctx context.Context, w *world) (string, bool) {
		out, err := w.journal(ctx, "replay", "--projection", "last-compact", "--json")
		var doc struct {
			States map[string]struct{ Count int }
		}
		if err == nil {
			err = json.Unmarshal([]byte(out), &doc)
		}
		n := doc.States["last-compact"].Count
		return fmt.Sprint(n), err == nil && n == 2
	}},
	{"texts", func(ctx context.Context, w *world) (string, bool) {
		all, err := w.recorded(ctx)
		n := 0
		for _, e := range all {
			// A client that loses the text with its process gets it again when it resumes.
			if e.Type == "recovery.sent" && !strings.Contains(string(e.Data), `"resume":true`) {
				n++
			}
		}
		return fmt.Sprint(n), err == nil && n == 2
	}},
	{"text in requests", func(ctx context.Context, w *world) (string, bool) {
		// The decision is only in the log, so a request has it from the recovery text.
		n := 0
		for _, r := range w.model.requests("agent") {
			if strings.Contains(r, "bricks, since stone cracks") && strings.Contains(r, lostText) {
				n++
			}
		}
		return fmt.Sprint(n), n >= 2
	}},
	{"hook problems", func(ctx context.Context, w *world) (string, bool) {
		out, err := w.journal(ctx, "status", "--json")
		n := strings.Count(out, `"problem": "`)
		return fmt.Sprint(n), err == nil && n == 0
	}},
}

// stepKept is a check of clients that take a recovery text in the middle of a turn.
var stepKept = check{"step in requests", func(ctx context.Context, w *world) (string, bool) {
	// What the agent was at when its context was compacted in the middle of a turn.
	for _, r := range w.model.requests("agent") {
		_, text, _ := strings.Cut(r, lostText)
		_, said, ok := strings.Cut(text, "What you said last")
		if ok && strings.Contains(said[:min(len(said), 80)], rafters) && strings.Contains(text, "now the roof") {
			return "yes", true
		}
	}
	return "no", false
}}

// counted reports whether there are want events of a type, as the figure and the result of a check.
func (w *world) counted(ctx context.Context, kind string, want int) (string, bool) {
	all, err := w.recorded(ctx)
	if err != nil {
		return err.Error(), false
	}
	n := 0
	for _, e := range all {
		if e.Type == kind {
			n++
		}
	}
	return fmt.Sprint(n), n == want
}

// printTable prints the outcome of each check of each client, and reports whether one failed.
func printTable(out io.Writer, all []result) (failed bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name string, cell func(result) string) {
		fmt.Fprint(w, name)
		for _, r := range all {
			fmt.Fprint(w, "\t", cell(r))
		}
		fmt.Fprintln(w)
	}
	row("", func(r result) string { return r.Client + " " + r.Version })
	var names []string
	seen := map[string]bool{}
	for _, r := range all {
		failed = failed || r.Error != ""
		for _, c := range r.Checks {
			failed = failed || !c.OK
			if !seen[c.Name] {
				seen[c.Name], names = true, append(names, c.Name)
			}
		}
	}
	for _, name := range names {
		row(name, func(r result) string {
			for _, c := range r.Checks {
				if c.Name == name && c.OK {
					return c.Figure
				} else if c.Name == name {
					return c.Figure + " FAILED"
				}
			}
			return "-"
		})
	}
	_ = w.Flush() // nobody looks at errors of the output
	for _, r := range all {
		if r.Error != "" {
			fmt.Fprintf(out, "%s: %s\n", r.Client, r.Error)
		}
	}
	return failed
}
