//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"journal/cmd/journal/cli"
	"journal/cmd/testkit/powercut"
	"journal/cmd/testkit/ptrace"
	"journal/cmd/testkit/testutil"
)

// prompted is a hook of a prompt that the log keeps once the hook has ended.
func prompted(session, word string, more ...string) step {
	return step{Hook: prompt(session, word+" "+strings.Join(more, " ")), Keeps: word}
}

// promptedTimes is prompted, with numbers.
func promptedTimes(session, word string, n int) (all []step) {
	for i := range n {
		all = append(all, prompted(session, fmt.Sprint(word, "-", i, ".")))
	}
	return all
}

// compacts are the hooks of one compaction.
func compacts(session string) []step {
	hook := func(event, more string) step {
		return step{Hook: fmt.Sprintf(`{"session_id":%q,"hook_event_name":%q,"cwd":"/"%s}`, session, event, more)}
	}
	return []step{
		hook("PreCompact", `,"trigger":"auto"`),
		hook("SessionStart", `,"source":"compact"`), // is answered
		hook("PostCompact", `,"trigger":"auto","compact_summary":"what was"`),
	}
}

// claim stands for the event that a recovery text was given.
const claim = "recovery.sent"

var (
	stops   = step{Args: []string{"stop"}}
	reads   = step{Args: []string{"log", "--json"}}
	alone   = []string{"JOURNAL_OWNER=never-spawn"}
	spooled = func(s []step) []step { // without an owner, and none that starts
		s = slices.Clone(s)
		for i := range s {
			s[i].Env = alone
		}
		return s
	}
)

// powerCuts are what happens before the power goes. Each has its own way to the disk. It is made when
// it is wanted: the programs of all tests are this one, and begin with its variables.
var powerCuts = sync.OnceValue(func() map[string][]step {
	return map[string][]step{
		"hooks with an owner": slices.Concat(promptedTimes("s1", "first", 4), []step{{Together: promptedTimes("s2", "together", 5)}}, compacts("s1"), promptedTimes("s1", "after", 3)),
		"spool and drain":     slices.Concat(spooled(promptedTimes("s1", "waits", 6)), []step{{Together: spooled(promptedTimes("s2", "beside", 4))}, reads}, promptedTimes("s1", "behind", 3)),
		"readers own the log": spooled(slices.Concat(promptedTimes("s1", "waits", 3), []step{reads}, promptedTimes("s1", "again", 3), []step{reads})),
		"clean stops":         slices.Concat(promptedTimes("s1", "first", 2), []step{stops}, promptedTimes("s1", "second", 2), []step{{Await: true}, stops}, promptedTimes("s1", "third", 2), []step{stops, reads}),
		"killed owners":       slices.Concat(promptedTimes("s1", "first", 3), []step{{Kill: true}}, promptedTimes("s1", "second", 3), []step{{Await: true}, {Kill: true}}, promptedTimes("s1", "third", 2)),
		"verbs":               {prompted("s1", "first."), {Args: []string{"decide", "--session", "s1", "keep-decision."}, Keeps: "keep-decision."}, {Args: []string{"append", "decision.recorded", "--data", `{"text":"keep-append."}`}, Keeps: "keep-append."}, stops, {Args: []string{"note", "--session", "s1", "keep-note."}, Keeps: "keep-note."}},
		"damage is mended":    slices.Concat(promptedTimes("s1", "first", 6), []step{{Await: true}, stops, {Spoil: true}}, promptedTimes("s1", "second", 3), []step{{Await: true}, stops}),
		"forget":              slices.Concat(promptedTimes("s1", "stays", 3), []step{prompted("s2", "secretword"), {Await: true}, {Args: []string{"forget", "--match", "secretword", "--yes"}, Drops: "secretword"}}, promptedTimes("s1", "later", 3), []step{stops}),
		"import":              {prompted("s1", "first."), {Args: []string{"import", filepath.Join("..", "..", "journal", "agents", "claude", "testdata", "transcripts", "session.jsonl")}, Keeps: "次はゼロ値です"}, prompted("s1", "second."), stops},
		"big": slices.Concat(func() (all []step) {
			for i := range 30 { // beyond a block and a segment
				all = append(all, prompted("s1", fmt.Sprint("big-", i, "."), testutil.Words(uint64(i), 400<<10)))
			}
			return all
		}(), []step{stops}, promptedTimes("s1", "small", 2)),
	}
})

// The power is cut at every sync of what the program does, and between them, and of what was not
// synced a part survives that chance draws: afterwards the directory opens, every event is in the
// log whose hook had ended, each once, and what was forgotten is not (J.1).
func TestPowerCutBattery(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(powerCuts())) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHome(t)
			w.keepsTime()
			steps := powerCuts()[name]
			recording, said := w.followed(steps, ptrace.Plan{}, false)
			steps = slices.Clone(steps)
			for i, s := range said {
				if s.Code != 0 {
					t.Errorf("step %d ends with %d: %s", i, s.Code, s.Err)
				}
				if s.Out != "" && strings.Contains(steps[i].Hook, `"compact"`) {
					steps[i].Keeps = claim // it is recorded before it is said
				}
			}
			c := &cuts{world: w, ops: recording.Ops, steps: steps}
			c.matches()
			c.all(tortured(t, 0) > 0)
		})
	}
}

