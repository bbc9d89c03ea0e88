package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"journal/embedded/catalogue"
	"journal/embedded/copies"
	"journal/journal"
	"journal/replay/search"
)

// growth is row 16: the processor time of verbs and their owners on logs of 10,000 events, of ten times as many, and so on up to
// the long one, in turns. Each is compared with the next smaller log. The owners had time to store the table of sessions and the
// index of words.
func (b *bench) growth() []line {
	var stores []*store
	var sizes []int
	for n := blockEvents; n < b.events; n *= 10 {
		s := b.newStore()
		b.generate(s, n, sessionEvents)
		stores, sizes = append(stores, s), append(sizes, n)
	}
	stores, sizes = append(stores, b.filled()), append(sizes, b.events)
	for _, s := range stores {
		b.derived(s)
	}
	session := sessionName(oldSession)
	var group []variant
	for _, verb := range [][]string{
		{"log", "-n", "20"}, {"sessions"}, {"sessions", "--since", "1d"}, {"sessions", "--json", "--all"}, {"audit", "--all", "--json"}, {"audit", "--session", session},
		{"recover", "--session", session}, {"replay", "--session", session, "--json"},
		append(strings.Fields("search --all"), strings.Fields(eightWords)...),
		{"search", "limiter", "--all"}, {"search", "zyxwvut", "--all"}, {"search", "limiter", "--session", session},
	} {
		for i, s := range stores {
			v := variant{name: fmt.Sprintf("%s, %d events", lineOf(verb), sizes[i]), as: fmt.Sprint(sizes[i]), run: func(int) time.Duration { return s.used(b.ctx, verb...) }}
			if i > 0 {
				v = v.against(len(group), bar{})
			}
			group = append(group, v)
		}
	}
	return append(b.measure(max(b.n/50, 3), group...), b.wholeLogs(stores, sizes)...)
}

// eightWords is a question that no event answers by having each of its words.
const eightWords = "why did the burst test of the limiter fail with a token bucket refill deadline"

// oldSession is a session that every generated log has.
const oldSession = 5

// derived starts the owner of a store and waits until it has stored the derived files that lists and searches read.
func (b *bench) derived(s *store) {
	b.start(s)
	eventually(b.ctx, catalogue.Name+" is stored", func() bool {
		_, err := os.Stat(filepath.Join(s.dir, catalogue.Name))
		return !errors.Is(err, fs.ErrNotExist)
	})
	eventually(b.ctx, catalogue.WordsName+" has the words of all events", func() bool {
		log := firstEpoch{must(copies.Offline(b.ctx, s.dir))} // a request would keep the owner from being idle
		open, end := catalogue.Words(b.ctx, s.dir, log)
		defer end()
		words := open()
		return words != nil && words.Until()+2*search.FilterSpan > must(log.Stats(b.ctx)).Last
	})
}

// firstEpoch is a log with the name of the stream of a new store.
type firstEpoch struct{ *journal.Log }

// Stream returns the name of the stream.
func (firstEpoch) Stream() string { return "JOURNAL_1" }

// wholeLogs returns the lines of row 16 for verbs that read or write a whole log: one sample, with the peak memory.
func (b *bench) wholeLogs(stores []*store, sizes []int) (lines []line) {
	peak, before := b.build("peak", peakSource), map[string]float64{}
	for i, s := range stores {
		file, made, half := b.file(fmt.Sprintf("whole%d.tar", i)), b.file(fmt.Sprintf("made%d", i)), timeOf(sizes[i]/2).Format(time.DateTime)
		for _, verb := range [][]string{{"export"}, {"backup", file}, {"restore-backup", file}, {"forget", "--session", sessionName(oldSession), "--yes"}, {"forget", "--before", half, "--yes"}} {
			c := exec.CommandContext(b.ctx, peak, append([]string{s.bin}, verb...)...)
			c.Env = s.env
			if name := verb[0]; name == "restore-backup" || name == "forget" {
				c.Env = s.at(made).env
			}
			memory := must(strconv.ParseFloat(output(c), 64)) / (1 << 20)
			took := ms(c.ProcessState.UserTime() + c.ProcessState.SystemTime()) // also of the verb, a child of peak
			what := verb[0]
			if what == "forget" {
				what += map[string]string{"--session": " of a session", "--before": " of half"}[verb[1]]
			}
			l := line{What: fmt.Sprintf("%s, %d events", what, sizes[i]), Value: fmt.Sprintf("%.0f ms, %.0f MB", took, memory)}
			if smaller := before[what]; smaller > 0 {
				l.Baseline, l.Beyond = fmt.Sprintf("%d %.0f", sizes[i-1], smaller), fmt.Sprintf("%.1fx", took/smaller)
			}
			before[what] = took
			lines = append(lines, l)
			if verb[0] == "restore-backup" { // an owner makes the index
				b.start(s.at(made))
				s.at(made).stop(b.ctx)
			}
		}
	}
	return lines
}

// lineOf returns a command line with S for the id of the session.
func lineOf(verb []string) (s string) {
	for i, word := range verb {
		if i > 0 {
			s += " "
		}
		if word == sessionName(oldSession) {
			word = "S"
		}
		s += word
	}
	return s
}
