package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// What the agents record: the first for the project and in its own session, the second in its first session.
const (
	sharedPort     = "The stairs"
	sharedDecision = "bricks, since stone cracks"
	firstTask      = "lay the roof on the lantern"
	firstFailure   = "no-such-brick.txt"
	secondCommand  = "no-such-step.txt"
)

// sharedDay plays two agents in one project. The first leaves a task in its session. The second begins a session of its own, and
// then continues the first one's session by a pipe and by MCP. The first continues the second one's session in the same ways.
func sharedDay(ctx context.Context, first, second *world) result {
	r := result{Client: first.Name + " + " + second.Name, Version: first.Version + ", " + second.Version}
	if err := playShared(ctx, first, second); err != nil {
		r.Error = err.Error()
	}
	r.look(ctx, second, secondChecks)
	r.look(ctx, first, firstChecks)
	_, _ = first.journal(ctx, "stop") // an owner that is left ends with the namespace
	return r
}

// playShared plays the sessions of both agents.
func playShared(ctx context.Context, first, second *world) error {
	for _, w := range []*world{first, second} {
		if err := w.installed(ctx); err != nil {
			return err
		}
		if err := w.Connect(ctx, w, []string{w.command(), "mcp"}); err != nil {
			return err
		}
	}
	journal := first.command()
	if err := first.turn(ctx, "", "build the lighthouse",
		step{Calls: []call{{Todo: firstTask}}, Tokens: 2000},
		step{Calls: []call{{Shell: journal + " port define stairs --title '" + sharedPort + "' --item lower --item upper && " + journal + " port start stairs"}}, Tokens: 3000},
		step{Calls: []call{{Shell: journal + " decide '" + sharedDecision + "'"}}, Tokens: 4000},
		step{Calls: []call{{Shell: "cat " + firstFailure}}, Tokens: 5000},
		step{Text: "The foundation is laid.", Tokens: 6000}); err != nil {
		return err
	}
	firstSession, err := first.newest(ctx)
	if err != nil {
		return err
	}
	if err := second.turn(ctx, "", "look at the lighthouse",
		step{Calls: []call{{Shell: "cat " + secondCommand}}, Tokens: 2000},
		step{Text: "It stands.", Tokens: 3000}); err != nil {
		return err
	}
	secondSession, err := second.newest(ctx)
	if err != nil {
		return err
	}
	text, err := first.journal(ctx, "recover", "--session", firstSession)
	if err != nil {
		return err
	}
	if err := second.turn(ctx, text, "go on with this session", step{Text: "I go on with the roof.", Tokens: 3000}); err != nil {
		return err
	}
	if err := second.turn(ctx, "", "look once more where it was", step{Calls: []call{{Tool: "recover", With: map[string]any{"session": firstSession}}}, Tokens: 2000}, step{Text: "There.", Tokens: 3000}); err != nil {
		return err
	}
	if err := first.turn(ctx, "", "go on with the other agent's work",
		step{Calls: []call{{Tool: "recover", With: map[string]any{"session": secondSession}}}, Tokens: 2000}, step{Text: "I do.", Tokens: 3000}); err != nil {
		return err
	}
	if text, err = second.journal(ctx, "recover", "--session", secondSession); err != nil {
		return err
	}
	return first.turn(ctx, text, "go on with this session", step{Text: "I go on with the step.", Tokens: 3000})
}

// turn runs a prompt in a new session, with a text on stdin if it is not empty, and with steps as the script.
func (w *world) turn(ctx context.Context, stdin, prompt string, steps ...step) error {
	w.model.play(steps...)
	if _, err := w.piped(ctx, stdin, append(w.Line(w, prompt, false), w.Tasks...)...); err != nil {
		return err
	}
	if n := w.model.left(); n > 0 {
		return fmt.Errorf("%q: %d steps of the script were not asked for", prompt, n)
	}
	return nil
}

// listed is a session as `journal sessions --json` lists it.
type listed struct{ Session, Agent string }

// sessions returns the sessions of the journal.
func (w *world) sessions(ctx context.Context) (all []listed, err error) {
	out, err := w.journal(ctx, "sessions", "--json")
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal([]byte(out), &all)
}

// newest returns the id of the newest session, which must be one of the world's client.
func (w *world) newest(ctx context.Context) (string, error) {
	all, err := w.sessions(ctx)
	if err != nil {
		return "", err
	}
	if len(all) == 0 || all[0].Agent != w.Name {
		return "", fmt.Errorf("the newest session is not one of %s: %v", w.Name, all)
	}
	return all[0].Session, nil
}

// request returns the n-th of the agent's requests to the model, empty if there is none.
func (w *world) request(n int) string {
	all := w.model.requests("agent")
	if n >= len(all) {
		return ""
	}
	return all[n]
}

// holding reports whether a text contains all of some others.
func holding(text string, all ...string) bool {
	return !slices.ContainsFunc(all, func(one string) bool { return !strings.Contains(text, one) })
}

// yesNo returns the figure yes or no, and ok, as a check does.
func yesNo(ok bool) (string, bool) {
	if ok {
		return "yes", true
	}
	return "no", false
}

// secondChecks are the checks of the second agent. Requests 0 and 1 to the model are those of its first session; 2 is that of the
// pipe, 3 and 4 are those of MCP.
var secondChecks = []check{
	{"port and decision in the first request", func(_ context.Context, w *world) (string, bool) {
		return yesNo(holding(w.request(0), sharedPort, sharedDecision))
	}},
	{"the other's task as another's", func(_ context.Context, w *world) (string, bool) {
		_, behind, ok := strings.Cut(w.request(0), "Another session of this project (claude")
		return yesNo(ok && holding(behind, firstTask) && !strings.Contains(w.request(0), firstFailure))
	}},
	{"its own tasks", func(ctx context.Context, w *world) (string, bool) {
		all, err := w.sessions(ctx)
		for _, s := range all {
			if s.Agent != w.Name {
				continue
			}
			out, err := w.journal(ctx, "replay", "--session", s.Session, "--projection", "todos", "--json")
			if err != nil || strings.Contains(out, firstTask) {
				return "the other's", false
			}
		}
		return "none", err == nil && len(all) > 0
	}},
	{"continued by a pipe", func(_ context.Context, w *world) (string, bool) {
		return yesNo(holding(w.request(2), "go on with this session", firstTask, firstFailure))
	}},
	{"continued by MCP", func(_ context.Context, w *world) (string, bool) {
		return yesNo(!holding(w.request(3), firstFailure) && holding(w.request(4), firstTask, firstFailure))
	}},
}

// firstChecks are the checks of the first agent. Requests 5 and 6 to the model are those of MCP, 7 is that of the pipe.
var firstChecks = []check{
	{"first agent continued by MCP", func(_ context.Context, w *world) (string, bool) {
		return yesNo(!holding(w.request(5), secondCommand) && holding(w.request(6), secondCommand))
	}},
	{"first agent continued by a pipe", func(_ context.Context, w *world) (string, bool) {
		return yesNo(holding(w.request(7), "go on with this session", secondCommand))
	}},
	{"sessions, by agent", func(ctx context.Context, w *world) (string, bool) {
		all, err := w.sessions(ctx)
		n := map[string]int{}
		for _, s := range all {
			n[s.Agent]++
		}
		return fmt.Sprintf("%d claude, %d codex", n["claude"], n["codex"]), err == nil && len(n) == 2 && n["claude"] == 3 && n["codex"] == 3
	}},
}
