package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"journal/events"
)

// Row 17 has two long sessions of longCommands commands: one with longCompactions compactions, the other with half as many.
const (
	longCommands    = 10_000
	longCompactions = 30
)

// longSession returns the events of one session with many different commands, edits, requests and decisions.
// Compactions are spread evenly over it; each summary names a part of what came before. It is the same for the same
// arguments.
func (b *bench) longSession(commands, compactions int) []events.Event {
	s, done := longScript{root: b.root, rnd: rand.New(rand.NewPCG(1, 1))}, 0
	s.add(events.SessionStarted{Cwd: b.root})
	for n := range commands {
		s.command(n)
		if done < compactions && (n+1)*(compactions+1) >= (done+1)*commands {
			s.compaction(done)
			done++
		}
	}
	return s.all
}

// longScript collects the events of a long session.
type longScript struct {
	root  string
	rnd   *rand.Rand
	all   []events.Event
	names []string // files, decisions and commands since the last compaction, for the next summary
}

// add adds an event.
func (s *longScript) add(e events.Event) { s.all = append(s.all, e) }

// command adds the n-th command, and before some commands a request, an edit or a decision.
func (s *longScript) command(n int) {
	if n%25 == 0 {
		s.add(events.PromptSubmitted{Text: fmt.Sprintf("Step %d: let the %s know the %s of each %s.", n/25, s.word(), s.word(), s.word())})
	}
	if n%5 == 0 {
		path := filepath.Join(s.root, "internal", s.word(), fmt.Sprintf("%s%d.go", s.word(), n%60))
		s.add(events.FileWritten{Path: path, Op: "edit", Tool: "Edit"})
		s.names = append(s.names, path)
	}
	if n%200 == 0 {
		decided := fmt.Sprintf("The %s %d keeps its %s in a %s.", s.word(), n, s.word(), s.word())
		s.add(events.DecisionRecorded{Text: decided})
		s.names = append(s.names, decided)
	}
	test := fmt.Sprintf("Test%s%d", strings.ToUpper(s.word()), n)
	c := events.CommandRan{
		Command: fmt.Sprintf("go test ./internal/%s -run %s -count %d", s.word(), test, 1+n%3), About: "Run the tests of the " + s.word(),
		Cwd: s.root, Use: fmt.Sprintf("toolu_%024d", n), Output: source(uint64(n), 300), Outcome: "ok",
	}
	if n%8 == 0 {
		c.Failed, c.Exit, c.Outcome = true, 1, "FAIL: "+test
		c.Output, c.Error = "", fmt.Sprintf("--- FAIL: %s (0.00s)\n    %s_test.go:%d: %s is not the %s\nFAIL", test, s.word(), n, s.word(), s.word())
	}
	s.add(c)
	s.names = append(s.names, c.Command)
}

// compaction adds the n-th compaction.
func (s *longScript) compaction(n int) {
	s.add(events.CompactionIntended{Trigger: "auto"})
	s.add(events.ContextRestarted{Model: "a model"})
	var summary strings.Builder
	fmt.Fprintf(&summary, "<summary>\n1. Task: step %d of the %s.\n", n, s.word())
	for i, name := range s.names {
		if i%10 == 0 || len(s.names)-i < 20 {
			fmt.Fprintf(&summary, "- The %s needed `%s` for its %s.\n", s.word(), name, s.word())
		}
	}
	summary.WriteString("</summary>\n")
	s.add(events.CompactionCompleted{Trigger: "auto", Summary: summary.String()})
	s.names = nil
}

// word returns a random word.
func (s *longScript) word() string {
	words := [...]string{"limiter", "bucket", "token", "refill", "window", "clock", "burst", "counter", "rate", "ledger", "shard", "router", "queue", "cache"}
	return words[s.rnd.IntN(len(words))]
}

// generateLong fills a new store with one long session.
func (b *bench) generateLong(s *store, commands, compactions int) {
	all := b.longSession(commands, compactions)
	b.fill(s, len(all), func(i int) (int, events.Event) { return oldSession, all[i] })
}

// longSessions is row 17: the processor time of verbs about two long sessions, one with half as many compactions as the other,
// in turns.
func (b *bench) longSessions() []line {
	half, whole := b.newStore(), b.newStore()
	b.generateLong(half, longCommands, longCompactions/2)
	b.generateLong(whole, longCommands, longCompactions)
	var group []variant
	for _, verb := range [][]string{{"audit", "--session", sessionName(oldSession)}, {"audit", "--json", "--session", sessionName(oldSession)}, {"replay", "--json", "--session", sessionName(oldSession)}} {
		for i, s := range []*store{half, whole} {
			b.start(s)
			compactions := fmt.Sprintf("%d compactions", longCompactions*(i+1)/2)
			v := variant{name: lineOf(verb) + ", " + compactions, as: compactions, run: func(int) time.Duration { return s.used(b.ctx, verb...) }}
			if s == whole {
				limit := bar{}
				if verb[0] == "audit" {
					limit = bar{most: 400, times: 2.3}
				}
				v = v.against(len(group), limit)
			}
			group = append(group, v)
		}
	}
	return append(b.measure(max(b.n/20, 3), group...), line{What: "its audit as JSON", Value: fmt.Sprintf("%.2f MB", float64(len(whole.verb(b.ctx, "audit", "--json", "--session", sessionName(oldSession))))/1e6)})
}

// used runs a command of the program and returns its processor time and that of its owner.
func (s *store) used(ctx context.Context, args ...string) time.Duration {
	pid := s.ownerPID(ctx)
	before := threadTime(pid)
	c := exec.CommandContext(ctx, s.bin, args...)
	c.Env = s.env
	err := c.Run()
	if code := c.ProcessState.ExitCode(); code < 0 || code > 1 { // 1: a search found nothing, an audit found losses; -1: it did not end by itself
		check(err)
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime() + threadTime(pid) - before
}

// ownerPID returns the process id of the owner, 0 if there is none.
func (s *store) ownerPID(ctx context.Context) int {
	var st status
	check(json.Unmarshal([]byte(s.verb(ctx, "status", "--json")), &st))
	return st.Owner.PID
}

// keep makes a log in a new directory that is not removed, and prints the directory and the id of a session.
func (b *bench) keep(dir string, compactions int) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	s := b.newStore().at(must(filepath.Abs(dir)))
	b.stores = append(b.stores, s)
	if compactions > 0 {
		b.generateLong(s, b.events, compactions)
	} else {
		b.generate(s, b.events, sessionEvents)
	}
	b.derived(s)
	_, err := fmt.Println(s.dir + ":" + sessionName(oldSession))
	return err
}
