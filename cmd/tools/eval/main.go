// Command eval measures how right the audit's "kept" is on labels of real
// compactions. docs/AUDIT.md has the rules of the labels and the last results.
//
// The labels are in the repository, the transcripts are not: with -fixtures, or
// JOURNAL_FIXTURES, it reads them below third-party/claude-transcripts there, and
// without it measures nothing. It runs in the module's root. It exits with 1 only
// when it could not measure: a low number is a result.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"journal/cmd/testkit/tally"
	"journal/events/text"
	"journal/journal/agents/claude"
	"journal/replay/knowledge"
)

// options are the flags of the program.
type options struct {
	labels, fixtures string
	disagreements    bool
	blind, draw      int
	kind             string
	seed             uint64
	compare          string
}

func main() {
	var o options
	flag.StringVar(&o.labels, "labels", filepath.Join("replay", "audit", "testdata", "eval", "real.txt"), "the file of labels")
	flag.StringVar(&o.fixtures, "fixtures", os.Getenv("JOURNAL_FIXTURES"), "the directory of the fixtures")
	flag.BoolVar(&o.disagreements, "disagreements", false, "print where the audit and the labels disagree, of the tuned part only")
	flag.IntVar(&o.blind, "blind", 0, "print so many items with their summaries for a second reader, and nothing that was said of them")
	flag.IntVar(&o.draw, "draw", 0, "print so many items of -kind that have no label yet, with their summaries, for new labels")
	flag.StringVar(&o.kind, "kind", "", "the kind of what -draw prints")
	flag.Uint64Var(&o.seed, "seed", 1, "what -blind and -draw draw by")
	flag.StringVar(&o.compare, "compare", "", "a file of a second reader, `id kept|lost` a line: say how far it agrees")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, o options) error {
	f, err := os.Open(o.labels)
	if err != nil {
		return err
	}
	defer f.Close()
	labels, err := readLabels(f)
	if err != nil {
		return fmt.Errorf("%s: %w", o.labels, err)
	}
	if o.compare != "" {
		return second(w, o.compare, labels)
	}
	if o.fixtures == "" {
		fmt.Fprintf(w, "the %d labels of real compactions are skipped: their transcripts are not in the repository; set JOURNAL_FIXTURES to the directory of the fixtures\n", len(labels))
		return nil
	}
	scratch, err := os.MkdirTemp("", "journal-eval-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	sessions, err := openAll(ctx, filepath.Join(o.fixtures, "third-party", claude.Name+"-transcripts"), scratch, labels)
	if err != nil {
		return err
	}
	if o.draw > 0 {
		all, err := unlabelled(sessions, labels, knowledge.Kind(o.kind))
		blind(w, draw(all, o.draw, o.seed), label.unsaid)
		return err
	}
	all, absent, err := read(ctx, sessions, labels)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("none of the %d labels is of an item of the transcripts in %s", len(labels), o.fixtures)
	}
	switch {
	case o.blind > 0:
		blind(w, draw(all, o.blind, o.seed), label.named)
		return nil
	case o.disagreements:
		disagreements(w, all)
	}
	table(w, all, absent)
	return nil
}

// second says how far a second reader agrees.
func second(w io.Writer, path string, labels []label) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	a, differ, err := compare(f, labels)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	fmt.Fprintf(w, "%d items, %.1f %% agreement, Cohen's kappa %.2f; kept by both %d, by the first alone %d, by the second alone %d, by neither %d\n",
		a.of(), 100*a.share(), a.kappa(), a.both, a.first, a.second, a.neither)
	for _, l := range differ {
		fmt.Fprintln(w, " ", l.id(), l.kind, "of", l.compaction())
	}
	return nil
}

// table prints each part and kind, as audited and each item alone.
func table(w io.Writer, all []reading, absent []label) {
	audited, alone := map[string]tally.Groups{}, map[string]tally.Groups{}
	for _, r := range all {
		p := r.part()
		if audited[p] == nil {
			audited[p], alone[p] = tally.Groups{}, tally.Groups{}
		}
		worth := "leads the list"
		if r.item.Routine {
			worth = "routine"
		}
		audited[p].Count(r.kept, found(r.item), "kind "+string(r.kind), worth)
		alone[p].Count(r.kept, r.alone, "kind "+string(r.kind), worth)
	}
	for _, p := range []string{label{}.part(), label{heldOut: true}.part()} {
		audited[p].Write(w, "real, "+p)
		alone[p].Write(w, "real, "+p+", each alone")
	}
	if len(absent) == 0 {
		return
	}
	kinds := map[string]int{}
	for _, l := range absent {
		kinds[l.part()+" "+string(l.kind)]++
	}
	fmt.Fprintf(w, "%d labels are of items that the audit does not have: %v\n", len(absent), kinds)
}

// disagreements prints where the audit and the labels differ. Of what is held out
// it prints nothing, so that nobody tunes to it.
func disagreements(w io.Writer, all []reading) {
	for _, r := range all {
		if r.heldOut || r.kept == found(r.item) && r.kept == r.alone {
			continue
		}
		fmt.Fprintf(w, "%s %s %s: the label says %s, the audit %s, alone %s\n  %s\n", r.id(), r.kind, r.compaction(),
			verdict(r.kept), verdict(found(r.item)), verdict(r.alone), text.CutUnits(r.item.Text, shownUnits))
		if r.item.Detail != "" {
			fmt.Fprintf(w, "  => %s\n", text.CutUnits(r.item.Detail, shownUnits))
		}
		fmt.Fprintf(w, "  %s\n\n", r.item.Evidence.Why)
	}
}

// shownUnits bounds what a disagreement shows of an item, in UTF-16 units.
const shownUnits = 600

func verdict(kept bool) string {
	if kept {
		return verdicts[1]
	}
	return verdicts[0]
}
