package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"journal/cmd/testkit/hubtest"
	"journal/embedded/team"
	"journal/embedded/team/hub"
)

// What a person ends while another command asks them stays ended, whatever they answer there.
func TestWhatEndsWhileAPersonIsAskedStaysEnded(t *testing.T) {
	t.Parallel()
	in := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1).Member(t, "alice")
	for _, c := range []struct {
		asked, meanwhile []string
		shared, told     []string
	}{
		{asked: []string{"share", "web"}, meanwhile: []string{"unshare", "shop"}, shared: []string{"web"}, told: []string{"web"}},
		{asked: []string{"share", "web"}, meanwhile: []string{"share", "shop", "--context", "--yes"}, shared: []string{"web"}, told: []string{"shop", "web"}},
		{asked: []string{"share", "web"}, meanwhile: []string{"share", "shop", "--events", "--yes"}, shared: []string{"shop", "web"}, told: []string{"web"}},
	} {
		t.Run(strings.Join(slices.Concat(c.asked, []string{"while"}, c.meanwhile), " "), func(t *testing.T) {
			t.Parallel()
			w, dir := newWorld(t), t.TempDir()
			for _, name := range []string{"web", "shop"} {
				if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			w.joins(in)
			verb := func(args []string) []string {
				return []string{"team", args[0], filepath.Join(dir, args[1])}
			}
			if _, errOut, code := w.run("", append(verb([]string{"share", "shop"}), "--yes")...); code != 0 {
				t.Fatal(errOut)
			}
			stdin, person := terminal(t, 80)
			defer stdin.Close()
			asked := w.command(verb(c.asked)...)
			asked.Stdin = stdin
			stderr, err := asked.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := asked.Start(); err != nil {
				t.Fatal(err)
			}
			said := bufio.NewReader(stderr)
			if question, err := said.ReadString(']'); err != nil {
				t.Errorf("it asks %q, %v", question, err)
			}
			if _, errOut, code := w.run("", append(verb(c.meanwhile), c.meanwhile[2:]...)...); code != 0 {
				t.Error(errOut)
			}
			if _, err := person.WriteString("y\n"); err != nil {
				t.Error(err)
			}
			rest, _ := io.ReadAll(said)
			if err := asked.Wait(); err != nil {
				t.Errorf("it ends with %v: %s", err, rest)
			}
			is, err := team.LoadShare(w.dir)
			if err != nil {
				t.Fatal(err)
			}
			for keys, want := range map[*[]string][]string{&is.Projects: c.shared, &is.Context: c.told} {
				names := make([]string, 0, len(*keys))
				for _, key := range *keys {
					name, _, _ := strings.Cut(key, "-")
					names = append(names, name)
				}
				if !slices.Equal(names, want) {
					t.Errorf("%v, want %v", names, want)
				}
			}
		})
	}
}
