package main

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"strings"
)

// equivalentText has the mutations that do not change what the program does. Each has a paragraph: the mutation as it is printed,
// without the line number, and the reason:
//
//	replay/live.go Folds.At
//	- if len(f.lanes) > f.max {
//	+ if len(f.lanes) >= f.max {
//	why nobody can tell the difference
//
//go:embed equivalent.txt
var equivalentText string

var errEquivalent = errors.New("equivalent.txt")

// equivalents returns the reasons in equivalentText by the keys of the mutations.
func equivalents() (map[string]string, error) {
	known := map[string]string{}
	for paragraph := range strings.SplitSeq(equivalentText, "\n\n") {
		var m mutation
		var old, changed, reason []string
		lines := bufio.NewScanner(strings.NewReader(paragraph))
		for lines.Scan() {
			line := lines.Text()
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "-"):
				old = append(old, line[1:])
			case strings.HasPrefix(line, "+"):
				changed = append(changed, line[1:])
			case m.File == "":
				m.File, m.Func, _ = strings.Cut(line, " ")
			default:
				reason = append(reason, line)
			}
		}
		if m.File == "" {
			continue
		}
		m.Old, m.New = strings.Join(old, "\n"), strings.Join(changed, "\n")
		key := m.key()
		if len(old) == 0 || len(reason) == 0 || known[key] != "" {
			return nil, fmt.Errorf("%w: %s %s: no change, no reason, or twice", errEquivalent, m.File, m.Func)
		}
		known[key] = strings.Join(reason, " ")
	}
	return known, nil
}
