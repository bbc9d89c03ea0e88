package catalogue_test

import (
	"fmt"
	"strings"
	"testing"

	"journal/embedded/catalogue"
	"journal/events"
	"journal/projections"
)

// A project has the shortest end of its path as name that distinguishes it, and worktrees are listed with their repository.
func TestNames(t *testing.T) {
	t.Parallel()
	log := stored{name: "JOURNAL_1"}
	for key, p := range map[string]events.ProjectSeen{
		"cli-1": {Root: "/home/dev/shop/cli"}, "cli-2": {Root: "/home/dev/journal/cmd/cli"}, "1-3": {Root: "/home/dev/api/1"},
		"api-4": {Root: "/home/dev/api"}, "shop-5": {Root: "/home/dev/shop"}, "fix-6": {Root: "/home/dev/fix", Repository: "shop"},
		"shop-7": {Root: "/srv/shop"}, "new-8": {Root: "/srv/tree/new", Repository: "shop"}, "gone-9": {Root: "/x/gone", Repository: "elsewhere"},
		"web-14": {Root: "/home/dev/web"}, "web-15": {Root: "/home/dev/.codex/worktrees/6389/web", Repository: "web"},
		"win-10": {Root: `C:\dev\win`}, "a-11": {Root: "/one/a", Remote: "host/a"}, "a-12": {Root: "/two/a", Remote: "host/a"},
	} {
		log.add(t, p, events.Meta{Project: key, Session: events.None})
	}
	log.add(t, events.PromptSubmitted{Text: "x"}, events.Meta{Project: "bare-13", Session: "s"})
	table := catalogue.New(projections.Config{}, log.name)
	if err := table.Forward(t.Context(), log, nil); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string][2]string{
		"cli-1": {"shop/cli", "cli-1"}, "cli-2": {"cmd/cli", "cli-2"}, "1-3": {"api/1", "1-3"}, "api-4": {"api", "api-4"},
		"shop-5": {"dev/shop", "shop-5"}, "fix-6": {"shop/fix", "shop-5"}, "shop-7": {"srv/shop", "shop-7"}, "new-8": {"shop/new", "shop-7"},
		"gone-9": {"elsewhere/gone", "elsewhere"}, "win-10": {"win", "win-10"}, "a-11": {"one/a", "host/a"}, "a-12": {"two/a", "host/a"},
		"bare-13": {"bare", "bare-13"}, "web-14": {"web", "web-14"}, "web-15": {"web/6389", "web-14"},
	} {
		if got := [2]string{table.Name(key), table.Checkout(key)}; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}

	for key, want := range map[string]string{"shop-5": "fix-6", "shop-7": "new-8", "web-14": "web-15", "fix-6": "", "api-4": "", "nosuch": ""} {
		if got := strings.Join(table.Worktrees(key), " "); got != want {
			t.Errorf("the worktrees of %s are %q, want %q", key, got, want)
		}
	}

	for i, key := range []string{"shop-7", "fix-6", "api-4", "shop-5", "new-8"} { // the newest last
		log.add(t, events.PromptSubmitted{Text: "x"}, events.Meta{Project: key, Session: key, At: int64(i + 1)})
	}
	log.add(t, events.TodosWritten{Todos: []events.Todo{{Text: "a", Status: "pending"}, {Text: "b", Status: "completed"}}}, events.Meta{Project: "new-8", Session: "new-8", At: 9})
	if err := table.Forward(t.Context(), log, nil); err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, p := range table.Projects() {
		said += fmt.Sprintf("%s %t %d %d\n", p.Name, p.Beside, p.Sessions, p.Open)
	}
	const want = "srv/shop false 1 0\nshop/new true 1 1\ndev/shop false 1 0\nshop/fix true 1 0\napi false 1 0\nbare false 1 0\n"
	if said != want {
		t.Errorf("the projects are\n%swant\n%s", said, want)
	}
	for name, want := range map[string]string{"shop/new": "new-8", "api": "api-4", "shop": "other", "nosuch": "other", "fix": "fix-6", "web": "web-14"} {
		if got := table.KeyOf(name, "other"); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
