package knowledge

import (
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
)

// isCheck reports whether a command tests, lints or builds something.
func isCheck(command string) bool {
	return slices.ContainsFunc(tasks(command), func(t task) bool { return slices.ContainsFunc(purposes, t.has) })
}

// lasting matches reasons that the next work does not remove: something is missing, unreachable or not allowed here.
var lasting = text.Pattern(`(?i)command not found|is not recognized|no matches found|(?:cannot|could not|unable to|failed to) connect|connection (?:reset|closed)|resolve host|timed out|denied|refused|forbidden|unauthori[sz]ed|authenticat|credential|\bnot (?:installed|supported|allowed|available|permitted|logged|enabled)|unsupported|does(?: not|n't) exist|\bno (?:such (?:service|container|host|command|module)|module named)|has no attribute|cannot find module|out of memory|no space|already in use|rate limit|quota|would be overwritten|certificate|password|protected`)

// messageIndex indexes the messages of failed commands that are no checks.
type messageIndex struct {
	commands projections.List[projections.CommandState]
	byEvent  map[uint64][]string
	failures map[string]alike // by message
}

// alike holds the failures with one message.
type alike struct {
	newest   uint64 // sequence of the newest
	command  string // of the newest
	commands int    // number of times that another command than before had the message
}

func indexMessages(commands projections.List[projections.CommandState]) messageIndex {
	x := messageIndex{commands, map[uint64][]string{}, map[string]alike{}}
	for c := range commands.All() {
		if c.OK || c.Undecided() || isCheck(c.Command) {
			continue
		}
		messages := slices.Clone(messagesOf.get(c.Error))
		for i := range messages {
			if i == 0 {
				messages[i] = programOf(c.Command) + " " + messages[i]
			}
			a := x.failures[messages[i]]
			a.newest = c.Seq
			if a.command != c.Command {
				a.command = c.Command
				a.commands++
			}
			x.failures[messages[i]] = a
		}
		x.byEvent[c.Seq] = messages
	}
	return x
}

// programOf returns the program of a command's first task, the host in place of ssh, or "" without a task.
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

// newestAlike returns the newest failure that shares a message with the failure at seq, 0 for none.
func (x messageIndex) newestAlike(seq uint64) (newest uint64) {
	for _, message := range x.byEvent[seq] {
		newest = max(newest, x.failures[message].newest)
	}
	return newest
}

// repeats reports whether another command failed with a message of this failure. A silent failure counts only if the
// program did not work since.
func (x messageIndex) repeats(i Item, silent bool) bool {
	if !slices.ContainsFunc(x.byEvent[i.Seq], func(message string) bool { return x.failures[message].commands > 1 }) {
		return false
	}
	for c := range x.commands.Backward() {
		if !silent || c.Seq <= i.Seq {
			break
		}
		if c.OK && !c.Undecided() && programOf(c.Command) == programOf(i.Text) {
			return false
		}
	}
	return true
}

// messagesOf returns the messages of an error: its first line with a reason, without numbers and quoted names, then those
// names. It returns none for an error in a program's arguments.
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
