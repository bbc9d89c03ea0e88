package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded"
	"journal/embedded/catalogue"
	"journal/journal"
	"journal/projections"
)

// derivedFiles follow from the log.
var derivedFiles = []string{"sessions", "audits", "derived.db", "index", "scrub", "head"}

// keepTable has the table of sessions and the words written, as an idle owner does.
func (w *world) keepTable() {
	w.Helper()
	nc, err := journal.Connect(w.Context(), w.dir)
	if err != nil {
		w.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		w.Fatal(err)
	}
	log, err := journal.OpenLog(w.Context(), js)
	if err != nil {
		w.Fatal(err)
	}
	k := catalogue.Keeper{Dir: w.dir, Log: log.Through(embedded.Records(w.dir, log.Stream())), Config: func() projections.Config { return projections.Config{} }}
	always := func() bool { return true }
	if err := errors.Join(k.Keep(w.Context(), 1, always), k.KeepWords(w.Context(), 1, always)); err != nil {
		w.Fatal(err)
	}
}

// With derived files and without, with one that is half written and beside one of a moment before,
// every verb answers the same; and no such file has words that were forgotten.
func TestDerivedFilesChangeNoAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const session = "7b1d6a52-40fc-4c1e-9d8e-0f1f64f0c9aa"
	w.play(filepath.Join("testdata", "streams", "claude-2.1.329.jsonl"), 1, false)
	w.hook(prompt(session, "the purple heron of Utrecht"))
	if _, stderr, code := w.run("", "decide", "the purple heron stays", "--session", session); code != 0 {
		t.Fatal(stderr)
	}
	answers := func() (all []string) {
		t.Helper()
		for _, line := range []string{
			"sessions", "sessions --json", "sessions --all", "sessions --all --json", "sessions --project .", "audit", "audit --json", "audit --lost",
			"audit --all", "audit --all --json", "audit --all --csv", "audit --all --since 1d --json", "recover", "recover --session 7b1d", "replay --json", "replay --seq 9 --json", "recover --seq 9", "replay --projection decisions --projection checkpoints --json",
			"search heron", "search --all heron", "search which purple birds did we keep", "search --all hreon of utrecht --json", "search --session 7b1d heron", "log", "log --json", "__complete recover --session ", "events", "show 1", "export",
			"sessions --since 1d", "search --elsewhere heron", "search zyxwvut --all", "replay --check", "day --json", "restore", "phase show", "port show", "compound show",
			"export --format cloudevents",
		} {
			stdout, stderr, code := w.here(strings.Split(line, " ")...)
			all = append(all, strings.Join([]string{line, string(rune('0' + code)), stdout, stderr}, "\n"))
		}
		return all
	}
	want := answers()
	remove := func(names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.RemoveAll(filepath.Join(w.dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	equal := func(what string) {
		t.Helper()
		if diff := cmp.Diff(want, answers()); diff != "" {
			t.Errorf("%s (-before +after):\n%s", what, diff)
		}
	}
	w.keepTable()
	equal("with a table")
	for _, name := range []string{catalogue.Name, catalogue.AuditsName, catalogue.WordsName} {
		fi, err := os.Stat(filepath.Join(w.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(w.dir, name), fi.Size()/2); err != nil {
			t.Fatal(err)
		}
	}
	equal("with halves of files")
	remove(derivedFiles...)
	equal("without derived files")
	w.keepTable()
	w.hook(prompt(session, "and the grey one"))
	grown := answers()
	remove(derivedFiles...)
	if diff := cmp.Diff(grown, answers()); diff != "" {
		t.Errorf("beside a table of a moment before (-with it +without):\n%s", diff)
	}
	w.keepTable()
	if _, stderr, code := w.run("", "forget", "--session", session, "--yes"); code != 0 {
		t.Fatal(stderr)
	}
	w.nowhere("purple heron", session)
}

// nowhere fails where a file of the journal has one of some words.
func (w *world) nowhere(words ...string) {
	w.Helper()
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, word := range words {
			if strings.Contains(string(b), word) {
				w.Errorf("%s has %q", path, word)
			}
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}
