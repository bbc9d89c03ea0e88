package failure

import (
	"regexp"
	"slices"
	"strings"

	"journal/events/text"
)

// Finding is one error of a compiler or linter, or one failed test.
type Finding struct {
	Test string // name of the failed test; empty for an error of a compiler or linter
	Text string // one line: the place, "FAIL: " and the test, the reason; any of them can be missing
}

const (
	maxFindings = 60  // of one output
	maxFinding  = 200 // UTF-16 units of a Finding.Text
)

// testHead matches the line with which a tool begins what it prints about a failed test.
type testHead struct {
	hint   string // a text in every such line
	line   func() *regexp.Regexp
	body   bool // all lines below are about the test, not only indented ones
	reason bool // the line below is the reason
}

var testHeads = []testHead{
	{"--- FAIL: ", text.Pattern(`^\s*--- FAIL: (\S+)`), false, false},
	{"FAIL: ", text.Pattern(`^FAIL: ([^\s:]+)(?: \(\S+\))?$`), true, false}, // unittest, and Finding.Text
	{"● ", text.Pattern(`^\s*● (\S.*)$`), true, true},                       // jest
	{" > ", text.Pattern(`^\s*FAIL  +(\S+ > .+)$`), true, true},             // vitest
	{" stdout ----", text.Pattern(`^---- (\S+) stdout ----$`), true, false}, // cargo
	{"___ ", text.Pattern(`^_{3,} (\S+) _{3,}$`), true, false},              // pytest
}

// jestConsole is the line before what the tests of a file printed, which jest marks like a failed test.
const jestConsole = "● Console"

// Patterns of lines about errors. A line that placedError matches is no error if notError matches its message.
var (
	placedError = text.Pattern(`^([^\s:()"'` + "`" + `]*\.[A-Za-z]\w*(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)))(?::| -) +(\S.*)$`)
	notError    = text.Pattern(`^(?:(?:warning|note|info)\b|: #)`) // golangci-lint: "a.go:1: : # package" heads the errors of a package
	belowError  = text.Pattern(`^\s*--> (\S+:\d+:\d+)$`)           // rustc, ruff: the place below the error
	aboveArrow  = text.Pattern(`^(?:error(?:\[\w+\])?: |[A-Z]{1,4}\d{2,4} )\S`)
	fileAlone   = text.Pattern(`^\S*\.\w+$`)
	underFile   = text.Pattern(`^\s+(\d+:\d+)\s+error\s+(\S.*)$`) // eslint: below the file
	shortTest   = text.Pattern(`^FAILED [^\s:]+::(\S+)`)          // pytest
)

// cutMark matches the mark in place of the middle of a long output: of text.Join, and of clients.
var cutMark = text.Pattern(`…\[\+\d+ bytes sha256:|\d+ \w+ (?:truncated|omitted)\b`)

// Patterns of lines about a test. convincing matches a message that is probably a reason and not a line of a log, and compared one of
// the two values behind a reason.
var (
	runningTest = text.Pattern(`^=== (?:RUN|CONT|NAME) +(\S+)$`)
	testLine    = text.Pattern(`^([^\s:]+\.\w+:\d+):(?: +(.*))?$`)
	stackLine   = text.Pattern(`^(?:❯ |at (?:.*\()?)([^\s()]+\.\w+:\d+(?::\d+)?)\)?`)
	panickedAt  = text.Pattern(`^thread '.*panicked at (\S+:\d+:\d+):$`)
	convincing  = text.Pattern(`(?i)\b(?:error|panic|assert\w*|expected|received|got|want|should|must|undefined|cannot|not found|no such)\b.*\w`)
	compared    = text.Pattern(`(?i)^(?:expected|received|actual|left|right)\s*: *\S`)
)

// Findings returns what a run found, in its order: each error of a compiler or linter with its place, and each failed test with the
// first reason of its failure and the place of that. It reads the Texts of findings like any output. A command that only prints
// existing content finds nothing.
func Findings(command, output string) []Finding {
	if onlyReads(command) {
		return nil
	}
	return findingsIn(output)
}

// logPrefix matches what GitHub puts before a line of a job's log: the job and the step, the time, and the mark of an error.
var logPrefix = text.Pattern(`(?m)^(?:[^\t\n]*\t[^\t\n]*\t)?\x{feff}?\d{4}-\d\d-\d\dT[\d:.]+Z (?:##\[error\])?`)

