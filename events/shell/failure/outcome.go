package failure

import (
	"regexp"
	"slices"
	"strings"

	"journal/events/text"
)

// maxOutcome bounds an outcome, in bytes; maxFailures bounds the failed tests in it.
const (
	maxOutcome  = 160
	maxFailures = 3
)

// Outcome returns the result of a test, build or linter, in its own words: "ok", "0 issues", "FAIL: TestX". It is empty
// if the output has none, and for commands that only print existing content: nothing is guessed.
func Outcome(command, output string) string {
	if output == "" || onlyReads(command) {
		return ""
	}
	if before, after, cut := strings.Cut(output, "\n\n... ["); cut && strings.Contains(after, " truncated] ...") {
		output = before[:strings.LastIndexByte(before, '\n')+1] + after // clients cut anywhere, also in a name
	}
	var passed, failed []string
	for line := range strings.Lines(Plain(output)) {
		line = strings.TrimSpace(strings.ToValidUTF8(line, ""))
		result, bad := ended(line)
		switch {
		case result == "" || len(result) > maxOutcome || slices.Contains(passed, result) || slices.Contains(failed, result):
		case bad && len(failed) < maxFailures:
			failed = append(failed, result)
		case !bad:
			passed = append(passed, result)
		}
	}
	// Failures matter more than successes beside them.
	if len(failed) > 0 {
		passed = failed
	}
	return joined(passed)
}

// joined returns the last texts that fit, in order.
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

// ended returns the result of a run in a line, and whether it is a failure; most lines have none.
func ended(line string) (result string, failed bool) {
	for _, e := range endings {
		if !strings.Contains(line, e.hint) {
			continue
		}
		if m := e.line().FindStringSubmatchIndex(line); m != nil {
			result = string(e.line().ExpandString(nil, e.result, line, m))
			return result, e.failed().MatchString(result)
		}
	}
	return "", false
}

// ending describes the final line of one tool.
type ending struct {
	hint   string // a text in every such line
	line   func() *regexp.Regexp
	result string // a template of Regexp.Expand
	failed func() *regexp.Regexp
}

// Results that are failures: all of a tool, none, and those with a word.
var (
	always  = text.Pattern(``)
	never   = text.Pattern(`^$`)
	failing = text.Pattern(`FAILED|^[1-9][0-9]* (?:errors|issues)$| (?:failed|error)`)
)

// testCounts matches a list such as "3 passed, 1 failed".
const testCounts = `((?:\d+ \w+(?:, | \| ))*\d+ (?:passed|failed|errors?)(?:(?:, | \| )\d+ \w+)*)`

var endings = []ending{
	{"--- FAIL: ", text.Pattern(`^--- FAIL: (\S+)`), "FAIL: $1", always},
	{"FAIL", text.Pattern(`^FAIL(?:\t\s*(\S+)| +(\S+).*\]$)`), "FAIL $1$2", always},
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
