package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// inTeam is a day of two people with one client, each on their own machine, in one repository and one team, whose hub is the
// program nats-server.
const inTeam = "claude+claude"

// people are their names in the team and the names of their directories, in the order of the worlds.
var people = []string{"alice", "bob"}

// The first person's unfinished port, decision, and prompt, which must not be shared.
const (
	leftPort     = "Hang the doors"
	leftDecision = "the doors are green, since fog is grey"
	leftWords    = "hang both doors before the storm"
)

// serverOf returns the path of the program nats-server in the directory of a team's day.
func serverOf(dir string) string { return filepath.Join(dir, "nats-server") }

// buildServer builds nats-server from the version in go.mod.
func buildServer(ctx context.Context, dir string) error {
	out, err := exec.CommandContext(ctx, "go", "build", "-o", serverOf(dir), "github.com/nats-io/nats-server/v2").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build nats-server: %w: %s", err, out)
	}
	return nil
}

// teamDay plays two people in one repository. The first leaves a unit of work and a decision. The second gets both at the start
// of a session and continues the work, and the first then hears of that.
func teamDay(ctx context.Context, first, second *world) result {
	r := result{Client: "a team of " + first.Name, Version: first.Version}
	if err := playTeam(ctx, first, second); err != nil {
		r.Error = err.Error()
	}
	r.look(ctx, second, takerChecks)
	r.look(ctx, first, leaverChecks)
	for _, w := range []*world{first, second} {
		_, _ = w.journal(ctx, "stop") // an owner that is left ends with the namespace
	}
	return r
}

// playTeam plays the sessions of both people.
func playTeam(ctx context.Context, first, second *world) error {
	hub := filepath.Join(first.home, "hub")
	if err := first.hub(ctx, hub); err != nil {
		return err
	}
	for i, w := range []*world{first, second} {
		if err := w.installed(ctx); err != nil {
			return err
		}
		if _, err := w.journal(ctx, "team", "join", filepath.Join(hub, people[i]+".invitation")); err != nil {
			return err
		}
	}
	if err := first.git(ctx, "https://acme.test/lighthouse.git"); err != nil {
		return err
	}
	if err := second.git(ctx, "git@acme.test:lighthouse.git", first.project); err != nil {
		return err
	}
	journal := first.command()
	if err := first.inTerminal(ctx, leftWords, nil,
		step{Calls: []call{{Shell: journal + " port define doors --title '" + leftPort + "' --item hinges --item paint && " + journal + " port start doors"}}, Tokens: 2000},
		step{Calls: []call{{Shell: journal + " port tick doors hinges"}}, Tokens: 3000},
		step{Calls: []call{{Shell: journal + " decide '" + leftDecision + "'"}}, Tokens: 4000},
		step{Text: "The hinges are on.", Tokens: 5000}); err != nil {
		return err
	}
	left, err := first.newest(ctx)
	if err != nil {
		return err
	}
	if err := second.inTerminal(ctx, "look at the lighthouse", nil, step{Text: "It stands.", Tokens: 3000}); err != nil {
		return err
	}
	for _, w := range []*world{first, second} {
		if err := w.share(ctx); err != nil {
			return err
		}
	}
	if err := second.until(ctx, leftDecision, "team", "heard"); err != nil {
		return err
	}
	if err := second.until(ctx, people[0]+"/"+left, "team", "heard"); err != nil {
		return err
	}
	if err := second.inTerminal(ctx, "is anything left to do", nil,
		step{Calls: []call{{Shell: journal + " phase continue --from " + people[0] + "/" + left}}, Tokens: 2000},
		step{Calls: []call{{Shell: journal + " port tick doors paint && " + journal + " port complete doors"}}, Tokens: 3000},
		step{Text: "Both doors hang.", Tokens: 4000}); err != nil {
		return err
	}
	if err := second.until(ctx, `"behind": 0`, "team", "status", "--json"); err != nil {
		return err
	}
	// The hub is asked when an owner begins, and while a session is at work.
	if _, err := first.journal(ctx, "stop"); err != nil {
		return err
	}
	if err := first.until(ctx, `"member":"`+people[1]+`"`, "log", "--json", "--type", "handover.noticed"); err != nil {
		return err
	}
	return first.inTerminal(ctx, "good morning", nil, step{Text: "The doors hang.", Tokens: 3000})
}

