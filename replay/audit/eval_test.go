package audit

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"journal/replay/knowledge"
)

// label is what a person says of one item and one summary.
type label struct {
	session string
	item    Item
	kept    bool
}

// tally counts how the matcher's "kept" meets the labels.
type tally struct{ hit, wrong, missed, right int }

func (t tally) precision() float64 { return share(t.hit, t.hit+t.wrong) }
func (t tally) recall() float64    { return share(t.hit, t.hit+t.missed) }

func share(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

func (t tally) with(kept, found bool) tally {
	switch {
	case kept && found:
		t.hit++
	case kept:
		t.missed++
	case found:
		t.wrong++
	default:
		t.right++
	}
	return t
}

// evaluate runs the matcher over one file of labels; wrong is called for every
// disagreement.
func evaluate(t *testing.T, file string, wrong func(label, *Match)) map[string]tally {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "eval", file))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]tally{}
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
		m := newMatcher(newSummary(sum), items, &vocabulary{})
		for i, l := range labels {
			found := m.find(i)
			for _, group := range []string{"all", "lang " + session[:2], "kind " + string(l.item.Kind)} {
				counts[group] = counts[group].with(l.kept, found != nil)
			}
			if l.kept != (found != nil) && wrong != nil {
				wrong(l, found)
			}
		}
	}
	return counts
}

func readLabels(t *testing.T, session, data string) []label {
	t.Helper()
	var all []label
	for line := range strings.Lines(data) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(f) != 3 || f[0] != "kept" && f[0] != "lost" || !slices.Contains(knowledge.Audited(), knowledge.Kind(f[1])) {
			t.Fatalf("%s: %q is no label", session, line)
		}
		text, detail, _ := strings.Cut(f[2], " => ")
		kind := knowledge.Kind(f[1])
		all = append(all, label{session, Item{Kind: kind, Text: text, Detail: detail, known: knowledge.Item{Kind: labelled(kind)}}, f[0] == "kept"})
	}
	return all
}

// labelled gives the declared kind that a report counts under the one of a label.
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
		{"held out", []string{"heldout.txtar"}, 1, 0.98},
	} {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			sum := map[string]tally{}
			for _, file := range set.files {
				wrong := func(l label, m *Match) {
					t.Logf("%s: kept=%v %s %q: found %+v", l.session, l.kept, l.item.Kind, l.item.Text, m)
				}
				if set.name == "held out" {
					wrong = nil
				}
				for group, n := range evaluate(t, file, wrong) {
					s := sum[group]
					sum[group] = tally{s.hit + n.hit, s.wrong + n.wrong, s.missed + n.missed, s.right + n.right}
				}
			}
			t.Logf("%-16s %9s %9s %6s %6s %6s %6s", set.name, "precision", "recall", "hit", "wrong", "missed", "right")
			for _, group := range slices.Sorted(maps.Keys(sum)) {
				n := sum[group]
				t.Logf("%-16s %9.3f %9.3f %6d %6d %6d %6d", group, n.precision(), n.recall(), n.hit, n.wrong, n.missed, n.right)
			}
			if n := sum["all"]; n.precision() < set.precision || n.recall() < set.recall {
				t.Errorf("precision %.3f recall %.3f, was %.3f and %.3f", n.precision(), n.recall(), set.precision, set.recall)
			}
		})
	}
}