// A hub has its keys, and who joined is a member of the same device, after any power cut.
func TestTeamFilesOutliveAPowerCut(t *testing.T) {
	t.Parallel()
	w := newHome(t)
	hub := filepath.Join(filepath.Dir(w.dir), "hub")
	var steps []step
	for _, args := range [][]string{
		{"init", hub, "--name", "acme", "--node", "127.0.0.1:4222:6222", "--plain"}, {"invite", "alice", "--hub", hub},
		{"join", filepath.Join(hub, "alice.invitation")}, {"project", "doors", "--project", "web"},
	} {
		steps = append(steps, step{Args: append([]string{"team"}, args...)})
	}
	cut := w.afterCuts(steps)
	want := tree(t, filepath.Dir(w.dir))
	for luck, got := range cut {
		for _, name := range []string{
			"j/team/member.json", "j/team/device", "j/team/projects.json", "hub/hub.json", "hub/accounts.conf", "hub/node-1.conf", "hub/alice.invitation",
		} {
			if path := "/" + name; want[path] == "" || got[path] != want[path] {
				t.Errorf("luck %s: %s is %.20q", powercut.Luck(luck), name, got[path])
			}
		}
	}
}

// What a person has paused or resumed is so after any power cut, a run that began can be resumed, and hooks that were
// installed find the program.
func TestVerbsOutliveAPowerCut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps  []step
		path   string
		exists bool
	}{
		"pause":   {[]step{{Args: []string{"pause"}}}, "/j/paused/=all", true},
		"resume":  {[]step{{Args: []string{"pause"}}, {Args: []string{"resume"}}}, "/j/paused/=all", false},
		"install": {[]step{{Args: []string{"install", "--agent", "claude", "--client-version", "2.1.329", "--yes"}}}, "/j/program", true},
		"run":     {[]step{{Args: []string{"work", "run", "-", "--command", "true"}, Stdin: `{"id":"a"}`}}, "/run.json", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHome(t)
			for luck, got := range w.afterCuts(append([]step{prompted("s1", "first.")}, c.steps...)) {
				exists := slices.ContainsFunc(slices.Collect(maps.Keys(got)), func(path string) bool { return strings.HasSuffix(path, c.path) })
				if exists != c.exists {
					t.Errorf("luck %s: %s is there: %t", powercut.Luck(luck), c.path, exists)
				}
			}
		})
	}
}

// afterCuts lets steps happen, and gives the files that are left when the power is cut behind them, by luck.
func (w *world) afterCuts(steps []step) (all []map[string]string) {
	w.Helper()
	recording, said := w.followed(steps, ptrace.Plan{}, false)
	for _, s := range said {
		if s.Code != 0 {
			w.Fatal(s.Err)
		}
	}
	for luck := range powercut.Lucks {
		d, dir := powercut.New(), w.TempDir()
		for _, op := range recording.Ops {
			d.Do(op)
		}
		if err := d.Cut(dir, luck, rand.New(rand.NewPCG(1, 0))); err != nil {
			w.Fatal(err)
		}
		all = append(all, tree(w, dir))
	}
	return all
}

// cuts are those of one recording.
type cuts struct {
	*world
	ops   []ptrace.Op
	steps []step
	tmp   string

	tried, states, damaged int
}

// matches fails unless the recording gives the directory as it is, or nothing else that is found out
// here would mean anything.
func (c *cuts) matches() {
	c.Helper()
	d, dir := powercut.New(), c.TempDir()
	for _, op := range c.ops {
		d.Do(op)
	}
	if err := d.Cut(dir, powercut.All, rand.New(rand.NewPCG(0, 0))); err != nil {
		c.Fatal(err)
	}
	got, want := tree(c, dir), tree(c, filepath.Dir(c.dir))
	for name := range want {
		if got[name] != want[name] {
			c.Errorf("%s: the recording has %d bytes, the disk %d, or others", name, len(got[name]), len(want[name]))
		}
	}
	for name := range got {
		if _, there := want[name]; !there {
			c.Errorf("%s is not on the disk", name)
		}
	}
}

// tree is the content of all files below a directory.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// all cuts at the boundaries of the recording with every luck, or else at a few of them with one.
func (c *cuts) all(every bool) {
	c.tmp = c.TempDir()
	chance := rand.New(rand.NewPCG(seedOf(c), 0))
	var places []int
	ours := false // what a scene does itself is not cut
	for at, op := range c.ops {
		if was := ours; op.Kind == ptrace.Mark || was {
			if ours = op.Name == scenery || was && op.Name != ptrace.Durable; was && !ours {
				places = append(places, at+1)
			}
			if was || ours {
				continue
			}
		}
		if op.Kind == ptrace.Sync || op.Kind == ptrace.Rename || op.Kind == ptrace.Mark || op.Kind == ptrace.Remove {
			places = append(places, at, at+1) // before it and after it
		}
	}
	places = slices.Compact(places)
	if !every {
		chance.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
		places = places[:min(len(places), 2)]
	}
	seen := map[string]bool{}
	for _, at := range places {
		for luck := range powercut.Lucks {
			if !every {
				luck = powercut.Luck(chance.IntN(int(powercut.Lucks)))
			}
			c.one(at, luck, chance.Uint64(), seen)
			if !every {
				break
			}
		}
	}
	c.Logf("%d cuts, %d states, %d of them damaged", c.tried, c.states, c.damaged)
}

