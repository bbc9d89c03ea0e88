package knowledge

import (
	"fmt"
	"slices"
	"strings"

	"journal/events/shell/failure"
	"journal/events/text"
	"journal/projections"
)

// Command is a command that ran without a sign of failure.
const Command Kind = "command"

const (
	maxScript  = 120 // bounds a command that is longer than Text.Units, in UTF-16 units
	maxWorking = 12  // bounds the commands in a text that worked
)

var _ = declare(Def{
	Kind: Command, Needs: []projections.Projection{projections.Commands, projections.Files, projections.SubagentFiles, projections.LastCall, projections.Prompts}, Items: commands,
	Text: Text{
		Form: Code, Units: 200, Cap: maxScript, Most: maxWorking, Tiers: Tiers{Best: Useful, First: 4, Second: 8}, Unasked: true,
	},
	Audit: Audit{Count: func(f *projections.Fold) int { return projections.Commands.In(f).Len() }},
})

// commands lists each command once, by its newest run, newest first. A command that failed and works now counts as
// working; its failure is listed, as Settled, only if texts omit the run that worked. A run in the background leaves the
// earlier runs listed. Times of a failure counts the failed runs since the command last worked.
func commands(f *projections.Fold) []Item {
	all := projections.Commands.In(f)
	items := make([]Item, 0, all.Len())
	runs := laterRuns{commands: all, call: projections.LastCall.In(f)}
	type state struct {
		failure int  // index in items of its newest failure, from 1; 0 for none
		worked  int  // index in items of its newest run that worked, from 1; 0 for none, and once an older failure was seen
		over    bool // its older runs no longer count
		running bool // its newest run has not ended
	}
	seen := make(map[string]state, all.Len())
	checked := false          // a test, lint or build that worked has tier Vital
	listed, unsettled := 0, 0 // commands that worked and that texts list; failures that still matter
	written, request := editsOf(f), newestRequest(f)
	turn, _ := projections.Prompts.In(f).Request()
	green := false    // a newer check passed
	reserved := false // a newer failure of the turn is not settled
	for c := range all.Backward() {
		s := seen[c.Command]
		switch {
		case c.Stopped && !c.StoppedByRestart: // it neither worked nor failed
		case s.over && s.worked > 0 && !c.OK && !c.Hidden && !c.Undecided(): // it failed, and works now
			if runs.isOmitted(items[s.worked-1]) { // checked only here, because it costs more than all else
				items = append(items, Item{Kind: Settled, Seq: c.Seq, Text: c.Command})
			}
			s.worked = 0
		case s.over:
			continue
		case c.Running(), c.StoppedByRestart:
			if !s.running {
				items = append(items, Item{Kind: Background, Seq: c.Seq, Text: c.Command, Detail: strings.TrimPrefix(c.Background, c.Use), Gone: c.StoppedByRestart})
			}
			s.running = true
		case s.failure > 0 && !c.OK: // it failed before its newest failure too
			items[s.failure-1].Times++
		case s.failure > 0: // it worked before it failed
			s.over = true
		case c.OK: // it works now
			green = green || isCheck(c.Command)
			worked := Item{Kind: Command, Seq: c.Seq, Text: c.Command, Detail: c.Outcome, Edited: written.since(c.Seq)}
			if c.Outcome == "" && c.Seq > turn.Seq && changesCheckout(c.Command) {
				worked.Detail, worked.Edited = "ok", ""
			}
			if listed == maxWorking || runs.isOmitted(worked) {
				worked.Tier = Unlisted
			} else {
				if !checked && (c.Seq > request || worked.Edited != "") && isCheck(c.Command) {
					worked.Tier, checked = Vital, true
				}
				listed++
			}
			items = append(items, worked)
			s.over, s.worked = true, len(items)
		default: // its newest run failed
			failed := failureOf(c, &runs, &written, request, green, &unsettled)
			failed.Old = c.Seq < turn.Seq
			if !failed.Old && !reserved && (failed.Kind == Failure || failed.Kind == Edited) {
				failed.Reserve, reserved = maxFailure, true
			}
			items = append(items, failed)
			s.failure = len(items)
		}
		seen[c.Command] = s
	}
	return items
}

// changesCheckout reports whether a command changes the commits or the branch of a checkout with git, or those of a remote.
func changesCheckout(command string) bool {
	return strings.Contains(command, "git ") && slices.ContainsFunc(tasks(command), func(t task) bool {
		return t.isGit("commit", "reset", "rebase", "merge", "revert", "cherry-pick", "pull", "push", "checkout", "switch", "stash")
	})
}

