package catalogue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"journal/embedded/catalogue"
	"journal/events"
	"journal/projections"
	"journal/replay/search"
)

// spoken is a log of some stretches whose events each say a word of their own.
func spoken(t *testing.T) stored {
	log := stored{name: "JOURNAL_1"}
	for i := range 3*search.FilterSpan + 500 {
		log.add(t, events.CommandRan{Command: fmt.Sprintf("run word%dx", i)}, events.Meta{ID: events.DerivedID("spoken", fmt.Sprint(i)), Project: "p", Session: "s"})
	}
	return log
}

func keepWords(t *testing.T, dir string, log catalogue.Log, on bool) {
	t.Helper()
	k := catalogue.Keeper{Dir: dir, Log: log, Config: func() projections.Config { return projections.Config{} }}
	if err := k.KeepWords(t.Context(), 1, func() bool { return on }); err != nil {
		t.Fatal(err)
	}
}

// kept gives all meshes that are kept of a log.
func kept(t *testing.T, dir string, log catalogue.Log) []*search.Filter {
	return catalogue.Words(t.Context(), dir, log)(0, 1<<20)
}

func sameMeshes(a, b []*search.Filter) bool {
	return slices.EqualFunc(a, b, func(a, b *search.Filter) bool { return reflect.DeepEqual(a, b) })
}

// Words are of whole stretches, are moved on with the log, and are made anew where the file is not one of this log.
func TestWords(t *testing.T) {
	t.Parallel()
	log, dir := spoken(t), t.TempDir()
	keepWords(t, dir, log.first(search.FilterSpan-1), true)
	if got := kept(t, dir, log); len(got) != 0 {
		t.Fatalf("%d meshes of less than a stretch", len(got))
	}
	keepWords(t, dir, log, false) // somebody asks: it stops
	if got := kept(t, dir, log); len(got) != 1 {
		t.Fatalf("%d meshes where it was to stop", len(got))
	}
	keepWords(t, dir, log, true)
	moved := kept(t, dir, log)
	again := t.TempDir()
	keepWords(t, again, log, true)
	if len(moved) != 3 || !sameMeshes(moved, kept(t, again, log)) {
		t.Fatalf("%d meshes, which differ from those that were made at once", len(moved))
	}
	o := search.Options{Query: search.Parse("word1500x"), Limit: 3, Filters: catalogue.Words(t.Context(), dir, log)}
	if found, err := o.In(t.Context(), log, events.Span{Until: uint64(len(log.records))}); err != nil || len(found.Hits) != 1 || found.Hits[0].Seq != 1501 {
		t.Errorf("found %v, error %v", found, err)
	}
	path := filepath.Join(dir, catalogue.WordsName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(whole); i += 97 {
		flipped := append([]byte(nil), whole...)
		flipped[i] ^= 1 << (i % 8)
		if err := os.WriteFile(path, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := kept(t, dir, log); len(got) == len(moved) || !sameMeshes(got, moved[:len(got)]) {
			t.Fatalf("a file with a flipped bit in byte %d is used", i)
		}
	}
	more := log
	for range search.FilterSpan {
		more.add(t, events.TurnEnded{}, events.Meta{Project: "p", Session: "s"})
	}
	keepWords(t, dir, more, true) // finds it out
	keepWords(t, dir, log, true)
	if got := kept(t, dir, log); !sameMeshes(got, moved) {
		t.Error("it was not made anew")
	}
	for what, other := range map[string]stored{"of an epoch before": {log.Slice, log.records, "JOURNAL_2"}, "of more than there is": log.first(20)} {
		if kept(t, dir, other) != nil {
			t.Errorf("a file %s is used", what)
		}
	}
}
