package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The forms of a reference (docs/adr/README.md), in texts without line ends.
var (
	toRule    = regexp.MustCompile(`ADR-(\d{4})(?: rules? (\d+(?:, \d+)*(?:,? and \d+)?))?`)
	toPage    = regexp.MustCompile(`docs/adr/(\d{4})[\w-]*(?:\.md)?`)
	toSection = regexp.MustCompile(`docs/([A-Z]+\.md)((?:,? (?:to )?§\w+)*)`)
	// toNothing are the documents that were cited before and are not here.
	toNothing = regexp.MustCompile(`(^|[^\w/])(DECISIONS|PROTOCOLS|DESIGN|JETSTREAM|FORMATS|STYLE|PEERS|DEVELOPERS|CLIENTS (part|section|\d))`)
)

// lineEnd is the end of a line and the mark of a comment on the next one.
var lineEnd = regexp.MustCompile(`[ \t]*\n[ \t]*(//|#)?[ \t]*`)

// TestReferences: what a comment or a document refers to is in the repository,
// down to the rule of a decision and the section of a page.
func TestReferences(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	rules, sections := numbered(t, root, "docs/adr/*.md", `(?m)^(\d+)\. `), numbered(t, root, "docs/*.md", `(?m)^##+ (\w+)\. `)
	page := func(number string) string {
		for name := range rules {
			if strings.HasPrefix(name, number+"-") {
				return name
			}
		}
		return ""
	}
	for path, text := range texts(t, root) {
		for _, m := range toRule.FindAllStringSubmatch(text, -1) {
			name := page(m[1])
			if name == "" {
				t.Errorf("%s: there is no %s", path, m[0])
			}
			for _, rule := range regexp.MustCompile(`\d+`).FindAllString(m[2], -1) {
				if name != "" && !slices.Contains(rules[name], rule) {
					t.Errorf("%s: docs/adr/%s has no rule %s", path, name, rule)
				}
			}
		}
		for _, m := range toPage.FindAllStringSubmatch(text, -1) {
			if page(m[1]) == "" {
				t.Errorf("%s: there is no %s", path, m[0])
			}
		}
		for _, m := range toSection.FindAllStringSubmatch(text, -1) {
			there, ok := sections[m[1]]
			if !ok {
				t.Errorf("%s: there is no docs/%s", path, m[1])
			}
			for _, section := range regexp.MustCompile(`§\w+`).FindAllString(m[2], -1) {
				if ok && !slices.Contains(there, strings.TrimPrefix(section, "§")) {
					t.Errorf("%s: docs/%s has no %s", path, m[1], section)
				}
			}
		}
		if m := toNothing.FindStringSubmatch(text); m != nil {
			t.Errorf("%s cites %q, which is not in the repository", path, m[2])
		}
	}
}

// TestPagesOfDecisions: every page has the number of its file, and numbers are
// used once.
func TestPagesOfDecisions(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob(filepath.Join("..", "..", "docs", "adr", "[0-9]*.md"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	numbers := map[string]bool{}
	for _, name := range names {
		number := filepath.Base(name)[:4]
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(b), "# "+number+" ") || numbers[number] {
			t.Errorf("%s does not begin with its own number, or shares it", name)
		}
		if n := strings.Count(string(b), "\n"); n > 60 {
			t.Errorf("%s has %d lines; a decision takes at most 60", name, n)
		}
		numbers[number] = true
	}
}

// numbered lists by file what a pattern numbers in the files of a glob.
func numbered(t *testing.T, root, glob, pattern string) map[string][]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(glob)))
	if err != nil {
		t.Fatal(err)
	}
	all, number := map[string][]string{}, regexp.MustCompile(pattern)
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := []string{}
		for _, m := range number.FindAllStringSubmatch(string(b), -1) {
			found = append(found, m[1])
		}
		all[filepath.Base(name)] = found
	}
	return all
}

// texts gives the sources, scripts and documents below root, each as one line.
func texts(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "bin"):
			return fs.SkipDir
		case d.Name() == "references_test.go", !d.Type().IsRegular():
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".md", ".txtar", ".tmpl", ".sh", "":
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			all[filepath.ToSlash(rel)] = lineEnd.ReplaceAllString(string(b), " ")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
