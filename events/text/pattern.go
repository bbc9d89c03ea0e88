package text

import (
	"regexp"
	"sync"
)

// Pattern returns a function that compiles a regular expression at its first call: a program that does not use it starts
// sooner.
func Pattern(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}

var testFile = Pattern(`(?i)(?:^|/)(?:tests?|specs?|__tests__)/|[._-](?:test|spec)s?\.\w+$|(?:^|/)test_[^/]*$|Tests?\.\w+$`)

var importLine = Pattern(`^\s*(?:import\b|from\b|use\b|using\b|#\s*include\b|require\b|(?:\w+ )?"[^"]*"$)`)

// IsImport reports whether a line of source code looks like the import of other files.
func IsImport(line string) bool { return importLine().MatchString(line) }

var commentLine = Pattern(`^\s*(?://|/\*|\*|#(?: |$)|--|<!--)`)

// IsComment reports whether a line of source code looks like only a comment.
func IsComment(line string) bool { return commentLine().MatchString(line) }

// IsTest reports whether a path of a source file, with slashes, looks like that of a test.
func IsTest(path string) bool { return testFile().MatchString(path) }
