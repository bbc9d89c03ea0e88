package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"journal/embedded/catalogue"
)

// growth is row 16: what verbs cost on a log of 10,000 events and on the long one, in turns: the processor time
// of the command, since that of its owner is close to nothing. Both owners had time to keep the table of sessions and
// the words of the log.
func (b *bench) growth() []line {
	short := b.newStore()
	b.generate(short, blockEvents, sessionEvents)
	stores := []*store{short, b.filled()}
	for _, s := range stores {
		b.start(s)
		for _, name := range []string{catalogue.Name, catalogue.WordsName} {
			eventually(b.ctx, name+" is kept", func() bool {
				_, err := os.Stat(filepath.Join(s.dir, name))
				return !errors.Is(err, fs.ErrNotExist)
			})
		}
	}
	session := sessionName(5)
	var group []variant
	for _, verb := range [][]string{
		{"log", "-n", "20"}, {"sessions"}, {"sessions", "--json", "--all"}, {"audit", "--all", "--json"}, {"audit", "--session", session},
		{"recover", "--session", session}, {"replay", "--session", session, "--json"},
		{"search", "limiter", "--all"}, {"search", "zyxwvut", "--all"}, {"search", "limiter", "--session", session},
	} {
		for i, s := range stores {
			v := variant{name: fmt.Sprintf("%s, %d events", lineOf(verb), []int{blockEvents, b.events}[i]), as: fmt.Sprint(blockEvents), run: func(int) time.Duration {
				c := exec.CommandContext(b.ctx, s.bin, verb...)
				c.Env = s.env
				if err := c.Run(); c.ProcessState == nil || c.ProcessState.ExitCode() > 1 { // a search ends with 1 where it finds nothing
					check(err)
				}
				return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
			}}
			if i > 0 {
				v = v.against(len(group), bar{})
			}
			group = append(group, v)
		}
	}
	return b.measure(max(b.n/50, 3), group...)
}

// lineOf spells a command line without what only names its session.
func lineOf(verb []string) (s string) {
	for i, word := range verb {
		if i > 0 {
			s += " "
		}
		if word == sessionName(5) {
			word = "S"
		}
		s += word
	}
	return s
}
