package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/embedded/service"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/redact"
	"journal/journal/wire/client"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs testdata/script/*.txtar. Each script is one user with the real
// program on PATH, a home, and a journal directory $JOURNAL_DIR of its own; the
// owner that it leaves is stopped. Commands beside those of testscript:
//
//	play FILE                 each line is one hook; answers go to answer.N, N is the line
//	json FILE PATH [VALUE]    the member at PATH (a.0.b, a.length) is VALUE; without, it is there
//	until REGEXP COMMAND...   runs the command until its stdout matches, whatever its exit code
//	exits CODE COMMAND...     the command ends with this code
//	lines FILE N              FILE has N lines
//	agent begins|crashes      a process begins that stands for the agent's, with the id $CLAUDE_PID, or is killed
//	told ANSWER FILE          writes the text that an answer gives, with DATE for every date and age
//	damage GLOB TEXT          one byte of TEXT changes in a file of the journal directory that holds it
//	misfit SESSION            a prompt of the session is appended whose text is a list, as another build could write it
//	garbage SESSION TYPE      without an owner: a record of the session is stored that is no event
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		Setup:         setUpScript,
		UpdateScripts: *updateScripts,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"play": play, "json": member, "until": until, "exits": exits, "lines": lines, "damage": damage,
			"agent": agent, "told": told, "misfit": misfit, "garbage": garbage,
		},
	})
}

func setUpScript(env *testscript.Env) error {
	stream, err := filepath.Abs(recorded)
	if err != nil {
		return err
	}
	agents, err := filepath.Abs(filepath.Join("..", "..", "journal", "agents"))
	if err != nil {
		return err
	}
	home := filepath.Join(env.WorkDir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return err
	}
	dir := filepath.Join(env.WorkDir, "j")
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_STATE_HOME": filepath.Join(home, "state"),
		"PATH":            filepath.Dir(program) + string(os.PathListSeparator) + env.Getenv("PATH"),
		"JOURNAL_COMMAND": "journal", "JOURNAL_DIR": dir, "JOURNAL_IDLE": "60s", "LANG": "C", "STREAM": stream, "AGENTS": agents, "REAL": program,
		"MACHINE_TEMP": os.TempDir(), // a script has a TMPDIR of its own
	} {
		env.Setenv(name, value)
	}
	env.Defer(func() {
		locks, _ := filepath.Glob(filepath.Join(env.WorkDir, "*", "owner.lock")) // also of other directories of the script
		for _, lock := range locks {
			if dir := filepath.Dir(lock); ownership.Held(dir) {
				_ = service.Stop(context.Background(), dir) // it may have left
			}
		}
		if b, err := os.ReadFile(filepath.Join(dir, "journal.log")); err == nil && bytes.Contains(b, []byte("DATA RACE")) {
			env.T().Fatal("a data race:\n" + string(b))
		}
	})
	return nil
}

// play runs each line of a file as the stdin of one hook, which has to end with 0
// and silent stderr.
func play(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: play FILE [AGENT]")
	}
	agent := "claude"
	if len(args) == 2 {
		agent = args[1]
	}
	n := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		n++
		stdin := ts.MkAbs("play.stdin")
		ts.Check(os.WriteFile(stdin, []byte(line), 0o600))
		in, err := os.Open(stdin)
		ts.Check(err)
		c := exec.Command(small, agent)
		c.Env, c.Dir, c.Stdin = environ(ts), ts.Getenv("WORK"), in
		var out, errOut bytes.Buffer
		c.Stdout, c.Stderr = &out, &errOut
		err = errors.Join(c.Run(), in.Close())
		if err != nil || errOut.Len() > 0 {
			ts.Fatalf("hook %d: %v, stderr %q", n, err, &errOut)
		}
		if out.Len() > 0 {
			ts.Check(os.WriteFile(ts.MkAbs("answer."+strconv.Itoa(n)), out.Bytes(), 0o600))
		}
	}
}

// misfit is the command of that name in scripts.
func misfit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: misfit SESSION")
	}
	e, err := events.Wrap(events.PromptSubmitted{}, events.Meta{
		ID: events.NewID(), At: time.Now().UnixNano(), Agent: "claude", Session: args[0], Project: client.ProjectKey("/p"), Rules: int(redact.RuleSet),
	})
	ts.Check(err)
	e.Body = events.Raw("\x81\xa4text\x92\xa4mend\xa4less")
	r, err := client.NewRequest([]events.Envelope{e}, "")
	ts.Check(err)
	got, err := client.Open(ts.Getenv("JOURNAL_DIR"), client.Options{Pace: pace}).Send(context.Background(), r, 0)
	ts.Check(err)
	if got.Spooled {
		ts.Fatalf("the event is in the spool")
	}
}

// garbage is the command of that name in scripts.
func garbage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: garbage SESSION TYPE")
	}
	ctx := context.Background()
	lock, err := ownership.TryLock(ts.Getenv("JOURNAL_DIR"))
	ts.Check(err)
	defer lock.Release()
	server, err := embedded.Own(ctx, lock, embedded.Options{})
	ts.Check(err)
	js, err := jetstream.New(server.Conn())
	ts.Check(err)
	about := events.Meta{Project: client.ProjectKey("/p"), Session: args[0], Type: events.Type(args[1])}
	ack, err := js.Publish(ctx, journal.Subject(about), []byte("?"), jetstream.WithMsgID(events.NewID()))
	ts.Check(err)
	server.SetHead(ack.Stream, ack.Sequence, "")
	ts.Check(server.Close())
}

// environ is the environment of the script as far as the program looks at it.
func environ(ts *testscript.TestScript) (env []string) {
	for _, name := range []string{
		"HOME", "PATH", "LANG", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "JOURNAL_DIR", "JOURNAL_IDLE", "JOURNAL_OWNER", "JOURNAL_LANG",
		"JOURNAL_COMMAND", "JOURNAL_CONFIG", "JOURNAL_TEAM", "JOURNAL_SESSION", ownPace, "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_ENV_FILE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID",
	} {
		if v := ts.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// member looks at one member of a JSON document, or of the last line of a stream
// of them.
func member(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 && len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH [VALUE]")
	}
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	dec.UseNumber()
	var doc any
	for dec.More() {
		doc = nil
		ts.Check(dec.Decode(&doc))
	}
	v, err := at(doc, args[1])
	got := fmt.Sprint(v)
	if _, isText := v.(string); err == nil && !isText {
		b, err := json.Marshal(v)
		ts.Check(err)
		got = string(b)
	}
	switch found := err == nil && (len(args) == 2 || got == args[2]); {
	case neg && found:
		ts.Fatalf("%s is %s", args[1], got)
	case !neg && err != nil:
		ts.Fatalf("%s: %v in %v", args[1], err, doc)
	case !neg && !found:
		ts.Fatalf("%s is %s, want %s", args[1], got, args[2])
	}
}

func at(v any, path string) (any, error) {
	for name := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			next, ok := in[name]
			if !ok {
				return nil, fmt.Errorf("no member %s", name)
			}
			v = next
		case []any:
			i, err := strconv.Atoi(name)
			if name == "length" {
				v = json.Number(strconv.Itoa(len(in)))
				continue
			}
			if err != nil || i < 0 || i >= len(in) {
				return nil, fmt.Errorf("no element %s of %d", name, len(in))
			}
			v = in[i]
		default:
			return nil, fmt.Errorf("%s is inside of no value", name)
		}
	}
	return v, nil
}

// until runs a command until its stdout matches. It goes through env, which looks
// the command up in the PATH of the script.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEXP COMMAND...")
	}
	want, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	look := func() string { return spawned(ts, args[1:]) }
	if onlyReads(ts, args[1:]) {
		look = func() string {
			if dir := ts.Getenv("JOURNAL_DIR"); ownership.Held(dir) { // else the program may have to start an owner
				out, _, _ := runHere(dir, ts.Getenv, args[2:]...) // how it ends does not matter
				return out
			}
			return spawned(ts, args[1:])
		}
	}
	var last string
	ok := testutil.Within(testutil.Patience, func() bool {
		last = look()
		return want.MatchString(last)
	})
	if !ok {
		ts.Fatalf("no match for %s within %v in:\n%s", args[0], testutil.Patience, last)
	}
}

// spawned gives what a command prints.
func spawned(ts *testscript.TestScript, line []string) string {
	c := exec.Command("env", line...)
	c.Env, c.Dir = environ(ts), ts.Getenv("WORK")
	b, _ := c.Output() // how it ends does not matter
	return string(b)
}

// onlyReads says whether a command asks the program under test for what the owner has, which another process answers alike:
// the verb neither records nor sets up, and nothing of its line depends on a directory or on which program runs.
func onlyReads(ts *testscript.TestScript, line []string) bool {
	if line[0] != "journal" || !strings.HasPrefix(ts.Getenv("PATH"), filepath.Dir(program)+string(os.PathListSeparator)) {
		return false
	}
	c, words, err := cli.NewApp().Commands().Find(line[1:])
	if err != nil || c.ParseFlags(words) != nil {
		return false
	}
	verb := c
	for verb.GroupID == "" && verb.HasParent() {
		verb = verb.Parent()
	}
	flags := c.Flags()
	return slices.Contains([]string{cli.Daily, cli.Looking, cli.Caring}, verb.GroupID) &&
		flags.NArg() == 0 && !flags.Changed("dir") && !flags.Changed("project") && flags.Lookup("bin") == nil
}

// runHere gives what the program prints for a command line that needs no process of its own, and starts none.
func runHere(dir string, getenv func(string) string, line ...string) (stdout, stderr string, code int) {
	var out, errOut bytes.Buffer
	a := cli.NewApp()
	a.Dir, a.Out, a.Err, a.Pace = dir, &out, &errOut, pace
	a.Getenv = func(name string) string {
		if name == "JOURNAL_OWNER" {
			return "never-spawn"
		}
		return getenv(name)
	}
	code = a.Run(context.Background(), line)
	return out.String(), errOut.String(), code
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got := strconv.Itoa(code); got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

func lines(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: lines FILE N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	content := ts.ReadFile(args[0])
	if got := strings.Count(content, "\n"); (got == want) == neg {
		ts.Fatalf("%s has %d lines:\n%s", args[0], got, content)
	}
}
