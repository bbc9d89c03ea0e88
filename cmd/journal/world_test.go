package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"journal/cmd/testkit/testutil"
	"journal/embedded/service"
	"journal/embedded/store/ownership"
)

// world is one user: a home with a journal directory, and the real program.
type world struct {
	*testing.T
	bin, dir string
	calls    []string // what agents call: the carrier, or journal and its verb
	env      []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := newHome(t)
	t.Cleanup(func() {
		testutil.Eventually(t, "no owner is left", func() bool {
			switch {
			case !ownership.Held(w.dir):
			case w.bin == program:
				_ = service.Stop(context.Background(), w.dir)
			default:
				w.run("", "stop")
			}
			return !ownership.Held(w.dir) && !isStarting(w.dir)
		})
		noRaces(t, w.logFile())
	})
	return w
}

// isStarting says, where there is /proc, whether a process is the owner of a directory or is to become it: one that a hook started
// may come after the owner was stopped.
func isStarting(dir string) bool {
	proc, err := os.Open("/proc")
	if err != nil {
		return false
	}
	defer proc.Close()
	all, _ := proc.Readdirnames(-1)
	return slices.ContainsFunc(all, func(pid string) bool {
		if pid[0] < '1' || pid[0] > '9' {
			return false
		}
		line, _ := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
		return bytes.Contains(line, []byte("\x00owner\x00")) && bytes.Contains(line, []byte("\x00--dir\x00"+dir+"\x00"))
	})
}

// newHome is a world in which no owner starts.
func newHome(t *testing.T) *world {
	t.Helper()
	home := t.TempDir()
	return &world{T: t, bin: program, calls: []string{small}, dir: filepath.Join(home, "j"), env: []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C", "JOURNAL_COMMAND=journal", "JOURNAL_DIR=" + filepath.Join(home, "j"), "JOURNAL_IDLE=60s",
	}}
}

// keepsTime lets the budgets of the processes from now on last as long as they say.
func (w *world) keepsTime() { w.env = append(w.env, ownPace+"=1") }

// takesTime undoes keepsTime.
func (w *world) takesTime() { w.env = append(w.env, ownPace+"=") }

// budgets has them written down, and gives those of a process so far, in the order
// in which it began to spend them.
func (w *world) budgets() (of func(*os.Process) []time.Duration) {
	w.Helper()
	dir := w.TempDir()
	w.env = append(w.env, budgetsVariable+"="+dir)
	return func(p *os.Process) (all []time.Duration) {
		w.Helper()
		b, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(p.Pid)))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			w.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			d, err := time.ParseDuration(strings.TrimSpace(line))
			if err != nil {
				w.Fatal(err)
			}
			all = append(all, d)
		}
		return all
	}
}

// noRaces fails the test when a process of the world reported a data race.
func noRaces(t testing.TB, log string) {
	t.Helper()
	if strings.Contains(log, "DATA RACE") {
		t.Errorf("a data race:\n%s", log)
	}
}

// command makes a process of the program.
func (w *world) command(args ...string) *exec.Cmd {
	c := exec.Command(w.bin, args...)
	c.Env = w.env
	return c
}

// use makes the world run the programs of a directory from now on.
func (w *world) use(dir string) {
	w.bin, w.calls = filepath.Join(dir, "journal"), []string{filepath.Join(dir, "journal-hook")}
}

// hooks makes a process for one hook.
func (w *world) hooks(args ...string) *exec.Cmd {
	c := exec.Command(w.calls[0], append(w.calls[1:len(w.calls):len(w.calls)], args...)...)
	c.Env = w.env
	return c
}

// run runs the program and gives its stdout.
func (w *world) run(stdin string, args ...string) (stdout, stderr string, code int) {
	return w.exec(w.command(args...), stdin)
}

// here is run in this process, for verbs that start nothing and are no agent's.
func (w *world) here(args ...string) (stdout, stderr string, code int) {
	return runHere(w.dir, func(name string) string {
		for _, v := range slices.Backward(w.env) {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}, args...)
}

func (w *world) exec(c *exec.Cmd, stdin string) (stdout, stderr string, code int) {
	var out, errOut bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &errOut
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		w.Fatal(err)
	}
	return out.String(), errOut.String(), c.ProcessState.ExitCode()
}

// hook runs one hook, which has to end with 0 and silent stderr.
func (w *world) hook(payload string) string {
	w.Helper()
	out, errOut, code := w.exec(w.hooks(claude...), payload)
	if code != 0 || errOut != "" {
		w.Errorf("hook ends with %d, stderr %q", code, errOut)
	}
	return out
}