// Reported returns the findings in the log of a continuous integration (CI), if a command prints such a log and nothing but existing
// content.
func Reported(command, output string) []Finding {
	if !strings.Contains(command, "gh ") && !strings.Contains(command, "glab ") {
		return nil // most commands; parsing each would take a tenth of a fold's time
	}
	if !onlyReads(command) || !slices.ContainsFunc(programCalls(command), printsJobLog) {
		return nil
	}
	return findingsIn(logPrefix().ReplaceAllString(output, ""))
}

// printsJobLog reports whether a simple command prints the log of a job of GitHub or GitLab.
func printsJobLog(words []string) bool {
	has := func(prefix, suffix string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, prefix) && strings.HasSuffix(w, suffix) })
	}
	switch base(words[0]) {
	case "gh":
		return has("run", "") && has("--log", "") || has("api", "") && has("", "/logs")
	case "glab":
		return has("ci", "") && has("trace", "")
	}
	return false
}

// findingsIn returns the findings in an output.
func findingsIn(output string) []Finding {
	s := findingScanner{reports: map[string]*testReport{}}
	for line := range strings.Lines(withoutCutLine(Plain(output))) {
		if cutMark().MatchString(line) {
			s.test = nil
			continue
		}
		line = strings.TrimRight(strings.ToValidUTF8(line, ""), " \t\r\n")
		line = line[len(taskMark().FindString(line)):]
		if line != "" && len(line) <= 2*maxLine && !IsLog(line) {
			s.read(line)
		}
	}
	var all []Finding
	for i, f := range s.found {
		if f.Text == "" {
			r := s.reports[f.Test]
			isSubtest := func(other Finding) bool { return strings.HasPrefix(other.Test, f.Test+"/") }
			if !r.certain && slices.ContainsFunc(s.found[i+1:], isSubtest) {
				continue // the subtest has the reason
			}
			f.Text = strings.Join(slices.DeleteFunc([]string{r.place, "FAIL: " + f.Test, r.reason}, func(s string) bool { return s == "" }), ": ")
		}
		f.Text = text.CutLine(f.Text, maxFinding)
		all = append(all, f)
	}
	return all
}

// Listed returns the Texts of some findings, each on a line.
func Listed(found []Finding) string {
	texts := make([]string, len(found))
	for i, f := range found {
		texts[i] = f.Text
	}
	return strings.Join(texts, "\n")
}

// atLine matches a Text with the line of an error.
var atLine = text.Pattern(`^([^\s:]+\.\w+:)(\d+)(?::\d+)?(: .*)$`)

// Grouped returns what Listed returned, but equal messages about one file as one line with the numbers of their lines.
func Grouped(listed string) string {
	lines := strings.Split(listed, "\n")
	numbers := map[string][]string{} // of the lines, by file and message
	key := func(m []string) string { return m[1] + m[3] }
	for _, line := range lines {
		if m := atLine().FindStringSubmatch(line); m != nil {
			numbers[key(m)] = append(numbers[key(m)], m[2])
		}
	}
	var grouped []string
	for _, line := range lines {
		if m := atLine().FindStringSubmatch(line); m != nil {
			all := numbers[key(m)]
			delete(numbers, key(m))
			if len(all) == 0 {
				continue // a line above has the number
			}
			if len(all) > 1 {
				line = m[1] + strings.Join(all, ", ") + m[3]
			}
		}
		grouped = append(grouped, line)
	}
	return strings.Join(grouped, "\n")
}

// findingScanner reads the lines of an output.
type findingScanner struct {
	found   []Finding              // the Text of a test with a report is empty
	reports map[string]*testReport // by the name of the test
	test    *testReport            // that of the test that the next lines are about, nil for none
	body    bool                   // all next lines are about the test, not only indented ones
	above   string                 // the line before
	file    string                 // the file whose errors follow
}

