package install_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"journal/journal/agents/install"
)

// TestGolden: the files show what a person sees: the settings before, the relevant arguments in the comment, the
// settings after. Each is also uninstalled.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			h := newHome(t)
			o := h.options()
			flags := flag.NewFlagSet("", flag.ContinueOnError)
			flags.StringVar(&o.ClientVersion, "client", "1.0.128", "")
			flags.StringVar(&o.Bin, "bin", o.Bin, "")
			_, line, _ := strings.Cut(string(a.Comment), "\n$ install")
			line, _, _ = strings.Cut(line, "\n")
			if err := flags.Parse(strings.Fields(line)); err != nil {
				t.Fatal(err)
			}

			before, after := "", ""
			for _, f := range a.Files {
				switch f.Name {
				case "before":
					before = string(f.Data)
					h.write(t, before)
				case "after":
					after = string(f.Data)
				}
			}
			h.install(t, o)
			got := h.read(t)
			switch {
			case after == "" && *update:
				a.Files = append(a.Files, txtar.File{Name: "after", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			case got != after:
				t.Fatalf("got\n%s\nwant\n%s", got, after)
			}
			h.uninstall(t, o)
			switch {
			case before == "" && exists(h.path):
				t.Errorf("left behind:\n%s", h.read(t))
			case before != "" && h.read(t) != before:
				t.Errorf("uninstalled\n%s\nwant\n%s", h.read(t), before)
			}
		})
	}
}

func TestOurEntriesAreRecognised(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		entry string // of Stop, in a group of its own
		ours  bool
	}{
		{"as installed", `{"type":"command","command":"f=/opt/journal/bin/journal;[ -x $f ]&&exec $f hook claude;:","timeout":10}`, true},
		{"as it was installed", `{"type":"command","command":"[ -x /opt/journal/bin/journal ] && exec /opt/journal/bin/journal hook claude; true","timeout":10}`, true},
		{"unguarded", `{"type":"command","command":"/opt/journal/bin/journal hook claude","timeout":10}`, true},
		{"no timeout", `{"type":"command","command":"/opt/journal/bin/journal hook claude"}`, true},
		{"other path", `{"type":"command","command":"/usr/bin/journal hook claude"}`, true},
		{"from PATH", `{"command":"journal hook claude"}`, true},
		{"with the event", `{"command":"journal hook claude Stop"}`, true},
		{"a quote that no shell takes", `{"command":"journal hook 'claude"}`, true},
		{"as installed from PATH", `{"command":"f=journal;command -v $f>/dev/null 2>&1&&exec $f hook claude;:"}`, true},
		{"with more", `{"command":"journal hook claude Stop --quiet"}`, true},
		{"quoted path", `{"command":"'/a b/it'\\''s/journal' hook claude"}`, true},
		{"double quotes", `{"command":"\"$HOME/my bin/journal\" hook claude"}`, true},
		{"backslash", `{"command":"/a\\ b/journal  hook\tclaude "}`, true},
		{"Windows", `{"command":"'C:\\bin\\journal.exe' hook claude"}`, true},
		{"escaped", `{"command":"\u006aournal hook claude"}`, true},
		{"argument list", `{"args":["hook","claude"],"command":"/usr/bin/journal"}`, true},
		{"argument list behind", `{"command":"/my bin/journal","args":["hook","claude","Stop"],"timeout":3}`, true},

		{"the small program", `{"command":"/usr/bin/journal-hook claude"}`, true},
		{"the small program with the event", `{"command":"'/a b/journal-hook.exe' claude Stop"}`, true},
		{"the small program, argument list", `{"command":"journal-hook","args":["claude"]}`, true},

		{"the small program for another agent", `{"command":"journal-hook codex"}`, false},
		{"the small program for a statusline", `{"command":"journal-hook statusline"}`, false},
		{"other agent", `{"command":"journal hook codex"}`, false},
		{"other verb", `{"command":"journal append note"}`, false},
		{"other program", `{"command":"journalctl hook claude"}`, false},
		{"program of that directory", `{"command":"journal/notify hook claude"}`, false},
		{"more than us", `{"command":"journal hook claude; notify"}`, false},
		{"pipe", `{"command":"journal hook claude | tee /tmp/x"}`, false},
		{"substitution", `{"command":"journal hook $(which claude)"}`, false},
		{"output elsewhere", `{"command":"journal hook claude >/tmp/x"}`, false},
		{"comment", `{"command":"# journal hook claude"}`, false},
		{"other argument list", `{"command":"journal","args":["hook"]}`, false},
		{"odd argument list", `{"command":"journal hook claude","args":3}`, false},
		{"no command", `{"type":"http","url":"http://localhost/journal hook claude"}`, false},
		{"number", `7`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			o := h.options()
			o.NoStatusLine = true
			before := `{"hooks":{"Stop":[{"hooks":[` + test.entry + `]}]}}`
			h.write(t, before)
			h.install(t, o)
			got := decode(t, h.read(t))["hooks"].(map[string]any)["Stop"].([]any)
			if want := map[bool]int{true: 1, false: 2}[test.ours]; len(got) != want {
				t.Fatalf("%d groups, want %d: %s", len(got), want, h.read(t))
			}
			if test.ours {
				call := parsed(t, h.read(t)).calls("Stop")
				if len(call) != 1 || call[0].Command != "f=/opt/journal/bin/journal;[ -x $f ]&&exec $f hook claude;:" || call[0].Args != nil || call[0].Timeout == 0 {
					t.Errorf("not corrected: %+v", call)
				}
			}
			h.uninstall(t, o)
			want := before
			if test.ours {
				want = "{}"
			}
			if h.read(t) != want {
				t.Errorf("uninstalled %s, want %s", h.read(t), want)
			}
		})
	}
}

