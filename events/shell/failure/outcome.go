package failure

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"journal/events/text"
)

const (
	maxOutcome  = 160 // bytes of the results in an outcome
	maxFailures = 3   // failures in an outcome
	maxCounted  = 200 // failures of an output that are counted
)

// Outcome returns the result of a test, build or linter, in its own words: "ok", "0 issues", "FAIL: TestX". If there are
// failures, it has only the first three of them, and the number of further Go tests. It is empty if the output has no result, and
// for a command that only prints existing content.
func Outcome(command, output string) string {
	if output == "" || onlyReads(command) {
		return ""
	}
	var passed, failed []string
	for line := range strings.Lines(withoutCutLine(Plain(output))) {
		line = withoutTask(strings.TrimSpace(strings.ToValidUTF8(line, "")))
		result, isFailure := resultIn(line)
		switch {
		case result == "" || len(result) > maxOutcome || slices.Contains(passed, result) || slices.Contains(failed, result):
		case isFailure && len(failed) < maxCounted:
			failed = append(failed, result)
		case !isFailure:
			passed = append(passed, result)
		}
	}
	if slices.Contains(passed, "ok") {
		passed = slices.DeleteFunc(passed, func(result string) bool { return result == NoTests })
	}
	if len(failed) == 0 {
		return joined(passed)
	}
	shown := failed[:min(len(failed), maxFailures)]
	others := 0
	for _, result := range failed[len(shown):] {
		if strings.HasPrefix(result, failedTest) {
			others++ // a package with failed tests is no further test
		}
	}
	if others > 0 {
		return fmt.Sprintf("%s, +%d", joined(shown), others)
	}
	return joined(shown)
}

// withoutCutLine returns an output without the line in which a client cut it.
func withoutCutLine(output string) string {
	if before, after, cut := strings.Cut(output, "\n\n... ["); cut && strings.Contains(after, " truncated] ...") {
		return before[:strings.LastIndexByte(before, '\n')+1] + "\n... [" + after
	}
	return output
}

// NoTests is the result of a Go package of which no test was picked.
const NoTests = "no tests to run"

// taskMark matches the mark with which a task runner begins each line of a task's output: "[lint:go] 0 issues."
var taskMark = text.Pattern(`^\[[a-z][\w:./-]*\] `)

// withoutTask returns a line without the mark of a task.
func withoutTask(line string) string {
	if !strings.HasPrefix(line, "[") {
		return line
	}
	return strings.TrimSpace(line[len(taskMark().FindString(line)):])
}

// joined returns the last results that fit into maxOutcome, in their order.
func joined(all []string) string {
	out := ""
	for _, line := range slices.Backward(all) {
		if out != "" {
			line += ", " + out
		}
		if len(line) > maxOutcome {
			break
		}
		out = line
	}
	return out
}

// resultIn returns the result of a run in a line, and whether it is a failure. It returns "" for any other line.
func resultIn(line string) (result string, failed bool) {
	for _, r := range resultLines {
		if !strings.Contains(line, r.hint) {
			continue
		}
		if m := r.line().FindStringSubmatchIndex(line); m != nil {
			result = string(r.line().ExpandString(nil, r.result, line, m))
			return result, r.failed().MatchString(result)
		}
	}
	return "", false
}

// failedTest begins the result of a failed Go test.
const failedTest = "FAIL: "

// resultLine describes the line in which one tool prints its result.
type resultLine struct {
	hint   string // a text in every such line
	line   func() *regexp.Regexp
	result string                // a template of Regexp.Expand
	failed func() *regexp.Regexp // matches the results that are failures
}

// Patterns for the results that are failures: every result, none, and results with certain words.
var (
	always  = text.Pattern(``)
	never   = text.Pattern(`^$`)
	failing = text.Pattern(`FAILED|^[1-9][0-9]* (?:errors|issues)$| (?:failed|error)`)
)

// testCounts matches a list such as "3 passed, 1 failed".
const testCounts = `((?:\d+ \w+(?:, | \| ))*\d+ (?:passed|failed|errors?)(?:(?:, | \| )\d+ \w+)*)`

var resultLines = []resultLine{
	{"--- FAIL: ", text.Pattern(`^--- FAIL: (\S+)`), failedTest + "$1", always},
	{"FAIL", text.Pattern(`^FAIL(?:\t\s*(\S+)| +(\S+).*\]$)`), "FAIL $1$2", always},
	{NoTests + "]", text.Pattern(`^ok  \t`), NoTests, never},
	{"ok  \t", text.Pattern(`^ok  \t`), "ok", never},
	{"PASS", text.Pattern(`^PASS$`), "PASS", never},
	{" issues", text.Pattern(`^(\d+ issues)[.:]*$`), "$1", failing},                                                     // golangci-lint
	{" in ", text.Pattern(`^[= ]*` + testCounts + ` in `), "$1", failing},                                               // pytest: "=== 3 passed, 1 failed in 0.12s ==="
	{"Tests", text.Pattern(`^Tests(?::|  )\s*` + testCounts + `\s*(?:\(|$)`), "$1", failing},                            // jest, vitest: "Tests: 1 failed, 5 passed, 6 total"
	{"test result: ", text.Pattern(`^test result: ([^;]+)`), "$1", failing},                                             // cargo
	{"BUILD ", text.Pattern(`^(?:\[INFO\] )?[* ]*(BUILD (?:SUCCESSFUL|SUCCESS|FAILED))(?:[* ]*$| in )`), "$1", failing}, // gradle, maven, ant
	{"All checks passed!", text.Pattern(`^All checks passed!$`), "All checks passed!", never},                           // ruff
	{" problem", text.Pattern(`^✖ (\d+ .*)`), "$1", always},                                                             // eslint: "✖ 3 problems (1 error, 2 warnings)"
	{"Found ", text.Pattern(`^Found (\d+) error`), "$1 errors", failing},                                                // ruff, mypy, tsc
	{"Success: no issues found", text.Pattern(`^Success: `), "no issues found", never},
}