// isOmitted reports whether texts omit a command that worked: it has no outcome, or a later run did the same.
func (l *laterRuns) isOmitted(worked Item) bool {
	return worked.Detail == "" || l.worth(worked) == rerun
}

// failureOf returns the item of a failed command. runs and written are those of the fold, request is the newest request,
// and green is set if a newer check passed. failureOf counts the failures that still matter in unsettled.
func failureOf(c projections.CommandState, runs *laterRuns, written *edits, request uint64, green bool, unsettled *int) Item {
	it := Item{Kind: Failure, Seq: c.Seq, Text: c.Command, Detail: howFailed(c.Command, c.Error, c.Outcome), Times: 1}
	open, passedAlone := runs.withoutPassed(it)
	it.Detail = open
	check := isCheck(c.Command)
	if check || len(blamedLines.get(it.Detail)) > 0 || strings.Contains(it.Detail, conflictMark) {
		it.Edited = written.since(c.Seq)
	}
	switch runs.worth(it) {
	case unsolved:
		if (written.mayFix(it) || passedAlone) && !runs.isRunning(it) {
			it.Kind = Edited
			return it
		}
		if passedBy(it, request) && (!check || it.Edited != "") {
			it.Tier = Useful
			if !check && green {
				it.Kind = Settled
			}
			return it
		}
	case rerun, readOnly:
		if passedAlone && !runs.ranAgain(it, failedTasks(it)) && !runs.testedSince(c.Seq) {
			it.Kind = Edited
			return it
		}
		it.Kind = Settled
		if c.Hidden {
			it.Tier = Unlisted
		}
		return it
	case silent:
		it.Detail = text.CutUnits(it.Detail, maxDetail) // usage texts are long
		switch {
		case !check && green: // the agent went on without it
			it.Kind = Settled
			return it
		case !check:
			it.Tier = Spare
		case it.Edited != "" && passedBy(it, request):
			it.Tier = Useful
			return it
		}
	}
	if *unsettled++; *unsettled > failures.Text.Tiers.First && c.Hidden {
		it.Tier = Spare // the exit code was 0: often a part of it worked
	}
	return it
}

// isCheck reports whether a command tests, lints or builds something.
func isCheck(command string) bool {
	return slices.ContainsFunc(tasks(command), func(t task) bool { return slices.ContainsFunc(purposes, t.has) })
}

// checkPassedAfter reports whether the newest check after an event passed. It returns false if there is none.
func checkPassedAfter(f *projections.Fold, seq uint64) bool {
	for c := range projections.Commands.In(f).Backward() {
		if c.Seq <= seq {
			break
		}
		if isCheck(c.Command) {
			return c.OK
		}
	}
	return false
}

// howFailed returns the lines that explain a failure: one line for each of several failed tests, and of several errors in an output
// above maxFailure. Otherwise, if the outcome names what failed, it returns the outcome, the names of further failed tests, and the
// lines of the output that match errorLine. A line, if possible one with a reason, stands before a long outcome. If the outcome does
// not name it, howFailed returns every line but those about parts that went well, or only the errors if those lines are too many.
func howFailed(command, output, outcome string) string {
	found := failure.Findings(command, output)
	if len(found) > 1 && (found[0].Test != "" || text.Units(output) > maxFailure) {
		return failure.Grouped(failure.Listed(found))
	}
	var lines, further []string
	named := namesFailure(outcome)
	for line := range strings.Lines(output) {
		name, test := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: ")
		name, _, _ = strings.Cut(name, " ")
		switch line = strings.TrimRight(line, "\r\n"); {
		case wentWell(line), named && !errorLine().MatchString(line), slices.Contains(lines, line):
		case named && test:
			if !strings.Contains(outcome, name) && !slices.Contains(further, name) {
				further = append(further, name)
			}
		default:
			lines = append(lines, line)
		}
	}
	if len(further) > 0 {
		lines = slices.Insert(lines, 0, "FAIL: "+strings.Join(further, ", "))
	}
	if named {
		lines = slices.Insert(lines, 0, outcome)
	}
	switch {
	case len(lines) == 0:
		return output
	case named && len(lines) > 1 && text.Units(outcome) > longOutcome:
		reason := slices.IndexFunc(lines[1:], func(line string) bool { return reasonLine().MatchString(line) })
		n := 1 + max(reason, 0) // without a reason, the first line after the outcome
		lines = slices.Concat([]string{text.Line(lines[n])}, lines[:n], lines[n+1:])
	case !named && text.Units(strings.Join(lines, "\n")) > maxFailure:
		if errors := failure.Errors(command, output); len(errors) > 1 {
			lines = errors
		}
	}
	return strings.Join(lines, "\n")
}