// one cuts before the at-th call and looks at what is left.
func (c *cuts) one(at int, luck powercut.Luck, seed uint64, seen map[string]bool) {
	c.Helper()
	c.tried++
	d, dir := powercut.New(), filepath.Join(c.tmp, fmt.Sprintf("%d-%s-%d", at, luck, seed))
	for _, op := range c.ops[:at] {
		d.Do(op)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		c.Fatal(err)
	}
	if err := d.Cut(dir, luck, rand.New(rand.NewPCG(seed, 0))); err != nil {
		c.Fatal(err)
	}
	defer os.RemoveAll(dir)
	keeps, drops := c.acknowledged(at)
	state := fmt.Sprint(tree(c, dir), keeps, drops)
	if seen[state] {
		return
	}
	seen[state] = true
	c.states++
	w := &world{T: c.T, bin: c.bin, calls: c.calls, dir: filepath.Join(dir, "j")}
	for _, v := range c.env {
		if !strings.HasPrefix(v, "HOME=") && !strings.HasPrefix(v, "JOURNAL_DIR=") {
			w.env = append(w.env, v)
		}
	}
	w.env = append(w.env, "HOME="+dir, "JOURNAL_DIR="+w.dir, alone[0])
	if problem := c.judge(w, keeps, drops); problem != "" {
		c.Errorf("cut before call %d, luck %s, seed %d: %s", at, luck, seed, problem)
		if os.Getenv("JOURNAL_KEEP") != "" {
			_ = os.CopyFS(os.Getenv("JOURNAL_KEEP"), os.DirFS(dir))
		}
	}
}

// acknowledged gives the words that a log has to hold after a number of calls, and those that nothing
// may hold.
func (c *cuts) acknowledged(at int) (keeps, drops []string) {
	byName := map[string]step{}
	for i, s := range c.steps {
		byName[fmt.Sprint(i)] = s
		for j, s := range s.Together {
			byName[fmt.Sprintf("%d.%d", i, j)] = s
		}
	}
	began := map[string]bool{}
	for _, op := range c.ops[:at] {
		var name string
		var code int
		if op.Kind != ptrace.Mark {
			continue
		}
		if _, err := fmt.Sscanf(op.Name, "began %s", &name); err == nil && byName[name].Drops != "" {
			began[byName[name].Drops] = true
		}
		if _, err := fmt.Sscanf(op.Name, "ended %s %d", &name, &code); err != nil || code != 0 {
			continue
		}
		if word := byName[name].Keeps; word != "" {
			keeps = append(keeps, word)
		}
		if word := byName[name].Drops; word != "" {
			drops = append(drops, word)
		}
	}
	return slices.DeleteFunc(keeps, func(word string) bool { return began[word] }), drops
}

// judge says what is wrong with a directory after a cut.
func (c *cuts) judge(w *world, keeps, drops []string) string {
	out, errOut, code := w.run("", "log", "--json", "--echoes")
	if code != 0 && !(len(keeps) == 0 && strings.Contains(errOut, "there is no journal")) {
		return fmt.Sprintf("log ends with %d: %s%s", code, errOut, w.logFile())
	}
	ids, words := map[string]bool{}, map[string]int{}
	for line := range strings.Lines(out) {
		var e logged
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return fmt.Sprintf("%v in %s", err, line)
		}
		if ids[e.ID] {
			return fmt.Sprintf("#%d %s is in the log twice", e.Seq, e.ID)
		}
		ids[e.ID] = true
		text, _ := e.Data["text"].(string)
		word, _, _ := strings.Cut(text, " ")
		words[word]++
		if e.Type == claim {
			words[claim]++
		}
	}
	for _, word := range keeps {
		if words[word] != 1 {
			return fmt.Sprintf("%s is acknowledged and %d times in the log; %d acknowledged, %d lines\n%s", word, words[word], len(keeps), len(ids), w.logFile())
		}
	}
	for _, word := range drops {
		for name, content := range tree(c, w.dir) {
			if strings.Contains(content, word) {
				return fmt.Sprintf("%s is forgotten and in %s", word, name)
			}
		}
	}
	if code != 0 {
		return ""
	}
	switch out, errOut, code := w.run("", "verify"); code {
	case cli.ExitOK:
	case cli.ExitDamage:
		c.damaged++
		c.Logf("verify: %s", out)
	default:
		return fmt.Sprintf("verify ends with %d: %s", code, errOut)
	}
	return ""
}

// seedOf is JOURNAL_SEED, or a new one.
func seedOf(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if _, err := fmt.Sscan(os.Getenv("JOURNAL_SEED"), &seed); err != nil {
		t.Logf("JOURNAL_SEED=%d", seed)
	}
	return seed
}
