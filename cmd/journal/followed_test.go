package main

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"journal/cmd/testkit/ptrace"
	"journal/cmd/testkit/testutil"
	"journal/embedded/service"
)

// What a re-executed test binary does when it is to be followed, each named by the file of its
// orders.
const (
	followVariable = "JOURNAL_TEST_FOLLOW" // follows actVariable
	actVariable    = "JOURNAL_TEST_ACT"    // runs a scene
)

func init() {
	children[followVariable] = follow
	children[actVariable] = act
}

// step is one thing that happens in a scene: a process of the program that is waited for, or
// something that is done to the directory or the owner.
type step struct {
	Hook     string   // the payload of a hook
	Args     []string // of another verb
	Stdin    string
	Env      []string // beside the world's
	Keeps    string   // word that the log holds once this has ended with 0
	Drops    string   // word that nothing holds once this has ended with 0
	Mark     string   // of the recording
	Kill     bool     // the owner
	Await    bool     // until archive and log hold the same
	Copy     string   // directory that is put in the journal directory's place
	Spoil    bool     // a byte in the middle of the store, and its clean marker away
	Appears  string   // file in the journal directory that is waited for
	Remove   string   // file or directory in the journal directory
	Together []step
}

// scenery marks that a scene changes the directory itself, until it says that this is durable.
const scenery = "scenery"

// scene is what happens in front of a follower.
type scene struct {
	Bin, Dir string
	Calls    []string
	Env      []string
	Steps    []step
	Results  string // file for what came of the steps
}

// said is what came of the process of one step.
type said struct {
	Out, Err string
	Code     int
}

// orders are those of the process that follows.
type orders struct {
	ptrace.Config
	Recording string // file for it
}

// mayFollow says why no process can be followed here.
var mayFollow = sync.OnceValue(ptrace.Available)

// followed lets a scene happen with all of its processes followed, and gives the recording, and what
// the steps said. When it ends no process of it is left.
func (w *world) followed(steps []step, plan ptrace.Plan, onlyMarks bool) (ptrace.Recording, []said) {
	w.Helper()
	if err := mayFollow(); err != nil {
		w.Skip("NOT RUN: processes cannot be followed here, so no disk failed below them: ", err)
	}
	tmp := w.TempDir()
	home, err := filepath.EvalSymlinks(filepath.Dir(w.dir))
	if err != nil {
		w.Fatal(err)
	}
	p := scene{Bin: w.bin, Dir: w.dir, Calls: w.calls, Env: w.env, Steps: steps, Results: filepath.Join(tmp, "results")}
	keep(w.Fatal, filepath.Join(tmp, "scene"), p)
	o := orders{Recording: filepath.Join(tmp, "recording"), Config: ptrace.Config{
		Root: home, Args: []string{os.Args[0]}, Env: append(w.env, actVariable+"="+filepath.Join(tmp, "scene")), Plan: plan, OnlyMarks: onlyMarks,
	}}
	keep(w.Fatal, filepath.Join(tmp, "orders"), o)
	c := exec.Command(os.Args[0])
	c.Env = append(w.env, followVariable+"="+filepath.Join(tmp, "orders"))
	if out, err := c.CombinedOutput(); err != nil {
		w.Fatalf("follow: %v\n%s", err, out)
	}
	return kept[ptrace.Recording](w.Fatal, o.Recording), kept[[]said](w.Fatal, p.Results)
}

// keep writes a file for another process of the test, and kept reads it. They end a process in
// which that fails.
func keep(fatal func(...any), path string, v any) {
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(gob.NewEncoder(f).Encode(v), f.Close())
	}
	if err != nil {
		fatal(err)
	}
}

func kept[T any](fatal func(...any), path string) (v T) {
	f, err := os.Open(path)
	if err == nil {
		err = errors.Join(gob.NewDecoder(f).Decode(&v), f.Close())
	}
	if err != nil {
		fatal(path, err)
	}
	return v
}

