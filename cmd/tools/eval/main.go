// Command eval measures how often the audit's matcher is right about what a summary kept, on labels of real compactions. With
// -questions it measures the search instead, and with -compare how far two readers agree.
// docs/AUDIT.md has the rules of the labels and the last results.
//
// The labels are in the repository, the transcripts are not. Eval reads the transcripts below third-party/claude-transcripts in the
// directory of -fixtures or JOURNAL_FIXTURES; if neither is set it measures nothing and exits with 0. It runs in the module's root. It
// exits with 1 if the transcripts cannot be read, or if the results for texts are below the bars (see table).
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"journal/events/text"
	"journal/journal/agents/claude"
	"journal/replay/audit/match"
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
	questions        bool
	sdeBench, locomo string
}

func main() {
	var o options
	flag.StringVar(&o.labels, "labels", filepath.Join("replay", "audit", "testdata", "eval", "real.txt"), "the file of labels")
	flag.StringVar(&o.fixtures, "fixtures", os.Getenv("JOURNAL_FIXTURES"), "the directory of the fixtures")
	flag.BoolVar(&o.disagreements, "disagreements", false, "print where the matcher and the labels disagree, of the tuned part only")
	flag.IntVar(&o.blind, "blind", 0, "print this number of items with their summaries for a second reader, without the verdicts")
	flag.IntVar(&o.draw, "draw", 0, "print this number of items of -kind that have no label yet, with their summaries, for new labels")
	flag.StringVar(&o.kind, "kind", "", "the kind of the items that -draw prints")
	flag.Uint64Var(&o.seed, "seed", 1, "the seed of -blind and -draw")
	flag.StringVar(&o.compare, "compare", "", "a file of a second reader with lines `id kept|lost`: print how far the readers agree")
	flag.BoolVar(&o.questions, "questions", false, "only measure how often a question finds its session: on the Japanese notes of the fixtures, and on -sde-bench and -locomo")
	flag.StringVar(&o.sdeBench, "sde-bench", "", "a checkout of github.com/vectorize-io/sde-bench")
	flag.StringVar(&o.locomo, "locomo", "", "the directory data/locomo/locomo10 of a checkout of github.com/vectorize-io/agent-memory-benchmark")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run does what the flags select, and prints to w.
func run(ctx context.Context, w io.Writer, o options) error {
	if o.questions {
		return recall(ctx, w, o)
	}
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
		return printAgreement(w, o.compare, labels)
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
		if err != nil {
			return err
		}
		blind(w, draw(all, o.draw, o.seed), label.newLine)
		return nil
	}
	all, absent, err := read(sessions, labels)
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
	return table(w, all, absent)
}

// printAgreement prints how far a second reader agrees with the labels.
func printAgreement(w io.Writer, path string, labels []label) error {
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
		a.total(), 100*a.share(), a.kappa(), a.both, a.first, a.second, a.neither)
	for _, l := range differ {
		fmt.Fprintln(w, " ", l.id(), l.kind, "of", l.compaction())
	}
	return nil
}

// table prints the results for each part and kind. absent are labels without an item. The error has the results for texts if one
// of them misses its bar. The bar of certain is for all texts, the others are for held-out texts.
func table(w io.Writer, all []reading, absent []label) error {
	tuned, heldOut := groups{}, groups{}
	for _, r := range all {
		part, group := tuned, "texts"
		if r.heldOut {
			part = heldOut
		}
		if r.kind == knowledge.File {
			group = "files"
		}
		part.add(r.kept, r.verdict, "kind "+string(r.kind), group)
	}
	tuned.write(w, "real, tuned")
	heldOut.write(w, "real, held out")
	if len(absent) > 0 {
		kinds := map[string]int{}
		for _, l := range absent {
			kinds[l.part()+" "+string(l.kind)]++
		}
		fmt.Fprintf(w, "%d labels are of items that the audit does not have: %v\n", len(absent), kinds)
	}
	texts, both := heldOut["texts"], heldOut["texts"].plus(tuned["texts"])
	missed := texts.precision() < 0.96 || texts.recall() < 0.90 || both.certain() < 0.93
	if texts != (tally{}) { // every share of nothing is 1
		missed = missed || texts.unclear() > 0.20
	}
	if missed {
		return fmt.Errorf("held-out texts: precision %.3f (least .96), recall %.3f (.90), unclear %.3f (most .20); of all called not told %.3f are right (.93)",
			texts.precision(), texts.recall(), texts.unclear(), both.certain())
	}
	return nil
}

// disagreements prints where the matcher and the labels differ. It prints no held-out labels, so that nobody tunes the matcher to
// them.
func disagreements(w io.Writer, all []reading) {
	for _, r := range all {
		if r.heldOut || r.kept == (r.verdict == match.Found) {
			continue
		}
		fmt.Fprintf(w, "%s %s %s: the label says %s, the matcher %s\n  %s\n", r.id(), r.kind, r.compaction(),
			verdict(r.kept), [...]string{"not told", "unclear", "told"}[r.verdict], text.CutUnits(r.item.text, shownUnits))
		if r.at != nil {
			fmt.Fprintf(w, "  %d %%: %s\n", r.at.Share, text.CutUnits(r.at.Quote, shownUnits))
		}
		fmt.Fprintln(w)
	}
}

// shownUnits bounds the text of an item in a disagreement, in UTF-16 units.
const shownUnits = 600

// verdict returns the word for a verdict in a file of labels.
func verdict(kept bool) string {
	if kept {
		return verdicts[1]
	}
	return verdicts[0]
}