// namesFailure reports whether an outcome names what failed, such as "FAIL: TestX", or counts problems, such as "3 issues".
func namesFailure(outcome string) bool {
	lower := strings.ToLower(outcome)
	if strings.Contains(lower, "fail") {
		return true
	}
	return outcome != "" && '1' <= outcome[0] && outcome[0] <= '9' && !strings.Contains(lower, "passed")
}

// errorLine matches a line with an error or its place.
var errorLine = text.Pattern(`(?i)\b(?:\w*error|\w*exception|assert\w*|panic\w*|expected|received|actual|undefined|cannot|want|not found|no such)\b|^\s*(?:--> )?[\w./-]+\.\w+:\d+:|^\s*--- fail: |^E\s{3}`)

// reasonLine matches a line with the reason of an error, not only its place.
var reasonLine = text.Pattern(`(?i)\b(?:error|panic|assert\w*|expected|received|got|want|should|must|undefined|cannot)\b.*\w`)

// wentWell reports whether a line of output is about a part that went well, or has no content.
func wentWell(line string) bool {
	const space = " \t\r\n\f"
	if failure.IsLog(line) {
		return true
	}
	line = strings.ToLower(strings.TrimLeft(line, space))
	if slices.ContainsFunc([]string{"=== ", "--- pass: ", "--- skip: ", "ok  \t", "?   \t", "error trace:", "auto-merging "}, func(begin string) bool { return strings.HasPrefix(line, begin) }) {
		return true
	}
	line = strings.TrimRight(line, space)
	code, ended := strings.CutPrefix(line, "exit code ")
	return line == "" || line == "pass" || line == "fail" || ended && strings.Trim(code, "0123456789") == ""
}

// Background is a command or a subagent in the background whose end no event reported. Detail is its id; Gone means that
// the client was restarted since. Items of commands come with those of Command.
const Background Kind = "background"

var _ = declare(Def{
	Kind: Background, Needs: []projections.Projection{projections.Agents},
	Items: func(f *projections.Fold) (items []Item) {
		for _, a := range slices.Backward(projections.Agents.In(f)) {
			actor := "Agent "
			if a.Name != "" {
				actor = fmt.Sprintf("Teammate %s of team %s: ", text.Line(a.Name), text.Line(a.Team))
			}
			items = append(items, Item{Kind: Background, Seq: a.Seq, Text: actor + text.Line(a.About), Detail: a.ID, Gone: a.StoppedByRestart})
		}
		return items
	},
	Text: Text{Form: Code, Units: 200, Cap: maxScript, Most: 12, Tiers: Tiers{Best: Likely, First: 12}},
})

// Failure is a failed command with its error. Its items come with those of Command.
const Failure Kind = "error"

var failures = declare(Def{
	Kind:  Failure,
	Text:  Text{Form: Code, Units: 200, Cap: maxScript, Detail: shortFailure, DetailCap: maxFailure, Most: 20, Tiers: Tiers{Best: Vital, First: 2, Second: 8}},
	Audit: Audit{Rate: rateFailure},
})

const (
	maxFailure   = 1200 // bounds an error in a text, in UTF-16 units: eight lines of a compiler
	shortFailure = 60   // bounds an error in a text that has no room for more, in UTF-16 units
	longOutcome  = 30   // length of an outcome above which shortFailure has no room for the reason
)

// Edited is a failed command that was not run again, and whose error names files that were edited since, or a test that
// passed since. Its items come with those of Command.
const Edited Kind = "edited"

var _ = declare(Def{
	Kind: Edited, CountedAs: Failure, ID: string(Failure),
	Text: Text{Form: Code, Units: 200, Cap: maxScript, Detail: shortFailure, DetailCap: maxFailure, Most: 8, Tiers: Tiers{Best: Likely, First: 3, Second: 5}, Unasked: true},
})

// Settled is a failed command that no longer matters: it was run again, it only read something, or the person went on from
// it and a check passed since. Its items come with those of Command.
const Settled Kind = "settled"

var _ = declare(Def{
	Kind: Settled, CountedAs: Failure, ID: string(Failure),
	Text: Text{Form: Code, Units: 60, Cap: 60, Most: 4, Tiers: Tiers{Best: Useful, First: 4}, Unasked: true},
})
