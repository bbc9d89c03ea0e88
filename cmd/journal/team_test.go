package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
)

// TestTeam runs testdata/team/*.txtar as TestScripts does, with a hub beside:
//
//	hub ports NAME...       each variable gets the free ports of a node
//	hub start|stop DIR
//	hub forge DIR NAME      puts where NAME shares something that NAME did not sign
//	gone TEXT DIR           no file below DIR holds TEXT any more
//	device DIR              this is the machine with this journal directory from here on
func TestTeam(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "team"),
		Setup: func(env *testscript.Env) error {
			env.Values[hubsKey{}] = &sync.Map{}
			return setUpScript(env)
		},
		UpdateScripts: *updateScripts,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"json": member, "until": until, "exits": exits, "told": told, "hub": runHub, "gone": gone, "device": device, "play": play,
			"garbage": garbage,
		},
	})
}

type hubsKey struct{}

// scriptTB lets a script use what tests use.
type scriptTB struct {
	testing.TB // nil: what is not below is not called
	ts         *testscript.TestScript
}

func (scriptTB) Helper()                          {}
func (scriptTB) Context() context.Context         { return context.Background() }
func (s scriptTB) Cleanup(f func())               { s.ts.Defer(f) }
func (s scriptTB) Fatal(args ...any)              { s.ts.Fatalf("%s", fmt.Sprint(args...)) }
func (s scriptTB) Fatalf(format string, a ...any) { s.ts.Fatalf(format, a...) }

func runHub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: hub ports NAME... | hub start|stop DIR | hub forge DIR NAME")
	}
	t := scriptTB{ts: ts}
	if args[0] == "ports" {
		for _, name := range args[1:] {
			ts.Setenv(name, hubtest.Ports(t))
		}
		return
	}
	hubs := ts.Value(hubsKey{}).(*sync.Map)
	var h *hubtest.Hub
	if known, ok := hubs.Load(args[1]); ok {
		h = known.(*hubtest.Hub)
	} else {
		h = hubtest.Open(t, ts.MkAbs(args[1]))
		hubs.Store(args[1], h)
	}
	switch args[0] {
	case "start":
		h.Start(t)
	case "stop":
		h.StopAll()
	case "forge":
		in, err := team.ReadMember(filepath.Join(h.Dir, args[2]+".invitation"))
		mustDo(t, err)
		hubtest.Forge(t, in)
	default:
		ts.Fatalf("hub %s is unknown", args[0])
	}
}

// gone waits until no file below a directory holds a text.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: gone TEXT DIR")
	}
	var found []string
	ok := testutil.Within(testutil.Patience, func() bool {
		found = holding(scriptTB{ts: ts}, ts.MkAbs(args[1]), args[0])
		return (len(found) == 0) != neg
	})
	if !ok {
		ts.Fatalf("%q is in %s", args[0], found)
	}
}

// holding lists the files below a directory that hold a text, as it is or compressed.
func holding(t testing.TB, dir, text string) []string {
	t.Helper()
	found, err := testutil.Holding(dir, text)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// device goes on as another machine, whose owner is stopped when the script ends.
func device(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: device DIR")
	}
	ts.Setenv("JOURNAL_DIR", ts.MkAbs(args[0]))
	dir := ts.MkAbs(args[0])
	ts.Defer(func() {
		ts.Setenv("JOURNAL_DIR", dir)
		_ = ts.Exec(program, "stop") // there may be none
	})
}

func mustDo(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
