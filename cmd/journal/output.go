package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"journal/events/text"
)

// Terminal is where a verb meets who called it: it prints there, asks, and says how far it is.
type Terminal struct {
	in     *os.File
	out    io.Writer // the result; a display
	err    io.Writer // what a person should know beside it; a display
	getenv func(string) string
	asJSON bool // --json
	// at is the colleague's log that is read now, nil for this log.
	at    *place
	noted map[string]bool // what was said by note
}

// jsonFlag lets a verb print its result as JSON.
func (t *Terminal) jsonFlag(c *cobra.Command) {
	c.Flags().BoolVar(&t.asJSON, "json", false, "one JSON document")
}

// jsonLinesFlag is jsonFlag for a verb that prints a stream.
func (t *Terminal) jsonLinesFlag(c *cobra.Command) {
	c.Flags().BoolVar(&t.asJSON, "json", false, "one JSON object per line")
}

// print prints a result: as one JSON document with --json, else as text does for
// people. Nobody looks at errors of the output in text.
func (t *Terminal) print(doc any, text func()) error {
	if t.asJSON {
		return t.printJSON(doc)
	}
	text()
	return nil
}

// printJSON prints one JSON document.
func (t *Terminal) printJSON(v any) error {
	if t.at != nil {
		var later bool
		var err error
		if v, later, err = t.printOf(v); err != nil || later {
			return err
		}
	}
	enc := jsonTo(verbatim(t.out))
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// jsonLines gives an encoder of one document per line onto the result.
func (t *Terminal) jsonLines() encoder { return t.encoderTo(verbatim(t.out)) }

// jsonTo gives an encoder of one document per line.
func jsonTo(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// printAll is printEach, and says beside the result that there is nothing.
func printAll[T any](a *app, list []T, none string, lines func(T) string) {
	if len(list) == 0 {
		fmt.Fprintln(a.err, none)
	}
	printEach(a, list, lines)
}

// printEach prints a list for people, some lines each, cut to the width of the terminal.
func printEach[T any](a *app, list []T, lines func(T) string) {
	for _, v := range list {
		for line := range strings.SplitSeq(lines(v), "\n") {
			fmt.Fprintln(a.out, text.CutColumns(line, a.width()))
		}
	}
}

// printBeside prints a text beside a name, in as many lines as the terminal needs.
func (t *Terminal) printBeside(name, said string) {
	lines := []string{said}
	if room := t.width() - text.Columns(name); room > 0 {
		lines = wrapped(said, room)
	}
	for _, line := range lines {
		fmt.Fprintln(t.out, name+line)
		name = strings.Repeat(" ", text.Columns(name))
	}
}

// note tells a person something beside the result, once.
func (t *Terminal) note(s string) {
	if t.noted[s] {
		return
	}
	if t.noted == nil {
		t.noted = map[string]bool{}
	}
	t.noted[s] = true
	fmt.Fprintf(t.err, "note: %s\n", s)
}

// oneLine is printable on one line: every run of white space is one blank.
func oneLine(s string) string { return text.Printable(strings.Join(strings.Fields(s), " ")) }

// flat is printable on one line in which blanks stay as they are, so that columns do.
func flat(s string) string { return unbroken.Replace(text.Printable(s)) }

var unbroken = strings.NewReplacer("\n", " ", "\t", " ")

// counted gives a number of things for people; one names one of them.
func counted[N int | uint64](n N, one string) string {
	switch y, ends := strings.CutSuffix(one, "y"); {
	case n == 1:
		return "1 " + one
	case ends:
		return fmt.Sprintf("%d %sies", n, y)
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// size gives bytes for people.
func size(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// colour is an SGR parameter of a terminal.
type colour string

const (
	plain  colour = ""
	cyan   colour = "36"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
)

// cut makes a line printable, and shortens it to the width of the terminal, and to lineColumns elsewhere.
func (t *Terminal) cut(line string) string {
	return text.CutColumns(flat(line), cmp.Or(t.width(), lineColumns))
}

// paint prints a line of the result in a colour: on a terminal and without NO_COLOR, which
// counts when it is not empty; else the line as it is.
func (t *Terminal) paint(c colour, line string) error {
	if c == plain || !isTerminal(t.out) || t.getenv("NO_COLOR") != "" {
		_, err := fmt.Fprintln(t.out, line)
		return err
	}
	_, err := fmt.Fprintf(verbatim(t.out), "\x1b[%sm%s\x1b[0m\n", c, flat(line))
	return err
}

// width is how many columns a line of the result has: as COLUMNS says, else as many as
// the terminal has; 0 elsewhere.
func (t *Terminal) width() int {
	if n, err := strconv.Atoi(t.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	f, ok := verbatim(t.out).(*os.File)
	if !ok {
		return 0
	}
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

func isTerminal(w any) bool {
	if d, ok := w.(*display); ok {
		w = d.to
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
