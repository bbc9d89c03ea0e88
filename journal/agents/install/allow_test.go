package install_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"journal/journal/agents/install"
)

// rulesIn returns the rules that let an agent make calls.
func rulesIn(t tb, content string) []string {
	t.Helper()
	var c struct{ Permissions struct{ Allow []string } }
	if err := json.Unmarshal([]byte(content), &c); err != nil {
		t.Fatalf("%v in %s", err, content)
	}
	return c.Permissions.Allow
}

// TestRules: rules are set only on request; they name the program as texts do, and follow the program's path.
func TestRules(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(t, `{"permissions": {"allow": ["Read"]}}`)
	o := h.options()
	p := h.install(t, o)
	offered := []string{"Skill(journal)", "Bash(/opt/journal/bin/journal decide:*)", "Bash(/opt/journal/bin/journal show:*)"}
	if got := rulesIn(t, h.read(t)); !slices.Equal(got, []string{"Read"}) || !slices.Equal(p.Rules, offered) || !slices.Equal(p.Asked, offered) {
		t.Fatalf("unasked: %q, offered %q, asked %q", got, p.Rules, p.Asked)
	}
	o.Allow = true
	p = h.install(t, o)
	if got := rulesIn(t, h.read(t)); !slices.Equal(got, append([]string{"Read"}, offered...)) || len(p.Asked) != 0 {
		t.Fatalf("asked for: %q, left %q", got, p.Asked)
	}
	o.Allow, o.Bin, o.Verbs = false, "/usr/local/bin/journal", []string{"decide", "show", "new"}
	p = h.install(t, o)
	want := []string{"Read", "Skill(journal)", "Bash(/usr/local/bin/journal decide:*)", "Bash(/usr/local/bin/journal show:*)"}
	if got := rulesIn(t, h.read(t)); !slices.Equal(got, want) || !slices.Equal(p.Asked, []string{"Bash(/usr/local/bin/journal new:*)"}) {
		t.Fatalf("moved: %q, left %q", got, p.Asked)
	}
	o.ClientVersion = "2.0.14"
	if p, err := planInstall(ctx, o); err != nil || slices.Contains(p.Rules, "Skill(journal)") {
		t.Errorf("an old client is offered %q, %v", p.Rules, err)
	}
	h.write(t, `{"permissions": {"allow": {}}}`)
	o.Allow = true
	if _, err := planInstall(ctx, o); err == nil || !strings.Contains(err.Error(), `"allow" is not a list`) {
		t.Errorf("no list: %v", err)
	}
}

// TestGuard: a missing program causes no failed hook: in a project's settings the start of a session tells the person,
// everything else is silent (S0.8). A client reads
// stderr only of a hook that failed.
func TestGuard(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	for _, bin := range []string{"/nowhere/it's here/journal", "no-such-journal"} {
		h := newHome(t)
		o := h.options()
		o.Scope, o.Dir, o.Bin = install.Project, h.dir, bin
		h.install(t, o)
		c := parsed(t, h.read(t))
		for event, groups := range c.Hooks {
			out, err := exec.Command(sh, "-c", groups[0].Hooks[0].Command).Output()
			if err != nil {
				t.Errorf("%s: %v", event, err)
			}
			var said struct{ SystemMessage string }
			if event == "SessionStart" {
				if err := json.Unmarshal(out, &said); err != nil || !strings.Contains(said.SystemMessage, bin) {
					t.Errorf("%s says %q", event, out)
				}
			} else if len(out) > 0 {
				t.Errorf("%s says %q", event, out)
			}
		}
		h.uninstall(t, o)
		if exists(h.path) {
			t.Errorf("left: %s", h.read(t))
		}
		o.Scope = install.User
		h.install(t, o)
		for event, groups := range parsed(t, h.read(t)).Hooks {
			if out, err := exec.Command(sh, "-c", groups[0].Hooks[0].Command).Output(); err != nil || len(out) > 0 {
				t.Errorf("%s in the person's own settings: %q, %v", event, out, err)
			}
		}
	}
}

// TestGuardCalls: a guarded line execs the program, with its arguments.
func TestGuardCalls(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	echo, err2 := exec.LookPath("echo")
	if err != nil || err2 != nil {
		t.Skip("no shell")
	}
	h := newHome(t)
	o := h.options()
	o.Scope, o.Dir, o.Bin = install.Project, h.dir, echo
	h.install(t, o)
	for event, groups := range parsed(t, h.read(t)).Hooks {
		out, err := exec.Command(sh, "-c", groups[0].Hooks[0].Command).Output()
		if err != nil || string(out) != "hook claude\n" {
			t.Errorf("%s: %q, %v", event, out, err)
		}
	}
}