// hub creates a team's hub in dir, invites both people, and starts the hub.
func (w *world) hub(ctx context.Context, dir string) error {
	lines := [][]string{{"init", dir, "--name", "acme", "--node", "127.0.0.1", "--plain"}}
	for _, name := range people {
		lines = append(lines, []string{"invite", name, "--hub", dir})
	}
	for _, line := range lines {
		if _, err := w.journal(ctx, append([]string{"team"}, line...)...); err != nil {
			return err
		}
	}
	c := exec.CommandContext(ctx, serverOf(filepath.Dir(w.dir)), "-c", "node-1.conf")
	c.Dir, c.Stdout, c.Stderr = dir, w.log, w.log
	if err := c.Start(); err != nil { // it dies with the namespace
		return err
	}
	return w.until(ctx, "1 node read it", "team", "reload", "--hub", dir)
}

// git makes the project a repository with a remote address. Its history is that of the repository from, or else one commit.
func (w *world) git(ctx context.Context, address string, from ...string) error {
	lines := [][]string{{"init", "-q", "-b", "main"}, {"remote", "add", "origin", address}}
	if len(from) == 0 {
		lines = append(lines, []string{"-c", "user.name=dev", "-c", "user.email=dev@acme.test", "commit", "-q", "--allow-empty", "-m", "the first stone"})
	}
	for _, dir := range from {
		lines = append(lines, []string{"fetch", "-q", dir, "main"}, []string{"reset", "-q", "--hard", "FETCH_HEAD"})
	}
	for _, line := range lines {
		if _, err := w.run(ctx, append([]string{"git"}, line...)...); err != nil {
			return err
		}
	}
	return nil
}

// share shares the project with the team, with unfinished work and decisions, and waits until that is uploaded.
func (w *world) share(ctx context.Context) error {
	if _, err := w.journal(ctx, "team", "share", ".", "--yes"); err != nil {
		return err
	}
	if err := w.until(ctx, `"handover":true,"decisions":true`, "log", "--json", "--type", "project.seen"); err != nil {
		return err
	}
	return w.until(ctx, `"behind": 0`, "team", "status", "--json")
}

const (
	patience = time.Minute            // bounds the wait for an output
	lookEach = 100 * time.Millisecond // interval between two polls
)

// until polls a verb until its output has a text.
func (w *world) until(ctx context.Context, text string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		out, err := w.journal(ctx, args...)
		if err == nil && strings.Contains(out, text) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("journal %s never said %q, but: %s %w", strings.Join(args, " "), text, out, err)
		case <-time.After(lookEach):
		}
	}
}

// requestsFile writes the requests to the model into a file, for -keep.
func (w *world) requestsFile() error {
	return os.WriteFile(filepath.Join(w.dir, "requests-"+w.Name+".json"), []byte(encoded(w.model.got)), 0o600)
}

// takerChecks are the checks of the second person. Request 0 to the model is that of the first session, 1 and 2 are the first ones
// of the second session.
var takerChecks = []check{
	{"nothing before both chose it", func(_ context.Context, w *world) (string, bool) {
		return yesNo(!strings.Contains(w.request(0), leftPort) && !strings.Contains(w.request(0), leftDecision))
	}},
	{"the unit of work in the first request", func(_ context.Context, w *world) (string, bool) {
		return yesNo(holding(w.request(1), "on other machines", "- alice, ", leftPort, "1/2 (50%)", "phase continue --from alice/"))
	}},
	{"the decision, with whose it is", func(_ context.Context, w *world) (string, bool) {
		return yesNo(holding(w.request(1), "alice: "+leftDecision))
	}},
	{"nothing of what was asked", func(_ context.Context, w *world) (string, bool) {
		return yesNo(!strings.Contains(strings.Join(w.model.requests("agent"), ""), leftWords))
	}},
	{"taken over by the agent", func(_ context.Context, w *world) (string, bool) {
		return yesNo(holding(w.request(2), "unit of work doors ("+leftPort+"): 1/2 (50%)"))
	}},
	{"finished there", func(ctx context.Context, w *world) (string, bool) {
		out, err := w.journal(ctx, "port", "show", "--json")
		return yesNo(err == nil && holding(out, leftPort, `"complete`, "2/2 (100%)"))
	}},
}

// leaverChecks are the checks of the first person.
var leaverChecks = []check{
	{"heard by who left it", func(_ context.Context, w *world) (string, bool) {
		return yesNo(holding(w.model.last("agent"), "bob goes on with what session", "unit of work doors"))
	}},
}