func TestBinOfAnotherName(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.options()
	o.Bin = "/opt/ext/recorder"
	h.install(t, o)
	if p := h.install(t, o); p.Changed {
		t.Errorf("not recognised:\n%s", p.Diff())
	}
	h.uninstall(t, o)
	if exists(h.path) {
		t.Errorf("left: %s", h.read(t))
	}
}

// TestEntriesAreCorrectedInPlace: what is right stays as the person has it; duplicates go.
func TestEntriesAreCorrectedInPlace(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(t, `{
  "hooks": {
    "Stop": [
      { "matcher": "", "hooks": [ { "command": "first" }, { "type": "command", "command": "/old/journal hook claude", "timeout": 30 } ] },
      { "hooks": [ { "type": "command", "command": "journal hook claude" } ] },
      { "hooks": [ { "type": "command", "command": "journal hook claude Stop" }, { "command": "last" } ] }
    ],
    "PostToolUse": [
      { "matcher": "Bash", "hooks": [ { "type": "command", "command": "journal hook claude" } ] }
    ],
    "TeammateIdle": [ { "hooks": [ { "command": "journal hook claude" } ] } ]
  }
}
`)
	p := h.install(t, h.options())
	got := h.read(t)
	for _, part := range []string{
		`{ "command": "first" }, { "type": "command", "command": "f=/opt/journal/bin/journal;[ -x $f ]&&exec $f hook claude;:", "timeout": 30 } ] }`,
		`      { "hooks": [ { "command": "last" } ] }` + "\n    ],",
		`{ "matcher": "Bash", "hooks": [ { "type": "command", "command": "f=/opt/journal/bin/journal;[ -x $f ]&&exec $f hook claude;:", "timeout": 10 } ] }`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("missing %s", part)
		}
	}
	if n := strings.Count(got, "hook claude"); n != len(full) {
		t.Errorf("%d entries, want %d", n, len(full))
	}
	if strings.Contains(got, "TeammateIdle") {
		t.Error("an event that is not wanted kept its entry")
	}
	if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "only a part of PostToolUse") {
		t.Errorf("nothing is said about the matcher: %q", notes)
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, settings, policy string
		scope                  install.Scope
		want                   string
	}{
		{"switched off", `{"disableAllHooks":true}`, ``, install.User, `"disableAllHooks" is true in`},
		{"not switched off", `{"disableAllHooks":false}`, `{"allowManagedHooksOnly":false}`, install.User, ``},
		{"policy", `{}`, `{"allowManagedHooksOnly":true}`, install.User, `"allowManagedHooksOnly" is true in`},
		{"policy switches off", `{}`, `{"disableAllHooks": true}`, install.User, `ask the administrator`},
		{"broken policy", `{}`, `{`, install.User, ``},
		{"project", `{}`, ``, install.Project, `shared`},
		{"status line of another type", "{\n \"statusLine\":{\"type\":\"static\",\"command\":\"x\"}}", ``, install.User, `line 2: "statusLine" is not of type command`},
		{"status line null", `{"statusLine":null}`, ``, install.User, `"statusLine" is not an object`},
		{"status line empty", `{"statusLine":{}}`, ``, install.User, `"statusLine" has no command`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write(t, test.settings)
			o := h.options()
			o.Scope, o.Dir = test.scope, h.dir
			if test.policy != "" {
				if err := os.WriteFile(o.PolicyPath, []byte(test.policy), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p, err := planInstall(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(p.Notes, "\n")
			if (test.want == "") != (notes == "") || !strings.Contains(notes, test.want) {
				t.Errorf("notes %q, want %q", notes, test.want)
			}
			if h.read(t) != test.settings {
				t.Error("planning wrote")
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, settings, want string
	}{
		{"comment", "{\n  // mine\n  \"a\": 1\n}", ":2:3: settings refused: a comment is not JSON"},
		{"comment behind a value", "{\"ü\": 1 /* mine */}", ":1:9: settings refused: a comment"},
		{"comma", "{\r\n  \"a\": 1,\r\n}\r\n", ":3:1: settings refused: invalid character"},
		{"cut off", `{"a": [`, ":1:7: settings refused: unexpected end"},
		{"two documents", "{}\n{}", ":2:1: settings refused: invalid character"},
		{"list", "\ufeff []", ":1:2: settings refused: the settings are not an object"},
		{"hooks", `{"hooks": []}`, `:1:11: settings refused: "hooks" is not an object`},
		{"hooks null", `{"hooks": null}`, `:1:11: settings refused: "hooks" is not an object`},
		{"event", `{"hooks": {"Stop": {}}}`, `:1:20: settings refused: the hooks of Stop are not an array`},
		{"hooks twice", `{"hooks": {}, "h\u006foks": {}}`, `:1:15: settings refused: "hooks" stands there twice`},
		{"event twice", `{"hooks": {"X": [], "X": []}}`, `:1:21: settings refused: "X" stands there twice`},
		{"status line twice", `{"statusLine": 1, "statusLine": 2}`, `:1:19: settings refused: "statusLine" stands there twice`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write(t, test.settings)
			_, err := planInstall(ctx, h.options())
			if !errors.Is(err, install.ErrRefused) || !strings.HasPrefix(err.Error(), h.path+test.want) || hint(err) == "" {
				t.Fatalf("error %v, hint %q", err, hint(err))
			}
		})
	}
}

// TestRefusedWithComments: of settings that may have comments the error shows the fault, and not a comment before it.
func TestRefusedWithComments(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.path = filepath.Join(h.dir, ".gemini", "settings.json")
	h.write(t, "{\n  // mine\n  \"a\": 1\n  \"b\": 2,\n}")
	o := h.options()
	o.Agent, o.ClientVersion = "gemini", "0.61.0"
	_, err := planInstall(ctx, o)
	if !errors.Is(err, install.ErrRefused) || !strings.HasPrefix(err.Error(), h.path+":4:3: settings refused: invalid character '\"' after object value") || hint(err) == "" {
		t.Errorf("error %v, hint %q", err, hint(err))
	}
}

func TestUninstallNeedsNoRoomForHooks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"hooks":[]}`, `{"hooks":{"Stop":null,"PreCompact":[1,{"hooks":{}}]}}`, `{"statusLine":null}`, `{"statusLine":{"command":7}}`} {
		h := newHome(t)
		h.write(t, text)
		if p, err := planUninstall(h.options()); err != nil || p.Changed || len(p.Notes) != 1 {
			t.Errorf("%s: changed %v, notes %q, error %v", text, p.Changed, p.Notes, err)
		}
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, test := range []struct {
		name string
		edit func(*install.Options)
		want string
	}{
		{"agent", func(o *install.Options) { o.Agent = "nobody" }, `agent "nobody"`},
		{"scope", func(o *install.Options) { o.Scope = "world" }, `scope "world"`},
		{"bin", func(o *install.Options) { o.Bin = "/a\xff/journal" }, `cannot stand in`},
		{"home", func(o *install.Options) { o.Home = filepath.Join(h.dir, "nowhere") }, `find the place`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := h.options()
			test.edit(&o)
			if _, err := planInstall(ctx, o); err == nil || !strings.Contains(err.Error(), test.want) || hint(err) == "" {
				t.Fatalf("error %v, hint %q", err, hint(err))
			}
		})
	}
}

func TestDefaultBinIsThisProgram(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.options()
	o.Bin = ""
	h.install(t, o)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if c := parsed(t, h.read(t)); !strings.Contains(c.Hooks["Stop"][0].Hooks[0].Command, self) {
		t.Errorf("command %q, this is %s", c.Hooks["Stop"][0].Hooks[0].Command, self)
	}
	h.uninstall(t, o)
	if exists(h.path) {
		t.Error("it is not taken out again")
	}
}

// TestUninstallAfterOthers: somebody edits the file in between: their changes stay.
func TestUninstallAfterOthers(t *testing.T) {
	t.Parallel()
	const ours = `{"type":"command","command":"f=/opt/journal/bin/journal;[ -x $f ]&&exec $f hook claude;:","timeout":10}`
	for _, test := range []struct{ name, before, old, new, want string }{
		{"member behind ours", "{}", "statusline\"\n  }", "statusline\"\n  },\n  \"model\": \"opus\"", "{\n  \"model\": \"opus\"\n}"},
		{"hook in our group", `{"a":1}`, `"Stop": [{"hooks":[` + ours, `"Stop": [{"hooks":[` + ours + `,{"command":"x"}`, `{"a":1, "hooks": { "Stop": [{"hooks":[{"command":"x"}]}]}}`},
		{"hook before ours", `{"a":1}`, `"Stop": [{"hooks":[`, `"Stop": [{"hooks":[{"command":"x"},`, `{"a":1, "hooks": { "Stop": [{"hooks":[{"command":"x"}]}]}}`},
		{"group behind ours", `{"hooks":{"Stop":[]}}`, `"Stop":[{"hooks":[` + ours + `]}`, `"Stop":[{"hooks":[` + ours + `]},{"hooks":[]}`, `{"hooks":{"Stop":[{"hooks":[]}]}}`},
		{"first member gone", "{\"a\":1}\n", `"a":1, `, ``, "{}\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write(t, test.before)
			h.install(t, h.options())
			text := h.read(t)
			if strings.Count(text, test.old) != 1 {
				t.Fatalf("%q is not once in %s", test.old, text)
			}
			h.write(t, strings.Replace(text, test.old, test.new, 1))
			h.uninstall(t, h.options())
			if h.read(t) != test.want {
				t.Errorf("got  %q\nwant %q", h.read(t), test.want)
			}
		})
	}
}

// TestUninstallAfterFormatter: reformatted settings are not restored from the original; our entries go, and lists that
// become empty by that.
func TestUninstallAfterFormatter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ before, want string }{
		{"{}", "{}"},
		{"{\"hooks\":{\"Stop\":[]}}", "{}"},
		{"{\"model\":\"opus\"}", "{\n\t\"model\": \"opus\"\n}"},
	} {
		h := newHome(t)
		h.write(t, test.before)
		h.install(t, h.options())
		var b bytes.Buffer
		if err := json.Indent(&b, []byte(h.read(t)), "", "\t"); err != nil {
			t.Fatal(err)
		}
		h.write(t, b.String())
		h.uninstall(t, h.options())
		if got := h.read(t); strings.TrimSpace(strings.ReplaceAll(got, "{\n}", "{}")) != test.want {
			t.Errorf("%q became %q, want %q", test.before, got, test.want)
		}
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(t, "{\n  \"model\": \"opus\"\n}\n")
	o := h.options()
	p, err := planInstall(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	want := "--- " + h.path + "\n+++ " + h.path + "\n@@ -1,3 +1,"
	if d := p.Diff(); !strings.HasPrefix(d, want) || !strings.Contains(d, "\n-  \"model\": \"opus\"\n+  \"model\": \"opus\",\n+  \"hooks\": {\n") {
		t.Errorf("diff\n%s", d)
	}
	o.Home = t.TempDir()
	if p, err = planInstall(ctx, o); err != nil || !strings.HasPrefix(p.Diff(), "--- "+os.DevNull+"\n") {
		t.Errorf("diff of a new file\n%s\n%v", p.Diff(), err)
	}
}
