package install_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/journal/agents/install"
)

// writer draws JSON text, with free choice of everything that JSON leaves open.
type writer struct {
	t      *rapid.T
	b      strings.Builder
	spaces []string // this file's white space
	// trailing allows trailing commas.
	trailing bool
}

func (w *writer) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(w.t, label)
}

func (w *writer) space() { w.b.WriteString(rapid.SampledFrom(w.spaces).Draw(w.t, "space")) }

// text writes a string, with some characters escaped.
func (w *writer) text(s string) {
	w.b.WriteByte('"')
	for _, r := range s {
		escaped, _ := json.Marshal(string(r))
		plain := string(escaped[1 : len(escaped)-1])
		if r < 0x10000 && rapid.IntRange(0, 9).Draw(w.t, "escape") == 0 {
			hex := strconv.FormatInt(0x10000|int64(r), 16)[1:]
			plain = `\u` + hex
			if rapid.Bool().Draw(w.t, "upper") {
				plain = `\u` + strings.ToUpper(hex)
			}
		}
		w.b.WriteString(plain)
	}
	w.b.WriteByte('"')
}

// list writes a container of n items.
func (w *writer) list(open, closing string, n int, item func(i int)) {
	w.b.WriteString(open)
	w.space()
	for i := range n {
		if i > 0 {
			w.b.WriteByte(',')
			w.space()
		}
		item(i)
		w.space()
	}
	if n > 0 && w.trailing && rapid.Bool().Draw(w.t, "trailing") {
		w.b.WriteByte(',')
		w.space()
	}
	w.b.WriteString(closing)
}

func (w *writer) member(key string, value func()) {
	w.text(key)
	w.space()
	w.b.WriteByte(':')
	w.space()
	value()
}

func (w *writer) object(keys []string, value func(key string)) {
	w.list("{", "}", len(keys), func(i int) { w.member(keys[i], func() { value(keys[i]) }) })
}

// anything writes a value that is not ours.
func (w *writer) anything(depth int) {
	switch n := rapid.IntRange(0, 7).Draw(w.t, "kind"); {
	case n == 0 && depth > 0:
		w.list("[", "]", rapid.IntRange(0, 3).Draw(w.t, "n"), func(int) { w.anything(depth - 1) })
	case n == 1 && depth > 0:
		w.object(w.keys("a", "b", "hooks", "command"), func(string) { w.anything(depth - 1) })
	case n < 5:
		w.b.WriteString(w.pick("scalar", "true", "false", "null", "0", "-1.50E+3", "12345678901234567890"))
	default:
		w.text(w.pick("string", "", "x y", "{", "]", `"`, `\`, "ü", "日本", "a'b"))
	}
}

// keys draws a subset in any order.
func (w *writer) keys(from ...string) []string {
	some := rapid.Permutation(from).Draw(w.t, "order")
	return some[:rapid.IntRange(0, len(some)).Draw(w.t, "n")]
}

// group writes a group of hooks of other tools.
func (w *writer) group() {
	w.object(w.keys("matcher", "hooks", "note"), func(key string) {
		if key != "hooks" {
			w.anything(1)
			return
		}
		w.list("[", "]", rapid.IntRange(0, 2).Draw(w.t, "hooks"), func(int) {
			w.object(w.keys("type", "command", "timeout"), func(key string) {
				if key == "command" {
					w.text(w.pick("command", "notify.sh", "journalctl -f", "other hook claude", "journal", "journal hook codex", "journal hook claude | tee x"))
					return
				}
				w.anything(0)
			})
		})
	})
}

// settings draws a settings file without anything of ours.
func settings(t *rapid.T) string {
	return settingsWith(t)
}

// settingsWith draws settings with these comments wherever white space may be.
func settingsWith(t *rapid.T, comments ...string) string {
	w := &writer{t: t}
	w.spaces = rapid.SampledFrom([][]string{
		{""}, {"", " "}, {" "}, {"\n"}, {"\r\n\t"}, {"\n  ", "\n    ", " "}, {"\r\n", "\r\n  "},
		{"", " ", "  ", "   ", "\t", "\n", "\r", "\r\n", "  \n", "  \n  ", "\n\n  ", "\r  \r\n "},
	}).Draw(t, "spaces")
	w.spaces = slices.Concat(w.spaces, comments)
	w.trailing = len(comments) > 0
	w.b.WriteString(w.pick("start", "", "", "\ufeff"))
	w.space()
	w.object(w.keys("model", "hooks", "statusLine", "env", "disableAllHooks", "permissions"), func(key string) {
		switch key {
		case "hooks":
			w.object(w.keys("Stop", "PreToolUse", "SessionStart", "SomethingNew", "PostCompact"), func(string) {
				w.list("[", "]", rapid.IntRange(0, 2).Draw(t, "groups"), func(int) { w.group() })
			})
		case "permissions":
			w.object(w.keys("allow", "deny"), func(string) {
				w.list("[", "]", rapid.IntRange(0, 2).Draw(t, "rules"), func(int) { w.text(w.pick("rule", "Read", "Bash(go test:*)", "Bash(/opt/journal log:*)")) })
			})
		case "statusLine":
			w.object(w.keys("type", "command", "padding"), func(key string) {
				switch key {
				case "type":
					w.text(w.pick("type", "command", "command", "other"))
				case "command":
					w.text(rapid.OneOf(rapid.String(), rapid.StringMatching(`['\\" a]{0,12}`)).Draw(t, "status"))
				default:
					w.anything(0)
				}
			})
		default:
			w.anything(2)
		}
	})
	w.space()
	return w.b.String()
}

