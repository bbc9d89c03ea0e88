package hooks_test

import (
	"testing"

	_ "journal/journal/agents"
	"journal/journal/hooks"
)

// A command inside an agent learns its project and its session from the variables of
// whichever agent is there; without one from nobody.
func TestAround(t *testing.T) {
	t.Parallel()
	if project, session := hooks.Around(func(string) string { return "" }); project != "" || session != "" {
		t.Errorf("nobody says %q, %q", project, session)
	}
	for _, agent := range hooks.Agents() {
		d, err := hooks.Named(agent)
		if err != nil {
			t.Fatal(err)
		}
		vars := map[string]string{d.Vars.Project: "/p", d.Vars.Session: "s"}
		project, session := hooks.Around(func(name string) string { return vars[name] })
		if d.Vars.Project != "" && project != "/p" || d.Vars.Session != "" && session != "s" {
			t.Errorf("%s says %q, %q", agent, project, session)
		}
	}
}
