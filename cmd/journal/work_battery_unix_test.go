//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/testkit/testutil"

	"golang.org/x/sys/unix"
)

// workBattery runs tasks while the runner is killed again and again.
type workBattery struct {
	*world
	project string
	chance  *rand.Rand
	ended   map[string]int // how often a finished task had begun when its runner was dead
}

// A run that is killed at random moments and resumed: no process of a worker is left two seconds
// after a kill, and no finished task runs again (S4.7). A task is finished when its outcome was
// acknowledged: then the runner says so. One that was killed before may have two in the log.
func TestS4_7WorkBattery(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ps"); err != nil {
		t.Skip("there is no ps")
	}
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("JOURNAL_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("JOURNAL_SEED=%d", seed)
	b := &workBattery{world: newWorld(t), project: t.TempDir(), chance: rand.New(rand.NewPCG(seed, 0))}
	b.write("worker.sh", `id=${1%% *}
echo "$id $$" >> begun
printf 'half of %s' "$id"
[ "$2" = 8 ] && ! [ -e calm ] && mkdir "slow.$id" 2>&- && sleep 10 # the first time
sleep 0.0$2
[ ${#1} -gt 6000 ] && { echo; echo "Prompt is too long"; exit 1; }
exit 0
`)
	for kills := tortured(t, 8); kills > 0; {
		b.ended = map[string]int{}
		kills = b.play(b.planned(), kills)
	}
}

func (b *workBattery) write(name, text string) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(b.project, name), []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
}

// play brings one run to its end in spite of at most so many kills, and gives how many are left. n
// is how many runs there were.
func (b *workBattery) play(n, kills int) int {
	b.Helper()
	const tasks = 40
	var list bytes.Buffer
	for i := range tasks {
		prompt := fmt.Sprintf("task%d.%d", n, i)
		if i%5 == 0 {
			prompt += " " + strings.Repeat("모두 고쳐 주세요. ", 700) // phase 2 helps
		}
		doc := map[string]any{
			"id": strings.Fields(prompt)[0], "prompt": prompt,
			"command": []string{"sh", "worker.sh", "{prompt}", strconv.Itoa(1 + b.chance.IntN(8))},
		}
		if err := json.NewEncoder(&list).Encode(doc); err != nil {
			b.Fatal(err)
		}
	}
	b.write("tasks.jsonl", list.String())
	b.write("begun", "")
	verb := []string{"work", "run", "tasks.jsonl", "--recover", "--workers", "4", "--json"}
	for ; ; verb = []string{"work", "resume", "--json"} {
		if kills == 0 {
			b.write("calm", "")
		}
		c := b.command(verb...)
		var out, errOut bytes.Buffer
		c.Dir, c.Stdout, c.Stderr = b.project, &out, &errOut
		if err := c.Start(); err != nil {
			b.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- c.Wait() }()
		moment := make(<-chan time.Time)
		if kills > 0 {
			moment = time.After(time.Duration(b.chance.IntN(400)) * time.Millisecond)
		}
		select {
		case err := <-done:
			if err != nil {
				b.Fatalf("%v ends with %v: %s", verb, err, &errOut)
			}
			b.note(errOut.String())
			b.check(tasks, out.Bytes())
			return kills
		case <-moment:
		}
		kills--
		if b.chance.IntN(4) == 0 {
			b.killGuardian(c.Process.Pid)
		}
		_ = c.Process.Kill() // it may have ended
		<-done
		b.nobodyLeft()
		b.note(errOut.String())
		if b.planned() == n { // it died before there was a run
			return kills
		}
	}
}

// planned is how many runs the log knows.
func (b *workBattery) planned() int {
	out, _, _ := b.runIn(b.project, "log", "--type", "work.planned", "--json")
	return strings.Count(out, "\n")
}