// anyOptions draws one of the installations that a person may ask for.
func anyOptions(t *rapid.T, h home) install.Options {
	o := h.options()
	o.ClientVersion = rapid.SampledFrom([]string{"1.0.128", "2.1.76", "2.1.101", "2.1.329", "garbage"}).Draw(t, "version")
	o.Bin = rapid.SampledFrom([]string{"/opt/journal", "journal", `C:\Program Files\it's\journal.exe`, "/a b/'\"\\ü/journal"}).Draw(t, "bin")
	o.All = rapid.Bool().Draw(t, "all")
	o.NoStatusLine = rapid.Bool().Draw(t, "no status line")
	o.Allow = rapid.Bool().Draw(t, "allow")
	if rapid.Bool().Draw(t, "project") {
		o.Scope, o.Dir = install.Project, h.dir // the same file, in another role
	}
	return o
}

func TestUninstallRestoresEveryByte(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	rapid.Check(t, func(t *rapid.T) {
		before := settings(t)
		if rapid.IntRange(0, 9).Draw(t, "blank") == 0 {
			before = rapid.SampledFrom([]string{"", "\n", "\ufeff \r\n"}).Draw(t, "space")
		}
		h.write(t, before)
		for range rapid.IntRange(1, 3).Draw(t, "installations") {
			h.install(t, anyOptions(t, h))
		}
		if h.read(t) == before {
			t.Fatalf("installing changed nothing")
		}
		h.uninstall(t, h.options())
		if after := h.read(t); after != before {
			t.Fatalf("not restored\nbefore %q\nafter  %q", before, after)
		}
	})
}

// TestUninstallRestoresComments: the same if the agent accepts comments and trailing commas.
func TestUninstallRestoresComments(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.path = filepath.Join(h.dir, ".gemini", "settings.json")
	options := func() install.Options {
		o := h.options()
		o.Agent, o.ClientVersion = "gemini", "0.61.0"
		return o
	}
	rapid.Check(t, func(t *rapid.T) {
		before := settingsWith(t, "// a comment, with a comma\n", " /* {\"hooks\": [],} */ ", "\n  // \"x\": 1,\n  ")
		h.write(t, before)
		h.install(t, options())
		h.install(t, options())
		if h.read(t) == before {
			t.Fatalf("installing changed nothing")
		}
		h.uninstall(t, options())
		if after := h.read(t); after != before {
			t.Fatalf("not restored\nbefore %q\nafter  %q", before, after)
		}
	})
}

// TestUninstallWithoutTheOriginal: without the original bytes, or after an edit, everything that is not ours keeps its
// meaning; only empty lists and objects may be gone.
func TestUninstallWithoutTheOriginal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	rapid.Check(t, func(t *rapid.T) {
		before := settings(t)
		h.write(t, before)
		for range rapid.IntRange(1, 3).Draw(t, "installations") {
			o := anyOptions(t, h)
			o.Keep = ""
			h.install(t, o)
		}
		o := h.options()
		o.Keep = ""
		h.uninstall(t, o)
		was, is := withoutEmpty(decode(t, before)), withoutEmpty(decode(t, h.read(t)))
		if !reflect.DeepEqual(was, is) {
			t.Fatalf("was %v\nis  %v", was, is)
		}
	})
}

// withoutEmpty removes empty values from objects.
func withoutEmpty(v map[string]any) map[string]any {
	for key, value := range v {
		switch value := value.(type) {
		case map[string]any:
			if len(withoutEmpty(value)) == 0 {
				delete(v, key)
			}
		case []any:
			if len(value) == 0 {
				delete(v, key)
			}
		}
	}
	return v
}

