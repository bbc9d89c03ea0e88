package failure

import (
	"slices"
	"strings"
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
		if strings.Contains(line, e.hint) {
			if result, failed = e.read(line); result != "" {
				return result, failed
			}
		}
	}
	return "", false
}

// ending reads the final line of one tool.
type ending struct {
	hint string // a text in every such line
	read func(line string) (result string, failed bool)
}

var endings = []ending{
	{"--- FAIL: ", func(line string) (string, bool) {
		rest, found := strings.CutPrefix(line, "--- FAIL: ")
		return only("FAIL: "+firstWord(rest), found && rest != ""), true
	}},
	{"FAIL", func(line string) (string, bool) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "FAIL" && (strings.HasPrefix(line, "FAIL\t") || strings.HasSuffix(line, "]")) {
			return "FAIL " + strings.Join(fields[1:2], ""), true
		}
		return "", false
	}},
	{"ok  \t", func(line string) (string, bool) { return only("ok", strings.HasPrefix(line, "ok  \t")), false }},
	{"PASS", func(line string) (string, bool) { return only("PASS", line == "PASS"), false }},
	{" issues", func(line string) (string, bool) { // golangci-lint
		n, _, _ := strings.Cut(line, " ")
		rest := strings.TrimRight(strings.TrimPrefix(line, n), ".:")
		return only(n+" issues", number(n) && rest == " issues"), n != "0"
	}},
	{" in ", func(line string) (string, bool) { // pytest: "=== 3 passed, 1 failed in 0.12s ==="
		result, _, _ := strings.Cut(strings.Trim(line, "= "), " in ")
		return counts(result, ", ")
	}},
	{"Tests", func(line string) (string, bool) { // jest, vitest: "Tests: 1 failed, 5 passed, 6 total"
		result, found := strings.CutPrefix(line, "Tests:")
		if !found {
			result, found = strings.CutPrefix(line, "Tests  ")
		}
		if !found {
			return "", false
		}
		result, _, _ = strings.Cut(result, "(")
		return counts(strings.TrimSpace(result), ", ", " | ")
	}},
	{"test result: ", func(line string) (string, bool) { // cargo
		result, found := strings.CutPrefix(line, "test result: ")
		result, _, _ = strings.Cut(result, ";")
		return only(result, found), strings.HasPrefix(result, "FAILED")
	}},
	{"BUILD ", func(line string) (string, bool) { // gradle, maven, ant
		result := strings.Trim(strings.TrimPrefix(line, "[INFO] "), "* ")
		result, _, _ = strings.Cut(result, " in ")
		return only(result, result == "BUILD SUCCESSFUL" || result == "BUILD SUCCESS" || result == "BUILD FAILED"), result == "BUILD FAILED"
	}},
	{"All checks passed!", func(line string) (string, bool) { return only(line, line == "All checks passed!"), false }}, // ruff
	{" problem", func(line string) (string, bool) { // eslint: "✖ 3 problems (1 error, 2 warnings)"
		result, found := strings.CutPrefix(line, "✖ ")
		return only(result, found && number(firstWord(result))), true
	}},
	{"Found ", func(line string) (string, bool) { // ruff, mypy, tsc
		words := strings.Fields(line)
		if len(words) > 2 && words[0] == "Found" && number(words[1]) && strings.HasPrefix(words[2], "error") {
			return words[1] + " errors", words[1] != "0"
		}
		return "", false
	}},
	{"Success: no issues found", func(line string) (string, bool) {
		return only("no issues found", strings.HasPrefix(line, "Success: ")), false
	}},
}

// counts reads a list of test counts: "3 passed, 1 failed".
func counts(result string, between ...string) (string, bool) {
	list := result
	for _, sep := range between {
		list = strings.ReplaceAll(list, sep, "\n")
	}
	tests := false
	for item := range strings.SplitSeq(list, "\n") {
		n, kind, found := strings.Cut(strings.TrimSpace(item), " ")
		if !found || !number(n) {
			return "", false
		}
		tests = tests || kind == "passed" || kind == "failed" || kind == "errors" || kind == "error"
	}
	return only(result, tests), strings.Contains(result, " failed") || strings.Contains(result, " error")
}

func only(result string, keep bool) string {
	if keep {
		return result
	}
	return ""
}

func number(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return word
}
