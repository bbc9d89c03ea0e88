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

// lasting matches reasons of a failure that outlast the work: something is missing, unreachable or not allowed here.
var lasting = text.Pattern(`(?i)command not found|is not recognized|no matches found|(?:cannot|could not|unable to|failed to) connect|connection (?:reset|closed)|resolve host|timed out|denied|refused|forbidden|unauthori[sz]ed|authenticat|credential|\bnot (?:installed|supported|allowed|available|permitted|logged|enabled)|unsupported|does(?: not|n't) exist|\bno (?:such (?:service|container|host|command|module)|module named)|has no attribute|cannot find module|out of memory|no space|already in use|rate limit|quota|would be overwritten|certificate|password|protected`)

// lessons index the messages of failures: by event, and for each message the newest failure with it and the number of
// commands that had it.
type lessons struct {
	commands projections.List[projections.CommandState]
	messages map[uint64][]string
	teachers map[string]teacher
}

type teacher struct {
	newest   uint64
	command  string
	commands int
}

func lessonsOf(commands projections.List[projections.CommandState]) lessons {
	l := lessons{commands, map[uint64][]string{}, map[string]teacher{}}
	for c := range commands.All() {
		if c.OK || c.Undecided() || isCheck(c.Command) {
			continue
		}
		messages := slices.Clone(messagesOf.get(c.Error))
		for i := range messages {
			if i == 0 {
				messages[i] = programOf(c.Command) + " " + messages[i]
			}
			t := l.teachers[messages[i]]
			t.newest = c.Seq
			if t.command != c.Command {
				t.command = c.Command
				t.commands++
			}
			l.teachers[messages[i]] = t
		}
		l.messages[c.Seq] = messages
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

// newestAlike returns the newest failure with a message of the failure at seq.
func (l lessons) newestAlike(seq uint64) (newest uint64) {
	for _, s := range l.messages[seq] {
		newest = max(newest, l.teachers[s].newest)
	}
	return newest
}

// repeats reports whether another command failed with the same message. A silent failure counts only if the program did
// not work since.
func (l lessons) repeats(i Item, silent bool) bool {
	if !slices.ContainsFunc(l.messages[i.Seq], func(s string) bool { return l.teachers[s].commands > 1 }) {
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

// messagesOf returns the reason in an error, without numbers and names, and the names that it quotes. Errors in a
// program's arguments teach nothing.
var messagesOf = cache[[]string]{compute: func(detail string) []string {
	if usageError().MatchString(detail) {
		return nil
	}
	reason, silent := "", emptyErrors.get(detail)
	for line := range strings.Lines(detail) {
		line = strings.TrimSpace(line)
		if errorLine().MatchString(line) || lasting().MatchString(line) || silent && strings.Contains(line, "xit code ") {
			reason = line
			break
		}
	}
	if reason == "" {
		return nil
	}
	all := []string{named().ReplaceAllString(reason, "")}
	for _, name := range named().FindAllString(reason, -1) {
		if name = strings.Trim(name, "'\"`‘’"); len(name) > 6 && strings.ContainsAny(name, "/._-") {
			all = append(all, name)
		}
	}
	return all
}}

// named matches quoted words and numbers.
var named = text.Pattern("'[^']*'|\"[^\"]*\"|`[^`]*`|‘[^’]*’|\\d+")