// read reads the next line.
func (s *findingScanner) read(line string) {
	bare, above := strings.TrimLeft(line, " \t"), s.above
	s.above = line
	if bare == jestConsole {
		s.test = nil
		return
	}
	for _, h := range testHeads {
		if strings.Contains(line, h.hint) && h.line().MatchString(line) {
			name := h.line().FindStringSubmatch(line)[1]
			s.add(Finding{Test: name})
			s.enter(name, h.body)
			s.test.next = h.reason && s.test.reason == ""
			return
		}
	}
	if m := runningTest().FindStringSubmatch(line); m != nil {
		s.enter(m[1], false)
		return
	}
	if name := testIn(line); name != "" {
		s.add(Finding{Test: name, Text: line})
		s.test = nil
		return
	}
	if m := shortTest().FindStringSubmatch(line); m != nil {
		name := strings.ReplaceAll(m[1], "::", ".")
		if s.reports[name] == nil {
			s.add(Finding{Test: name[strings.LastIndex(name, ".")+1:], Text: line})
		}
		return
	}
	place := placedError().FindStringSubmatch(line)
	if place != nil && s.test != nil && s.body && s.test.place == "" && s.test.certain {
		place = nil // pytest prints the place of a failure below the reason
	}
	if s.test != nil && place == nil && (s.body || bare != line) {
		s.test.read(bare)
		return
	}
	if s.test != nil && strings.HasPrefix(line, "panic: ") && !s.test.certain {
		s.test.reason, s.test.certain = line, true
	}
	s.test = nil
	s.readError(line, above, place)
}

// readError reads a line that is about no test. above is the line before, place the match of placedError.
func (s *findingScanner) readError(line, above string, place []string) {
	switch arrow, under := belowError().FindStringSubmatch(line), underFile().FindStringSubmatch(line); {
	case place != nil && notError().MatchString(place[2]):
	case place != nil:
		s.add(Finding{Test: testIn(place[2]), Text: line})
	case arrow != nil && aboveArrow().MatchString(above):
		s.add(Finding{Text: arrow[1] + ": " + above})
	case under != nil && s.file != "":
		s.add(Finding{Text: s.file + ":" + under[1] + ": " + text.Line(under[2])})
	case fileAlone().MatchString(line):
		s.file = line
	}
}

// testIn returns the test in a Finding.Text without its place, "" if it names none or has no reason.
func testIn(line string) string {
	rest, _ := strings.CutPrefix(line, "FAIL: ")
	name, _, found := strings.Cut(rest, ": ")
	if !found || rest == line {
		return ""
	}
	return name
}

// add adds a finding that is new.
func (s *findingScanner) add(f Finding) {
	if len(s.found) < maxFindings && !slices.Contains(s.found, f) {
		s.found = append(s.found, f)
	}
}

// enter makes the next lines those of a test.
func (s *findingScanner) enter(name string, body bool) {
	if s.reports[name] == nil {
		s.reports[name] = &testReport{}
	}
	s.test, s.body = s.reports[name], body
}

// testReport holds the place and the reason in the output about a test.
type testReport struct {
	place, reason string
	certain       bool // the failure surely has this reason; otherwise reason may be a line of the test's log
	next          bool // the next line is the reason
	placed        int  // number of lines with a place
}

// read reads a line without its indentation.
func (r *testReport) read(line string) {
	at, stack, panicked := testLine().FindStringSubmatch(line), stackLine().FindStringSubmatch(line), panickedAt().FindStringSubmatch(line)
	because, isPytest := strings.CutPrefix(line, "E  ")
	cause, isTestify := strings.CutPrefix(line, "Error: ")
	switch {
	case r.next:
		r.reason, r.certain, r.next = line, true, false
	case panicked != nil:
		r.place, r.next = panicked[1], r.reason == ""
	case isPytest && !r.certain:
		r.reason, r.certain = strings.TrimSpace(because), true
	case isTestify && r.place != "" && r.reason == "":
		r.reason, r.certain = strings.TrimSpace(cause), true
	case stack != nil && r.place == "":
		r.place = stack[1]
	case at != nil && r.certain && r.place == "":
		r.place = at[1]
	case at != nil && !r.certain:
		r.place, r.reason, r.certain = at[1], at[2], convincing().MatchString(at[2])
		if r.placed++; r.placed > 1 && !r.certain {
			r.place, r.reason = "", "" // it may be a line of the log
		}
	case r.certain && text.Units(r.reason) < maxFinding/2 && compared().MatchString(line):
		r.reason += "; " + text.Line(line)
	}
}
