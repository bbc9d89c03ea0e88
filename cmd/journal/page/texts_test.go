package page_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"journal/cmd/journal/page"
)

// Every text of the pages is there in every language; a name that none has stays as it is.
func TestLanguages(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join("languages", "en.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`\{\{define "([^"]+)"\}\}`).FindAllStringSubmatch(string(source), -1)
	if len(names) < 100 || len(page.Languages()) < 3 {
		t.Fatalf("%d texts in %s", len(names), page.Languages())
	}
	for _, lang := range page.Languages() {
		other, err := os.ReadFile(filepath.Join("languages", lang+".tmpl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if !strings.Contains(string(other), `{{define "`+name[1]+`"}}`) {
				t.Errorf("%s has no text %q", lang, name[1])
			}
		}
		if got := page.Texts(lang)("no such text", nil); got != "no such text" {
			t.Errorf("%s says %q of a name that it does not have", lang, got)
		}
	}
}

// TestCount: numbers in texts have their thousands apart.
func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "1 event", 999: "999 events", 19_899: "19\u202f899 events", 1_000_000: "1\u202f000\u202f000 events"} {
		if got := page.Texts("en")("n-events", n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// TestTitle: a title has the last parts of absolute paths alone; links and relative paths stay.
func TestTitle(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"in /Users/dev1/Work/research/git-ai is a repo":       "in git-ai is a repo",
		"read `/srv/a/b.go`, then ~/notes/x/y.md":             "read `b.go`, then y.md",
		`see C:\Users\dev\app\main.go`:                        "see main.go",
		"compare https://example.com/a/b/c with cmd/a/b/c.go": "compare https://example.com/a/b/c with cmd/a/b/c.go",
		"/etc/hosts is wrong":                                 "/etc/hosts is wrong",
	} {
		if got := page.Title(80, in); got != want {
			t.Errorf("Title(%q) = %q, want %q", in, got, want)
		}
	}
}
