package redact

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every list that the code asks for is in words.txt, and inList can find each of its words.
func TestListsExist(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	asked := regexp.MustCompile(`\b(?:inList|parts)\("(\w+)"`)
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range asked.FindAllSubmatch(source, -1) {
			if name := string(m[1]); vocab().lists[name].set == nil {
				t.Errorf("%s asks for the list %q", path, name)
			}
			for w := range vocab().lists[string(m[1])].set {
				if strings.HasPrefix(string(m[0]), "inList") && !inList(string(m[1]), w) {
					t.Errorf("%q of the list %s is never found", w, m[1])
				}
			}
		}
	}
}
