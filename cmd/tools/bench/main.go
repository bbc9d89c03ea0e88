// Command bench measures how fast journal is and prints a table. Each number is compared with a baseline of the same run:
// absolute times differ between machines, but the difference between a hook and a process that does nothing differs less.
// docs/PERFORMANCE.md has the method and the last results.
//
// It runs in the module's root, needs the go command for its baselines, and works in a temporary directory that it removes, also
// after an interrupt. It exits with 1 only if it could not measure: a bar that is not met is a result.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"journal/journal/agents/claude"
)

func main() {
	program := flag.String("journal", filepath.Join("bin", "journal"), "the program to measure, with journal-hook beside it")
	recorded := flag.String("recording", filepath.Join("cmd", "journal", "testdata", "streams", claude.Name+"-2.1.329.jsonl"), "hooks of a real session, one payload a line")
	played := flag.String("sessions", "", "pattern of recordings that the sessions of the long log repeat in turn (default: that of -recording)")
	n := flag.Int("n", 200, "samples of a hook")
	events := flag.Int("events", 100_000, "events of the long log, in steps of 10,000")
	only := flag.String("rows", everyRow(), "rows to measure")
	into := flag.String("make", "", "measure nothing: make a log in this new directory, and print DIR:SESSION")
	compactions := flag.Int("compactions", 0, "with -make: the log is one session of -events commands with this number of compactions")
	asJSON := flag.Bool("json", false, "print one JSON document")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	chosen, err := choose(*only)
	if err == nil && (*n < 1 || *events < blockEvents) {
		err = fmt.Errorf("-n must be at least 1 and -events at least %d", blockEvents)
	}
	if err == nil {
		b := &bench{ctx: ctx, n: *n, events: *events / blockEvents * blockEvents}
		err = b.do(func() error {
			b.prepare(*program, *recorded, cmp.Or(*played, *recorded))
			if *into != "" {
				return b.keep(*into, *compactions)
			}
			return b.run(chosen, *asJSON)
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// everyRow lists the numbers of all rows.
func everyRow() string {
	var all []string
	for i := range rows {
		all = append(all, strconv.Itoa(i+1))
	}
	return strings.Join(all, ",")
}

// choose parses a list of row numbers.
func choose(list string) ([]int, error) {
	var chosen []int
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 || n > len(rows) {
			return nil, fmt.Errorf("-rows: %q is not a number from 1 to %d", s, len(rows))
		}
		chosen = append(chosen, n)
	}
	slices.Sort(chosen)
	return slices.Compact(chosen), nil
}

// do runs f and removes the run's directory. It returns the error of a failure.
func (b *bench) do(f func() error) (err error) {
	defer caught(&err)
	defer b.close()
	return f()
}

// run measures the chosen rows and prints the table.
func (b *bench) run(chosen []int, asJSON bool) error {
	began := time.Now()
	t := table{Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(), Events: b.events}
	for _, row := range chosen {
		if !asJSON {
			fmt.Fprintf(os.Stderr, "row %d ...\n", row)
		}
		for _, l := range rows[row-1](b) {
			l.Row, l.Load = row, load1()
			t.Lines = append(t.Lines, l)
		}
		b.stop(b.ctx)
	}
	t.Seconds = time.Since(began).Seconds()
	if asJSON {
		return t.printJSON(os.Stdout)
	}
	return t.print(os.Stdout)
}

// failure is an error that ends a run. It is passed to do by a panic, so that the code of the rows need not handle errors.
type failure struct{ error }

// check panics with a failure at an error.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// must returns v, or panics with a failure at an error.
func must[T any](v T, err error) T {
	check(err)
	return v
}

// caught sets err to the error of a failure that it recovers from; other panics go on.
func caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case failure:
		*err = p.error
	default:
		panic(p)
	}
}

// load1 returns the load average of the last minute, "unknown" without /proc. With a load far above 1 the times mean little.
func load1() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(b), " ")
	return one
}