func TestUninstallRemovesWhatDidNotExist(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	dir := filepath.Dir(h.path)
	rapid.Check(t, func(t *rapid.T) {
		hadDir := rapid.Bool().Draw(t, "directory exists")
		if hadDir {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for range rapid.IntRange(1, 3).Draw(t, "installations") {
			h.install(t, anyOptions(t, h))
		}
		h.uninstall(t, h.options())
		if exists(h.path) || exists(dir) != hadDir {
			t.Fatalf("file is there: %v; directory was there: %v, is there: %v", exists(h.path), hadDir, exists(dir))
		}
		if hadDir {
			if err := os.Remove(dir); err != nil {
				t.Fatalf("something was left in the directory: %v", err)
			}
		}
	})
}

func TestInstallTwiceIsInstallOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	rapid.Check(t, func(t *rapid.T) {
		h.write(t, settings(t))
		o := anyOptions(t, h)
		h.install(t, o)
		once := h.read(t)
		p := h.install(t, o)
		if p.Changed || p.Diff() != "" || h.read(t) != once {
			t.Fatalf("the second time changed something:\n%s", p.Diff())
		}
	})
}

// TestInstallForgetsEarlierOptions: whatever was installed before, the result equals a first installation.
func TestInstallForgetsEarlierOptions(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	rapid.Check(t, func(t *rapid.T) {
		before := settings(t)
		o := anyOptions(t, h)
		o.Allow = false // what a person allowed stays allowed
		h.write(t, before)
		h.install(t, o)
		direct := decode(t, h.read(t))

		h.write(t, before)
		earlier := anyOptions(t, h)
		earlier.Allow = false
		h.install(t, earlier)
		h.install(t, o)
		if again := decode(t, h.read(t)); !reflect.DeepEqual(direct, again) {
			t.Fatalf("first  %v\nsecond %v", direct, again)
		}
	})
}

func TestInstallKeepsWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	rapid.Check(t, func(t *rapid.T) {
		text := settings(t)
		h.write(t, text)
		o := anyOptions(t, h)
		o.Allow = false
		p := h.install(t, o)
		before, after := decode(t, text), decode(t, h.read(t))

		for key, was := range before {
			if key != "hooks" && key != "statusLine" && !reflect.DeepEqual(after[key], was) {
				t.Fatalf("%s was %v, is %v", key, was, after[key])
			}
		}
		wasHooks, _ := before["hooks"].(map[string]any)
		isHooks, _ := after["hooks"].(map[string]any)
		for event, was := range wasHooks {
			// Our entry comes after the others, or is missing.
			was, is := was.([]any), isHooks[event].([]any)
			ours := 0
			if slices.Contains(p.Events, event) {
				ours = 1
			}
			if len(is) != len(was)+ours || (len(was) > 0 && !reflect.DeepEqual(is[:len(was)], was)) {
				t.Fatalf("%s was %v, is %v", event, was, is)
			}
		}
		wasLine, _ := before["statusLine"].(map[string]any)
		isLine, _ := after["statusLine"].(map[string]any)
		for key, was := range wasLine {
			if key != "command" && !reflect.DeepEqual(isLine[key], was) {
				t.Fatalf("statusLine.%s was %v, is %v", key, was, isLine[key])
			}
		}
	})
}

func decode(t tb, text string) map[string]any {
	t.Helper()
	var v map[string]any
	d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// FuzzRestore feeds the laws with arbitrary text: whatever is accepted and has nothing of ours comes back unchanged.
func FuzzRestore(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{ }`, "{\r\n}\r\n", "{}  \n", "{}    \n", "{  \n}", "\ufeff{}", `[]`, `{"hooks":{}}`, `{"hooks":{"Stop":[]}}`, `{"hooks":null}`,
		`{"hooks":{"Stop":[{"hooks":[]}]}}`, `{"statusLine":{"type":"command","command":"\u0027\\'\ud800"}}`, "{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n",
		`{"a":1,"a":2}`, `{"a":1,}`, `// c`, "{\"\xff\":\"\xfe\"}", `{"statusLine":{"command":""}}`, `{"hooks":{"Stop":[  ] , "SessionEnd" : [1,"x",null] } }`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, before string) {
		h := newHome(t)
		h.write(t, before)
		if p, err := planUninstall(h.options()); err != nil || p.Changed {
			if h.read(t) != before {
				t.Fatal("planning wrote")
			}
			return
		}
		p, err := planInstall(ctx, h.options())
		if err != nil {
			if hint(err) == "" {
				t.Fatalf("no advice for: %v", err)
			}
			return
		}
		if err := p.Apply(); err != nil {
			t.Fatal(err)
		}
		if !json.Valid([]byte(strings.TrimPrefix(h.read(t), "\ufeff"))) {
			t.Fatalf("not JSON any more: %s", h.read(t))
		}
		h.uninstall(t, h.options())
		if after := h.read(t); after != before {
			t.Fatalf("not restored\nbefore %q\nafter  %q", before, after)
		}
	})
}