// play plays a stream through hooks, each line n times, in a row or at once.
func (w *world) play(stream string, n int, atOnce bool) (answers []string) {
	w.Helper()
	f, err := os.Open(stream)
	if err != nil {
		w.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		line := lines.Text()
		outs := make([]string, n)
		var wg sync.WaitGroup
		for i := range n {
			one := func() { outs[i] = w.hook(line) }
			if atOnce {
				wg.Go(one)
			} else {
				one()
			}
		}
		wg.Wait()
		for _, o := range outs {
			if o != "" {
				answers = append(answers, o)
			}
		}
	}
	if err := lines.Err(); err != nil {
		w.Fatal(err)
	}
	return answers
}

// logged is one event as `journal log --json` prints it.
type logged struct {
	ID      string
	Seq     uint64
	Type    string
	Session string
	Cause   string
	EchoOf  uint64 `json:"echo_of"`
	Data    map[string]any
}

// events are those of the log, echoes with them, by their place.
func (w *world) events(args ...string) (all []logged) {
	w.Helper()
	out, errOut, code := w.run("", append([]string{"log", "--json", "--echoes"}, args...)...)
	if code != 0 {
		w.Fatalf("log ends with %d: %s", code, errOut)
	}
	for line := range strings.Lines(out) {
		var e logged
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			w.Fatalf("%v in %s", err, line)
		}
		all = append(all, e)
	}
	return all
}

// prompts are the texts of the prompts in the log, by their place.
func (w *world) prompts(args ...string) (all []string) {
	w.Helper()
	for _, e := range w.events(append([]string{"--type", "prompt.submitted"}, args...)...) {
		text, _ := e.Data["text"].(string)
		all = append(all, text)
	}
	return all
}

// prompt is the payload of a prompt.
func prompt(session, text string) string {
	b, err := json.Marshal(map[string]string{
		"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": text, "cwd": "/",
	})
	if err != nil {
		panic(err) // strings can be encoded
	}
	return string(b)
}

// once fails unless the prompts 0 to n-1 are in the log, in this order, each once.
func (w *world) once(n int) {
	w.Helper()
	ids := map[string]bool{}
	var texts []string
	for _, e := range w.events("--type", "prompt.submitted") {
		if ids[e.ID] {
			w.Errorf("event %s is in the log twice", e.ID)
		}
		ids[e.ID] = true
		texts = append(texts, e.Data["text"].(string))
	}
	var want []string
	for i := range n {
		want = append(want, fmt.Sprint(i))
	}
	if got := strings.Join(texts, " "); got != strings.Join(want, " ") {
		w.Errorf("prompts %q, want %q", got, want)
	}
}

// status is what `journal status --json` tells.
func (w *world) status() (doc service.Status) {
	w.Helper()
	if w.bin == program { // what the program would say, without a process for each look
		return service.ReadStatus(context.Background(), w.dir)
	}
	out, errOut, _ := w.run("", "status", "--json")
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		w.Fatalf("%v: %s%s", err, out, errOut)
	}
	return doc
}

// owner is the process that owns the log, which has to run.
func (w *world) owner() *os.Process {
	w.Helper()
	var pid int
	testutil.Eventually(w.T, "an owner", func() bool {
		s := w.status()
		if s.Owner != nil {
			pid = s.Owner.PID
		}
		return s.Owner != nil
	})
	p, err := os.FindProcess(pid)
	if err != nil {
		w.Fatal(err)
	}
	return p
}

// idle is the owner once it has stored all that was said: nothing waits in the spool, behind
// which nobody would ask it.
func (w *world) idle() *os.Process {
	w.Helper()
	p := w.owner()
	testutil.Eventually(w.T, "the spool is empty", func() bool { return w.spooled() == 0 })
	return p
}

// logFile is what the program said of its troubles.
func (w *world) logFile() string {
	w.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, "journal.log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.Error(err)
	}
	return string(b)
}

// spooled is how many reports wait in the spool.
func (w *world) spooled() int {
	w.Helper()
	names, err := filepath.Glob(filepath.Join(w.dir, "spool", "*.ev"))
	if err != nil {
		w.Fatal(err)
	}
	return len(names)
}

// states gives the states of a session without what depends on places and times.
func (w *world) states(session string) map[string]any {
	w.Helper()
	out, errOut, code := w.run("", "replay", "--session", session, "--json")
	if code != 0 {
		w.Fatalf("replay ends with %d: %s", code, errOut)
	}
	var doc struct{ States map[string]any }
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		w.Fatal(err)
	}
	return placeless(doc.States).(map[string]any)
}

func placeless(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			if k == "seq" || k == "at" || strings.HasSuffix(k, "_seq") || strings.HasSuffix(k, "_at") || k == "id" {
				delete(v, k)
				continue
			}
			v[k] = placeless(v[k])
		}
	case []any:
		for i := range v {
			v[i] = placeless(v[i])
		}
	}
	return v
}
