package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// line is a line of the table.
type line struct {
	Row      int     `json:"row"`
	What     string  `json:"what"`
	Bar      string  `json:"bar,omitempty"`
	P50      float64 `json:"p50_ms,omitempty"`
	P95      float64 `json:"p95_ms,omitempty"`
	P99      float64 `json:"p99_ms,omitempty"`
	N        int     `json:"n,omitempty"`
	Value    string  `json:"value,omitempty"`    // a result that is no time of a process; then there are no times
	Baseline string  `json:"baseline,omitempty"` // the result of this run that it is compared with
	Beyond   string  `json:"beyond,omitempty"`   // the difference to the baseline, and the ratio
	Met      *bool   `json:"met,omitempty"`      // whether the bar was reached; nil without a bar
	Load     string  `json:"load"`               // load average of the machine at the end of the row
}

// reached returns the line with a bar, and whether it was reached.
func (l line) reached(bar string, met bool) line {
	l.Bar, l.Met = bar, &met
	return l
}

// ms returns a duration in milliseconds.
func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// table holds the results of a run, and describes the machine.
type table struct {
	Go      string  `json:"go"`
	System  string  `json:"system"`
	CPUs    int     `json:"cpus"`
	Events  int     `json:"events"`
	Seconds float64 `json:"seconds"`
	Lines   []line  `json:"lines"`
}

// print writes the table for people, and for docs/PERFORMANCE.md.
func (t *table) print(w io.Writer) error {
	fmt.Fprintf(w, "%s, %s, %d CPUs, log of %d events, %.0f s\n\n", t.Go, t.System, t.CPUs, t.Events, t.Seconds)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { fmt.Fprintf(tw, "| %s\t|\n", strings.Join(cells, "\t| ")) }
	row("row", "what", "p50", "p95", "p99", "n", "bar", "baseline", "beyond it", "met", "load")
	row(slices.Repeat([]string{"---"}, 11)...)
	for _, l := range t.Lines {
		p50, p95, p99, n, met := l.Value, "", "", "", ""
		if l.Value == "" {
			p50, p95, p99 = fmt.Sprintf("%.2f", l.P50), fmt.Sprintf("%.2f", l.P95), fmt.Sprintf("%.2f", l.P99)
		}
		if l.N > 0 {
			n = fmt.Sprint(l.N)
		}
		if l.Met != nil {
			met = map[bool]string{true: "yes", false: "NO"}[*l.Met]
		}
		row(strconv.Itoa(l.Row), l.What, p50, p95, p99, n, l.Bar, l.Baseline, l.Beyond, met, l.Load)
	}
	return tw.Flush()
}

// printJSON writes the table for programs.
func (t *table) printJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(t)
}
