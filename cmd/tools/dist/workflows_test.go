package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// What the host runs is what runs at home: every step of a workflow is a target of the
// Makefile, with variables that the Makefile knows, on systems that are named.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	known := func(pattern string) bool { return regexp.MustCompile(`(?m)^` + pattern).Match(makefile) }
	paths, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("workflows: %v, %v", paths, err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var w struct {
			On   any
			Jobs map[string]struct {
				System  string `yaml:"runs-on"`
				Minutes int    `yaml:"timeout-minutes"`
				Steps   []struct{ Run, Uses string }
			}
		}
		if err := yaml.Unmarshal(b, &w); err != nil || w.On == nil || len(w.Jobs) == 0 {
			t.Fatalf("%s: on %v, %d jobs: %v", path, w.On, len(w.Jobs), err)
		}
		for name, job := range w.Jobs {
			runs := 0
			for _, step := range job.Steps {
				words := strings.Fields(step.Run)
				switch {
				case step.Uses != "":
					continue
				case len(words) < 2 || words[0] != "make":
					t.Errorf("%s: %s: %q calls no target", path, name, step.Run)
					continue
				}
				runs++
				for _, word := range words[1:] {
					variable, _, set := strings.Cut(word, "=")
					if set && !known(variable+` +\?= `) || !set && !known(word+`:`) {
						t.Errorf("%s: %s: the Makefile does not know %s", path, name, word)
					}
				}
			}
			if job.System == "" || job.Minutes == 0 || runs == 0 {
				t.Errorf("%s: %s: on %q, %d minutes, %d targets", path, name, job.System, job.Minutes, runs)
			}
		}
	}
}
