package knowledge

import (
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
)

// isCheck reports whether a command tests, lints or builds.
func isCheck(command string) bool {
	return slices.ContainsFunc(tasks(command), func(t task) bool { return slices.ContainsFunc(purposes, t.has) })
}

// lasting matches reasons of a failure that hold on when the work does: what is missing, unreachable or not allowed here.
var lasting = text.Pattern(`(?i)command not found|is not recognized|no matches found|(?:cannot|could not|unable to|failed to) connect|connection (?:reset|closed)|resolve host|timed out|denied|refused|forbidden|unauthori[sz]ed|authenticat|credential|\bnot (?:installed|supported|allowed|available|permitted|logged|enabled)|unsupported|does(?: not|n't) exist|\bno (?:such (?:service|container|host|command|module)|module named)|has no attribute|cannot find module|out of memory|no space|already in use|rate limit|quota|would be overwritten|certificate|password|protected`)

// lessons are what failures say, by event, and for each saying the newest failure with it and how many commands had it.
type lessons struct {
	commands projections.List[projections.CommandState]
	by       map[uint64][]string
	who      map[string]taughtBy
}

type taughtBy struct {
	newest   uint64
	command  string
	commands int
}

func lessonsOf(commands projections.List[projections.CommandState]) lessons {
	l := lessons{commands, map[uint64][]string{}, map[string]taughtBy{}}
	for c := range commands.All() {
		if c.OK || c.Undecided() || isCheck(c.Command) {
			continue
		}
		said := slices.Clone(sayings.of(c.Error))
		for i := range said {
			if i == 0 {
				said[i] = programOf(c.Command) + " " + said[i]
			}
			t := l.who[said[i]]
			if t.newest = c.Seq; t.command != c.Command {
				t.command = c.Command
				t.commands++
			}
			l.who[said[i]] = t
		}
		l.by[c.Seq] = said
	}
	return l
}

// programOf returns the program of a command's first task, with the host of ssh.
func programOf(command string) string {
	done := tasks(command)
	if len(done) == 0 {
		return ""
	}
	host := slices.IndexFunc(done[0].targets, func(w string) bool { return strings.Contains(w, "@") })
	if program := done[0].words[0]; program != "ssh" || host < 0 {
		return program
	}
	return done[0].targets[host]
}

// newest returns the newest failure that says the same.
func (l lessons) newest(seq uint64) (newest uint64) {
	for _, s := range l.by[seq] {
		newest = max(newest, l.who[s].newest)
	}
	return newest
}

// repeats reports whether another command failed in the same way; without a word, only if the program did not work since.
func (l lessons) repeats(i Item, silent bool) bool {
	if !slices.ContainsFunc(l.by[i.Seq], func(s string) bool { return l.who[s].commands > 1 }) {
		return false
	}
	for c := range l.commands.Backward() {
		if !silent || c.Seq <= i.Seq {
			break
		}
		if c.OK && !c.Undecided() && programOf(c.Command) == programOf(i.Text) {
			return false
		}
	}
	return true
}

// sayings returns what an error says, without numbers and names, and the names that it quotes. How a program is called
// teaches nothing.
var sayings = recent[[]string]{made: func(detail string) []string {
	if usageError().MatchString(detail) {
		return nil
	}
	said, silent := "", emptyErrors.of(detail)
	for line := range strings.Lines(detail) {
		line = strings.TrimSpace(line)
		if saysWhy().MatchString(line) || lasting().MatchString(line) || silent && strings.Contains(line, "xit code ") {
			said = line
			break
		}
	}
	if said == "" {
		return nil
	}
	all := []string{named().ReplaceAllString(said, "")}
	for _, name := range named().FindAllString(said, -1) {
		if name = strings.Trim(name, "'\"`‘’"); len(name) > 6 && strings.ContainsAny(name, "/._-") {
			all = append(all, name)
		}
	}
	return all
}}

// named matches what is quoted, and numbers.
var named = text.Pattern("'[^']*'|\"[^\"]*\"|`[^`]*`|‘[^’]*’|\\d+")
