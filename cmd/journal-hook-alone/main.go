// The start of the runtime asks the system for a container's share of the processors, and names its memory to
// it: a tenth of a program that is over in a millisecond.
//
//go:debug containermaxprocs=0
//go:debug decoratemappings=0
//go:debug updatemaxprocs=0

// Command journal-hook-alone takes a hook by itself: `journal-hook-alone AGENT [EVENT]` is
// `journal hook AGENT [EVENT]`, and `journal-hook-alone statusline [-- COMMAND...]` is
// `journal statusline`. It is the same code without the server and everything else
// that a hook does not need, because half of a hook was the start of the large program.
//
// journal-hook becomes it where it cannot carry a call to the owner (ADR-0102); on Windows it
// is journal-hook.
//
// What needs the large program is done by running it: see program.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"journal/embedded/store/ownership"
	_ "journal/journal/agents/all" // every agent that calls it
	"journal/journal/hookrun"
	"journal/journal/wire/client"
)

const usage = `usage: journal-hook AGENT [EVENT], with the hook's JSON on stdin
       journal-hook statusline [-- COMMAND...]

The same as "journal hook" and "journal statusline". "journal install" sets it up.
Exit codes: always 0.
`

func main() {
	hookrun.FindHome()
	tried := hookrun.TakeTried()
	line, dir := hookrun.Line(os.Args[1:], hookrun.Dir(os.Getenv))
	if len(line) > 0 && (line[0] == "-h" || line[0] == "--help") {
		fmt.Print(usage)
		return
	}
	if hookrun.IsInline(os.Getenv) && instead(dir, line) {
		return
	}
	e := hookrun.Env{Dir: dir, In: os.Stdin, Out: os.Stdout, Getenv: os.Getenv, Pace: pace, Tried: tried}
	e.Appender = func() *client.Appender { return e.Open(start, nil) }
	if !hookrun.StartsNoOwner(os.Getenv) {
		e.Succeed = func() error { return succeed(dir) }
	}
	if len(line) > 0 && line[0] == "statusline" {
		hookrun.Statusline(e, line[1:])
	} else {
		hookrun.Hook(e, line)
	}
}

// slowdown is how many times longer than they say budgets last. Tests link another
// value in, because no busy machine may fail them.
var slowdown = "1"

func pace(budget time.Duration) time.Duration {
	if slowdown == "1" {
		return budget
	}
	times, _ := strconv.Atoi(slowdown)
	return budget * time.Duration(times)
}

// start makes the large program start as the owner of a directory.
func start(dir string) error {
	path, err := program(dir)
	if err != nil {
		return err
	}
	return ownership.Start(dir, path)
}

// succeed makes the large program the owner of a directory in the place of an older
// build.
func succeed(dir string) error {
	if !ownership.Outdated(dir) {
		return nil
	}
	path, err := program(dir)
	if err == nil {
		_, err = ownership.Succeed(dir, path)
	}
	return err
}
