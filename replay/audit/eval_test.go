package audit

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"journal/cmd/testkit/tally"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// label is what a person says of one item and one summary.
type label struct {
	session string
	item    Item
	kept    bool
}

// evaluate counts how the matcher meets one file of labels, with the items of each
// session together, and with each alone; wrong is called for every disagreement of
// the first.
func evaluate(t *testing.T, file string, together, alone tally.Groups, wrong func(label, *match.Match)) {
	t.Helper()
	eachLabel(t, file, func(sum string, l label, found *match.Match) {
		groups := []string{"lang " + l.session[:2], "kind " + string(l.item.Kind)}
		together.Count(l.kept, found != nil, groups...)
		by := newMatcher(sum, []Item{l.item}, &match.Vocabulary{}).Find(0)
		alone.Count(l.kept, by != nil, groups...)
		if l.kept != (by != nil) && l.kept == (found != nil) && wrong != nil {
			l.session += " (alone)"
			wrong(l, by)
		}
		if l.kept != (found != nil) && wrong != nil {
			wrong(l, found)
		}
	})
}

// eachLabel returns what the matcher finds of each label of a file, with the items of a
// session together.
func eachLabel(t *testing.T, file string, check func(sum string, l label, found *match.Match)) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "eval", file))
	if err != nil {
		t.Fatal(err)
	}
	sum := ""
	for _, f := range archive.Files {
		session, part, _ := strings.Cut(f.Name, "/")
		if part == "summary" {
			sum = string(f.Data)
			continue
		}
		labels := readLabels(t, session, string(f.Data))
		var items []Item
		for _, l := range labels {
			items = append(items, l.item)
		}
		m := newMatcher(sum, items, &match.Vocabulary{})
		for i, l := range labels {
			check(sum, l, m.Find(i))
		}
	}
}

func readLabels(t *testing.T, session, data string) []label {
	t.Helper()
	var all []label
	for line := range strings.Lines(data) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(f) != 3 || f[0] != "kept" && f[0] != "lost" || !slices.Contains(knowledge.Audited(), knowledge.Kind(f[1])) {
			t.Fatalf("%s: %q is no label", session, line)
		}
		text, detail, _ := strings.Cut(strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(f[2]), " => ")
		kind := knowledge.Kind(f[1])
		all = append(all, label{session, Item{Kind: kind, Text: text, Detail: detail, of: labelled(kind).Def()}, f[0] == "kept"})
	}
	return all
}

// labelled returns the declared kind that a report counts under the one of a label.
func labelled(k knowledge.Kind) knowledge.Kind {
	if k == knowledge.DonePhase {
		return knowledge.Phase
	}
	return k
}

// TestEvaluation keeps the matcher from getting worse than it was measured to be
// on labels that were written before it (ADR-0010 rule 9). The held-out labels are
// counted apart and never listed.
func TestEvaluation(t *testing.T) {
	t.Parallel()
	for _, set := range []struct {
		name              string
		files             []string
		precision, recall float64
	}{
		{"tuned", []string{"en.txtar", "ko.txtar", "ja.txtar"}, 1, 0.98},
		{"held out", []string{"heldout.txtar"}, 1, 0.95},
	} {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			together, alone := tally.Groups{}, tally.Groups{}
			for _, file := range set.files {
				wrong := func(l label, m *match.Match) {
					t.Logf("%s: kept=%v %s %q: found %+v", l.session, l.kept, l.item.Kind, l.item.Text, m)
				}
				if set.name == "held out" {
					wrong = nil
				}
				evaluate(t, file, together, alone, wrong)
			}
			together.Write(t.Output(), "own, "+set.name)
			alone.Write(t.Output(), "own, "+set.name+", each alone")
			if n := together[tally.All]; n.Precision() < set.precision || n.Recall() < set.recall {
				t.Errorf("precision %.3f recall %.3f, was %.3f and %.3f", n.Precision(), n.Recall(), set.precision, set.recall)
			}
		})
	}
}

// TestEvidence: what the matcher finds of each labelled item, by which rule and how sure, is
// what it found before. Where it finds more or better, remove the file and run the
// tests with -update; the labels stay.
func TestEvidence(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, file := range []string{"en.txtar", "ja.txtar", "ko.txtar"} {
		session, n := "", 0
		eachLabel(t, file, func(_ string, l label, is *match.Match) {
			if n++; l.session != session {
				session, n = l.session, 1
			}
			found := "nowhere"
			if is != nil {
				found = fmt.Sprintf("%s %.2f %d-%d %q", is.Rule, is.Score, is.From, is.To, is.Quote)
			}
			fmt.Fprintf(&b, "%s %d %s: %s\n", session, n, l.item.Kind, found)
		})
	}
	const golden = "testdata/eval/evidence.txt"
	want, err := os.ReadFile(golden)
	if errors.Is(err, fs.ErrNotExist) && flag.Lookup("update").Value.String() == "true" {
		want = []byte(b.String())
		err = os.WriteFile(golden, want, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("-before +now:\n%s", diff)
	}
}
