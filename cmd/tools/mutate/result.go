package main

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// result holds the outcomes of the mutations of a package.
type result struct {
	Package   string     `json:"package"`
	Seed      uint64     `json:"seed"`
	Own       int        `json:"own"`     // noticed by the package's own tests
	Users     int        `json:"users"`   // noticed only by the tests of packages that use it
	Scripts   int        `json:"scripts"` // noticed only by the scripts
	Survivors []mutation `json:"survivors"`
	Named     []named    `json:"equivalent"` // in equivalent.txt
	Broken    int        `json:"broken"`     // did not compile
	Same      int        `json:"same"`       // the compiler made the same code
}

// named is a mutation that equivalent.txt names.
type named struct {
	mutation
	Reason string `json:"reason"`
}

// viable counts the mutations that a test could notice.
func (r *result) viable() int { return r.Own + r.Users + r.Scripts + len(r.Survivors) }

// note counts the outcome of a mutation.
func (r *result) note(m mutation, outcome fate) {
	switch outcome {
	case byOwn:
		r.Own++
	case byUsers:
		r.Users++
	case byScripts:
		r.Scripts++
	case broken:
		r.Broken++
	case same:
		r.Same++
	default:
		r.Survivors = append(r.Survivors, m)
	}
}

// percent returns the percentage of viable mutations that were noticed.
func (r *result) percent() float64 {
	return 100 * float64(r.Own+r.Users+r.Scripts) / float64(max(1, r.viable()))
}

// table prints results for people: the survivors, and a line for each package.
func table(w io.Writer, all []result) {
	sum := result{Package: "all"}
	for _, r := range all {
		for _, m := range r.Survivors {
			fmt.Fprintln(w, m)
		}
		sum.Own, sum.Users, sum.Scripts = sum.Own+r.Own, sum.Users+r.Users, sum.Scripts+r.Scripts
		sum.Survivors, sum.Named = append(sum.Survivors, r.Survivors...), append(sum.Named, r.Named...)
		sum.Broken, sum.Same = sum.Broken+r.Broken, sum.Same+r.Same
	}
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(columns, "noticed\tby own\tby users\tby scripts\tsurvived\tequivalent\tsame code\tno code\tpackage\t")
	for _, r := range append(all, sum) {
		fmt.Fprintf(columns, "%.0f %%\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t\n",
			r.percent(), r.Own, r.Users, r.Scripts, len(r.Survivors), len(r.Named), r.Same, r.Broken, r.Package)
	}
	_ = columns.Flush()
}

// progress prints the outcome of a mutation on stderr, and the whole mutation if it survived.
func progress(m mutation, outcome fate) {
	if outcome == survived {
		fmt.Fprintf(os.Stderr, "survived: %s", m)
		return
	}
	fmt.Fprintf(os.Stderr, "%s:%d %s\n", m.File, m.Line, outcome)
}
