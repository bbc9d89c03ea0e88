package main

import (
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// updateScripts writes the goldens of scripts anew; read them then as the agent that is
// given them.
var updateScripts = flag.Bool("update", false, "write the golden texts of scripts")

// standsForAgent makes a process live until its stdin ends: it stands for an agent's.
const standsForAgent = "JOURNAL_TEST_AGENT"

func init() {
	children[standsForAgent] = func(string) { _, _ = io.Copy(io.Discard, os.Stdin) }
}

// agentProcesses are the processes that stand for agents in all scripts, by their ids.
var agentProcesses sync.Map // string to *exec.Cmd

// agent lets a process begin that stands for the agent's, whose id $CLAUDE_PID is then,
// or kills it.
func agent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || args[0] != "begins" && args[0] != "crashes" {
		ts.Fatalf("usage: agent begins|crashes")
	}
	if args[0] == "crashes" {
		c, ok := agentProcesses.LoadAndDelete(ts.Getenv("CLAUDE_PID"))
		if !ok {
			ts.Fatalf("no agent is at work")
		}
		ts.Check(c.(*exec.Cmd).Process.Kill())
		_ = c.(*exec.Cmd).Wait() // it says that it was killed
		return
	}
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), standsForAgent+"=1")
	stdin, err := c.StdinPipe()
	ts.Check(err)
	ts.Check(c.Start())
	id := strconv.Itoa(c.Process.Pid)
	agentProcesses.Store(id, c)
	ts.Defer(func() {
		_ = stdin.Close()
		if _, alive := agentProcesses.LoadAndDelete(id); alive {
			_ = c.Wait()
		}
	})
	ts.Setenv("CLAUDE_PID", id)
}

// times are what differs between two runs of a text: dates and ages.
var times = regexp.MustCompile(`\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?|just now|\d+ min ago`)

// digests are the digests in the marks around a recovery text.
var digests = regexp.MustCompile(` --mark [0-9a-f]+ -->`)

// told writes the text that an answer gives the agent, with DATE for every date and age, and MARK for every digest of a mark.
func told(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: told ANSWER FILE")
	}
	s := ts.ReadFile(args[0])
	var doc struct {
		Output struct {
			AdditionalContext string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(s), &doc); err == nil {
		s = doc.Output.AdditionalContext
	}
	s = times.ReplaceAllString(strings.TrimSpace(s), "DATE") + "\n"
	s = digests.ReplaceAllString(s, " --mark MARK -->")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(s), 0o600))
}
