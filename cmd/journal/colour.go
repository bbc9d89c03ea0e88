package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// colour is an SGR parameter of a terminal.
type colour string

const (
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
)

// painter gives what puts a line of the result in a colour: on a terminal and
// without NO_COLOR, which counts when it is not empty; else the line as it is.
func (a *app) painter() func(colour, string) string {
	if !isTerminal(a.out) || a.getenv("NO_COLOR") != "" {
		return func(_ colour, s string) string { return s }
	}
	return func(c colour, s string) string { return "\x1b[" + string(c) + "m" + s + "\x1b[0m" }
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
