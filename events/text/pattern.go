package text

import (
	"regexp"
	"sync"
)

// Pattern returns a regular expression that is compiled at its first use: a program that does not use it starts sooner.
func Pattern(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}