// broken ends a re-executed test binary.
func broken(why ...any) {
	fmt.Println(why...)
	os.Exit(1)
}

// follow is the process that follows.
func follow(path string) {
	o := kept[orders](broken, path)
	recording, code, err := ptrace.Run(o.Config)
	if err != nil || code != 0 {
		broken("the scene ends with", code, err)
	}
	keep(broken, o.Recording, recording)
}

// act is the process in which a scene happens.
func act(path string) {
	p := kept[scene](broken, path)
	if err := ptrace.Follow(); err != nil {
		broken(err)
	}
	results := make([]said, len(p.Steps))
	for i, s := range p.Steps {
		results[i] = p.do(fmt.Sprint(i), s)
	}
	keep(broken, p.Results, results)
}

// do makes one step. Its processes are marked with its name when they begin and when they have ended.
func (p scene) do(name string, s step) said {
	switch {
	case s.Mark != "":
		ptrace.Say(s.Mark)
	case s.Kill:
		if owner := p.status().Owner; owner != nil {
			ptrace.Say(ptrace.Kill + fmt.Sprint(owner.PID))
			testutil.Within(testutil.Patience, func() bool { return p.status().Owner == nil })
		}
	case s.Await:
		testutil.Within(testutil.Patience, func() bool { st := p.status(); return st.Owner == nil || st.Archived == st.LastSeq })
	case s.Copy != "":
		ptrace.Say(scenery)
		if err := os.CopyFS(p.Dir, os.DirFS(s.Copy)); err != nil {
			broken(err)
		}
		ptrace.Say(ptrace.Durable)
	case s.Spoil:
		ptrace.Say(scenery)
		if err := spoil(p.Dir); err != nil {
			broken(err)
		}
		ptrace.Say(ptrace.Durable)
	case s.Appears != "":
		testutil.Within(testutil.Patience, func() bool { _, err := os.Stat(filepath.Join(p.Dir, s.Appears)); return err == nil })
	case s.Remove != "":
		if err := os.RemoveAll(filepath.Join(p.Dir, s.Remove)); err != nil {
			broken(err)
		}
	case s.Together != nil:
		var all sync.WaitGroup
		for i, one := range s.Together {
			all.Go(func() { p.do(fmt.Sprintf("%s.%d", name, i), one) })
		}
		all.Wait()
	default:
		return p.process(name, s)
	}
	return said{}
}

func (p scene) process(name string, s step) said {
	line, in := append([]string{p.Bin}, s.Args...), s.Stdin
	if s.Hook != "" {
		line, in = append(p.Calls[:len(p.Calls):len(p.Calls)], claude...), s.Hook
	}
	c := exec.Command(line[0], line[1:]...)
	c.Env = append(p.Env[:len(p.Env):len(p.Env)], s.Env...)
	var out, errOut strings.Builder
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(in), &out, &errOut
	ptrace.Say("began " + name)
	_ = c.Run() // the code says it
	ptrace.Say(fmt.Sprintf("ended %s %d", name, c.ProcessState.ExitCode()))
	return said{Out: out.String(), Err: errOut.String(), Code: c.ProcessState.ExitCode()}
}

// status is what the program says of the journal; nothing when it cannot.
func (p scene) status() (s service.Status) {
	c := exec.Command(p.Bin, "status", "--json")
	c.Env = p.Env
	out, _ := c.Output()
	_ = json.Unmarshal(out, &s)
	return s
}

// spoil changes a byte in the middle of a store, which counts as not closed cleanly then.
func spoil(dir string) error {
	found, err := filepath.Glob(filepath.Join(dir, "store", "jetstream", "*", "streams", "*", "msgs", "*.blk"))
	if err != nil || len(found) == 0 {
		return fmt.Errorf("no block in %s: %w", dir, err)
	}
	f, err := os.OpenFile(found[0], os.O_RDWR, 0)
	if err != nil {
		return err
	}
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte("?!"), fi.Size()/2)
	return errors.Join(err, f.Close(), os.Remove(filepath.Join(dir, "clean")))
}
