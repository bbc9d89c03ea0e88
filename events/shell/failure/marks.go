package failure

import (
	"slices"
	"strings"

	"journal/events/text"
)

// mark describes a line that a tool prints when it has failed.
type mark struct {
	hint    string // a text in every such line: a line without it costs only this search
	matches func(line string) bool
}

// pattern returns a mark whose lines match a regular expression.
func pattern(hint, expression string) mark {
	compiled := text.Pattern(expression)
	return mark{hint, func(line string) bool { return compiled().MatchString(line) }}
}

// programMarks are the marks of builds, compilers, tests and languages.
var programMarks = []mark{
	pattern("*** ", `^make.*: \*\*\* .`),
	pattern("BUILD FAILED", `^[* ]*BUILD FAILED(?:[* ]*$| in )`),                    // gradle, xcodebuild, ant
	pattern("[ERROR] ", `^\[ERROR\] (?:Failed to execute goal |COMPILATION ERROR)`), // maven
	pattern("ERROR task failed", `^(?:\[.*\] )?ERROR task failed$`),                 // mise
	pattern("Finished with errors", `Finished with errors$`),
	pattern("error: Recipe `", "^error: Recipe `"), // just, task
	{":", isPlaced},
	pattern("error[E", `^error\[E`), // rustc
	pattern("error: ", `^error: (?:could not compile |test failed)`), // cargo
	pattern("): error TS", `\(.*\): error TS`),
	pattern("--- FAIL: ", `^--- FAIL: `),
	pattern("FAIL", `^FAIL(?:$|\t| .*\]$)`), // go test, of a whole package
	pattern("panic: ", `^panic: `),
	pattern("exit status ", `^exit status [0-9]*[1-9][0-9]*$`), // go run
	pattern("npm ", `^npm (?:ERR!|error) `),
	pattern("ERR_PNPM_", `^ERR_PNPM_`),
	pattern("Tests: ", `^Tests: .* failed`), // jest, vitest
	pattern("failed", `^Tests  [0-9]+ failed`),
	pattern("Error: Cannot find module ", `^(?:Uncaught )?Error: Cannot find module `),
	pattern("Traceback (most recent call last):", `^Traceback \(most recent call last\):$`),
	pattern("FAILED ", `^FAILED (?:.*::|\((?:failures|errors)=)`), // pytest, unittest
	pattern(" failed", `^=*\s*[0-9]*[1-9][0-9]* failed.* in `),
}

// position begins the patterns of shellMarks. zsh prints it in front of a message: "zsh:1: ", "(eval):1: ".
const position = `^(?:(?:zsh|\(eval\)):\S* )?`

// shellMarks are error messages of shells, of git, and of programs that find no file. They are about the command itself, so
// they are marks even for a command that only prints existing content.
var shellMarks = []mark{
	pattern("command not found", position+`(?:.*: command not found$|command not found: )`),
	pattern(": No such file or directory", position+`[^\s"'(=:]+: .*: No such file or directory$`),
	pattern("' is not recognized as ", position+`(?:[^']*The term )?'.*' is not recognized as (?:an internal or external command|.* name of a cmdlet)`),
	pattern("fatal: ", position+`fatal: `),
}

// marks are all marks of failure.
var marks = slices.Concat(programMarks, shellMarks)

// marked reports whether one of the marks matches a line, which must be trimmed and have no escape sequences.
func marked(line string, known []mark) bool {
	return slices.ContainsFunc(known, func(m mark) bool { return strings.Contains(line, m.hint) && m.matches(line) })
}

// isPlaced reports whether a line begins with "file.ext:12:5: ", as compilers and linters print it, and is no note or warning.
// It uses no regular expression, because it is called for every line with a colon.
func isPlaced(line string) bool {
	name, rest, _ := strings.Cut(line, ":")
	if strings.ContainsAny(name, " \t\"'`") || !strings.Contains(name, ".") {
		return false
	}
	for range 2 {
		digits, more, found := strings.Cut(rest, ":")
		if !found || !isNumber(digits) {
			return false
		}
		rest = more
	}
	message, ok := strings.CutPrefix(rest, " ")
	return ok && !strings.HasPrefix(message, "note:") && !strings.HasPrefix(message, "warning:") && !strings.HasPrefix(message, "info:")
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