// killGuardian kills the guardian of a runner; when that lives on, it has another one soon.
func (b *workBattery) killGuardian(runner int) {
	guardian := func() int {
		for _, p := range processes(b.T) {
			if p.parent == runner && strings.Contains(p.args, "work guard") {
				return p.pid
			}
		}
		return 0
	}
	old := guardian()
	if old == 0 {
		return
	}
	_ = unix.Kill(old, unix.SIGKILL)
	testutil.Within(time.Second, func() bool { now := guardian(); return now != 0 && now != old || unix.Kill(runner, 0) != nil })
}

// nobodyLeft fails unless every worker's group is gone two seconds after a kill.
func (b *workBattery) nobodyLeft() {
	b.Helper()
	groups := map[int]bool{}
	for _, fields := range b.begun() {
		pid, err := strconv.Atoi(fields[1])
		if err != nil {
			b.Fatal(err)
		}
		groups[pid] = true
	}
	var left []process
	gone := func() bool {
		left = nil
		for _, p := range processes(b.T) {
			if groups[p.group] && !strings.HasPrefix(p.state, "Z") {
				left = append(left, p)
			}
		}
		return len(left) == 0
	}
	if !testutil.Within(2*time.Second, gone) {
		b.Fatalf("two seconds after the kill there are %v", left)
	}
}

// begun gives the lines that workers wrote when they began: task and pid. The last may be cut.
func (b *workBattery) begun() (all [][]string) {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.project, "begun"))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 && strings.HasSuffix(line, "\n") {
			all = append(all, f)
		}
	}
	return all
}

// finished gives how often each finished task had an outcome in the log.
func (b *workBattery) finished() map[string]int {
	b.Helper()
	var out string
	testutil.Eventually(b, "the log can be read", func() bool { // an owner may give up on a busy machine, and another starts
		said, errOut, code := b.runIn(b.project, "log", "--type", "work.finished", "--json")
		out = said
		return code == cli.ExitOK || strings.Contains(errOut, "no journal")
	})
	times := map[string]int{}
	for line := range strings.Lines(out) {
		var e struct{ Data struct{ Task string } }
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Data.Task == "" {
			b.Fatalf("%v: %s", err, line)
		}
		times[e.Data.Task]++
	}
	return times
}

// note remembers how often tasks had begun that a runner said were finished, or the log says; none of
// them may begin again.
func (b *workBattery) note(said string) {
	b.Helper()
	begins := map[string]int{}
	for _, f := range b.begun() {
		begins[f[0]]++
	}
	for task, n := range b.ended {
		if begins[task] != n {
			b.Errorf("%s was finished, and began again: %d times, then %d", task, n, begins[task])
		}
	}
	for line := range strings.Lines(said) {
		task, what, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if what == "done" || strings.HasPrefix(what, "recovered") {
			b.ended[task] = begins[task]
		}
	}
	for task := range b.finished() {
		if begins[task] > 0 {
			b.ended[task] = begins[task]
		}
	}
}

// check looks at a run that came to its end.
func (b *workBattery) check(tasks int, out []byte) {
	b.Helper()
	b.nobodyLeft()
	var doc struct {
		Results []struct {
			ID, Output         string
			Success, Recovered bool
			PartialResults     []struct{ Output string }
		}
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	if len(doc.Results) != tasks {
		b.Fatalf("%d results of %d tasks", len(doc.Results), tasks)
	}
	finished := b.finished()
	for i, r := range doc.Results {
		if !r.Success || r.Recovered != (i%5 == 0) || !strings.HasPrefix(r.Output, "half of "+r.ID) || finished[r.ID] == 0 {
			b.Errorf("%d outcomes of %+v", finished[r.ID], r)
		}
		if r.Recovered && len(r.PartialResults) < 2 {
			b.Errorf("of %s only %v is left", r.ID, r.PartialResults)
		}
	}
}

// process is one process of this machine.
type process struct {
	pid, parent, group int
	state, args        string
}

func processes(t *testing.T) (all []process) {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,pgid=,stat=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		var p process
		for i, to := range []*int{&p.pid, &p.parent, &p.group} {
			if *to, err = strconv.Atoi(f[i]); err != nil {
				t.Fatal(err)
			}
		}
		p.state, p.args = f[3], strings.Join(f[4:], " ")
		all = append(all, p)
	}
	return all
}
