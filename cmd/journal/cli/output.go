package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"journal/events/text"
)

// Terminal connects a verb to its caller: it prints, asks, and shows progress.
type Terminal struct {
	In     *os.File
	Out    io.Writer // the result; a display
	Err    io.Writer // notes and errors; a display
	Getenv func(string) string
	AsJSON bool // --json
	// Copy is the colleague's log that is being read, nil for this log.
	Copy      *TeamCopy
	collected []json.RawMessage // items of the lists that a verb printed from colleagues' logs, for PrintLists; nil: it printed none
	noted     sync.Map          // texts that Note has printed
}

// JSONFlag lets a verb print its result as JSON.
func (t *Terminal) JSONFlag(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&t.AsJSON, "json", false, "one JSON document")
	return c
}

// JSONLinesFlag is JSONFlag for a verb that prints a stream.
func (t *Terminal) JSONLinesFlag(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&t.AsJSON, "json", false, "one JSON object per line")
	return c
}

// Print prints a result: as one JSON document with --json, otherwise by calling text. An error of writing text is not returned
// here: the display keeps it, and Run makes it the error of the program.
func (t *Terminal) Print(doc any, text func()) error {
	if t.AsJSON {
		return t.PrintJSON(doc)
	}
	text()
	return nil
}

// PrintExit is Print for a verb that checks something: if failed is set, it then returns ExitWith(code).
func (t *Terminal) PrintExit(doc any, text func(), failed bool, code int) error {
	if err := t.Print(doc, text); err != nil {
		return err
	}
	return ExitIf(failed, code)
}

// PrintJSON prints one JSON document. A list from a colleague's log is kept for PrintLists instead.
func (t *Terminal) PrintJSON(v any) error {
	if t.Copy != nil {
		if isList, err := t.collectList(v); err != nil || isList {
			return err
		}
	}
	enc := t.JSONLines()
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// JSONLines returns an encoder that prints one document per line on stdout.
func (t *Terminal) JSONLines() Encoder { return t.EncoderTo(Verbatim(t.Out)) }

// PrintJSONLines prints one document per line.
func PrintJSONLines[T any](a *App, all []T) error {
	enc := a.JSONLines()
	for _, v := range all {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return nil
}

// PrintAll is PrintEach, but for an empty list it prints emptyNote on stderr.
func PrintAll[T any](a *App, list []T, emptyNote string, lines func(T) string) {
	if len(list) == 0 {
		fmt.Fprintln(a.Err, emptyNote)
	}
	PrintEach(a, list, lines)
}

// PrintEach prints a list for people, each line cut to the width of the terminal. lines returns the lines of an item.
func PrintEach[T any](a *App, list []T, lines func(T) string) {
	for _, v := range list {
		for line := range strings.SplitSeq(lines(v), "\n") {
			fmt.Fprintln(a.Out, text.CutColumns(line, a.Width()))
		}
	}
}

// PrintBeside prints a name and a text behind it. The text is wrapped to the terminal's width; its further lines are indented by
// the width of the name.
func (t *Terminal) PrintBeside(name, value string) {
	lines := []string{value}
	if room := t.Width() - text.Columns(name); room > 0 {
		lines = Wrapped(value, room)
	}
	for _, line := range lines {
		fmt.Fprintln(t.Out, name+line)
		name = strings.Repeat(" ", text.Columns(name))
	}
}

// Note prints a note on stderr. It prints the same note only once. It is safe for concurrent use.
func (t *Terminal) Note(s string) {
	if _, printed := t.noted.LoadOrStore(s, true); !printed {
		fmt.Fprintf(t.Err, "note: %s\n", s)
	}
}

// OneLine returns a text as one printable line, with every run of white space as one blank.
func OneLine(s string) string { return text.Printable(strings.Join(strings.Fields(s), " ")) }

// Flat returns a text as one printable line, with every line break and tab as one blank. Other blanks stay, so that columns stay.
func Flat(s string) string { return lineBreaks.Replace(text.Printable(s)) }

var lineBreaks = strings.NewReplacer("\n", " ", "\t", " ")

// Size returns a number of bytes for people, such as 1.5 MiB.
func Size(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return text.Counted(n, "byte")
}

// Colour is the number of a terminal's colour, as in the escape sequence ESC [ 31 m.
type Colour string

// The colours of lines. Plain is the terminal's own.
const (
	Plain  Colour = ""
	Cyan   Colour = "36"
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
)

// Cut returns a line as Flat does, shortened to the width of the terminal, or to LineColumns if that is not known.
func (t *Terminal) Cut(line string) string {
	return text.CutColumns(Flat(line), cmp.Or(t.Width(), LineColumns))
}

// Paint prints a line of the result. On a terminal the line has the colour c, unless NO_COLOR is set or TERM is dumb.
func (t *Terminal) Paint(c Colour, line string) error {
	if c == Plain || !t.colours() {
		_, err := fmt.Fprintln(t.Out, line)
		return err
	}
	return writeSequences(t.Out, fmt.Sprintf("\x1b[%sm%s\x1b[0m\n", c, Flat(line)))
}

// Mark prints a line of the result. If the result is printed in colours, it highlights the words in it, whatever their case.
func (t *Terminal) Mark(words []string, line string) {
	if len(words) == 0 || !t.colours() {
		fmt.Fprintln(t.Out, line)
		return
	}
	var patterns []string
	for _, w := range words {
		patterns = append(patterns, regexp.QuoteMeta(w))
	}
	marked := regexp.MustCompile("(?i)"+strings.Join(patterns, "|")).ReplaceAllString(Flat(line), "\x1b[1;"+string(Yellow)+"m$0\x1b[0m")
	_ = writeSequences(t.Out, marked+"\n") // the display keeps the error (Print)
}

// colours reports whether the result is printed in colours.
func (t *Terminal) colours() bool {
	return IsTerminal(t.Out) && t.Getenv("NO_COLOR") == "" && t.Getenv("TERM") != "dumb"
}

// Width returns the width of the result in columns: COLUMNS, else the width of the terminal; 0 without a terminal.
func (t *Terminal) Width() int {
	if n, err := strconv.Atoi(t.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	f := fileOf(t.Out)
	if f == nil {
		return 0
	}
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// IsTerminal reports whether a file, or the target of a display, is a terminal.
func IsTerminal(w any) bool {
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// fileOf returns w if it is a file, or the file behind a display; nil for any other writer.
func fileOf(w any) *os.File {
	if d, ok := w.(*display); ok {
		w = d.to
	}
	f, _ := w.(*os.File)
	return f
}
