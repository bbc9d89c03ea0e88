package recovery_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"journal/events/text"
	"journal/projections"
	"journal/replay"
	"journal/replay/knowledge"
	"journal/replay/recovery"
)

var update = flag.Bool("update", false, "write the texts that are missing; existing ones stay")

// TestRecoveryTexts: each archive in testdata/recovery has a log and the text that an agent gets after it, in every
// language: events.jsonl, en.txt, ja.txt, ko.txt and, if unusual, target.json.
func TestRecoveryTexts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/recovery/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("there are no examples")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			example(t, file)
		})
	}
}

func example(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(archive.Comment)) == "" {
		t.Error("the example has no sentence about its subject")
	}
	of := target
	var log replay.Slice
	texts := map[string]string{}
	for _, f := range archive.Files {
		switch f.Name {
		case "events.jsonl":
			log = readLog(t, f.Data)
		case "target.json":
			strict(t, f.Data, &of)
		default:
			texts[f.Name] = string(f.Data)
		}
	}
	r, err := recovery.Replayed(context.Background(), log, of, projections.Config{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	missing := false
	for _, lang := range recovery.Languages() {
		got := render(t, r, lang).Text
		if got != "" {
			got += "\n"
		}
		name := lang + ".txt"
		want, ok := texts[name]
		delete(texts, name)
		switch {
		case !ok && *update:
			archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(got)})
			missing = true
		case !ok:
			t.Errorf("no %s: run with -update and read what it wrote", name)
		default:
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
	for name := range texts {
		t.Errorf("%s is no part of an example", name)
	}
	if missing {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// render returns the text in a built-in language, within the default limits.
func render(tb rapid.TB, r recovery.Recovery, lang string) recovery.Text {
	tb.Helper()
	return renderWithin(tb, r, lang, recovery.Limit{})
}

func renderWithin(tb rapid.TB, r recovery.Recovery, lang string, limit recovery.Limit) recovery.Text {
	tb.Helper()
	tmpl, err := recovery.Template(lang, "")
	if err != nil {
		tb.Fatal(err)
	}
	text, err := recovery.Render(r, tmpl, limit)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// TestOrderOfItems: testdata/order.txt lists items of all kinds, most needed first, each in its tier.
func TestOrderOfItems(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/recovery/everything.txtar")
	if err != nil {
		t.Fatal(err)
	}
	log := readLog(t, archive.Files[0].Data)
	fold := projections.NewFold(target, projections.Config{}, knowledge.Needs()...)
	if err := replay.Forward(context.Background(), log, fold, 0); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, it := range knowledge.Listed(knowledge.Lists(fold)...) {
		is := it.Cut(0)
		fmt.Fprintf(&b, "%d %s %s: %d and %d units, %d left out\n", is.Tier, is.Kind, is.ID(), text.Units(is.Text), text.Units(is.Detail), is.Rest)
	}
	b.WriteString("\n")
	for _, d := range knowledge.Kinds() { // how much of a long item a text shows
		fmt.Fprintf(&b, "%s:", d.Kind)
		for _, words := range []int{40, 55, 600} {
			it := knowledge.Item{Kind: d.Kind, Text: strings.Repeat("words ", words), Detail: strings.Repeat("more\n", words)}
			is := it.Cut(0)
			fmt.Fprintf(&b, " %d and %d of %d;", text.Units(is.Text), text.Units(is.Detail), words)
		}
		b.WriteString("\n")
	}
	const golden = "testdata/order.txt"
	want, err := os.ReadFile(golden)
	if errors.Is(err, fs.ErrNotExist) && *update {
		want = []byte(b.String())
		err = os.WriteFile(golden, want, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
