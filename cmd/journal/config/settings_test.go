package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every setting says where it comes from, and what is wrong with a file stands with its line.
func TestSettings(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.json")
	vars := map[string]string{"JOURNAL_CONFIG": path, "JOURNAL_IDLE": "3s", "JOURNAL_DIR": "/j", "LANG": "ko_KR.UTF-8", "XDG_STATE_HOME": "relative"}
	getenv := func(name string) string { return vars[name] }
	content := "{\n \"stop\": \"off\",\n \"pressure\": {\n  \"info\": 50\n },\n \"windows\": {\"a.b\": 5,\n  \"c\": 6}, \"guidance\":\n false}\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := Settings(getenv)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Setting{}
	for _, s := range all {
		got[s.Name] = s
	}
	for _, want := range []Setting{
		{"dir", "/j", "JOURNAL_DIR"},
		{"config", path, "JOURNAL_CONFIG"},
		{"owner", "auto", "default"},
		{"idle", "3s", "JOURNAL_IDLE"},
		{"lang", "ko", "LANG"},
		{"pressure.info", 50, path + ":4"},
		{"pressure.urgent", 75, "default"},
		{"stop", "off", path + ":2"},
		{"guidance", false, path + ":7"},
		{"windows.a.b", int64(5), path + ":6"},
		{"windows.c", int64(6), path + ":7"},
	} {
		if got[want.Name] != want {
			t.Errorf("%s is %+v, want %+v", want.Name, got[want.Name], want)
		}
	}
	vars["JOURNAL_IDLE"] = "soon"
	if err := os.WriteFile(path, []byte("{\"Stop\": \"off\"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err = Settings(getenv); err != nil {
		t.Fatal(err)
	}
	for _, want := range []Setting{{"stop", "off", path + ":1"}, {"idle", "10m0s", "default"}} {
		if !slices.Contains(all, want) {
			t.Errorf("no %+v", want)
		}
	}
	// The keys of a map differ by their case.
	if err := os.WriteFile(path, []byte("{\"windows\": {\"model\": 1000000,\n\"Model\": 200000}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err = Settings(getenv); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"windows.model": path + ":1", "windows.Model": path + ":2"} {
		if !slices.ContainsFunc(all, func(s Setting) bool { return s.Name == name && s.Source == want }) {
			t.Errorf("%s is not from %s", name, want)
		}
	}
	for content, want := range map[string]string{
		"{\n \"stp\": \"off\"}":                                                            `line 2: there is no setting "stp"`,
		"{\n \"pressure\": {\"inf\": 3}}":                                                  `line 2: there is no setting "inf"`,
		"{\"lang\":\n{\"x\": \"stp\"}}":                                                    `line 1: there is no setting "lang"`,
		"{\"stop\": \"stp\",\n \"stp\": 1}":                                                `line 2: there is no setting "stp"`,
		"{\"retention\": {\"days\": 3},\n \"ui\": {\"days\": 3}}":                          `line 2: there is no setting "days"`,
		"{\"windows\": {\"inf\": 3},\n \"prices\": {\"m\": {\"input\": 1,\n \"inf\": 1}}}": `line 3: there is no setting "inf"`,
		"{\n \"stop\": 3\n}":                                                               "line 2: stop cannot be a number",
		"{\n \"stop\": \"off\"\n":                                                          "line 3: it ends too early",
		"\ufeff{\n \"stop\": 3}":                                                           "line 2: stop cannot be a number",
		"{\"stop\": \"off\"}\n{\"guidance\": false}":                                       "line 2: this is not JSON",
		"[]":                                 "the document cannot be a array",
		"{\n\n stop: off}":                   "line 3: this is not JSON",
		"{\"pressure\":\n{\"info\": true}}":  "line 2: pressure.info cannot be a bool",
		"{\"pressure\":{\"urgent\": 101}}\n": "pressure.urgent is 101",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := Settings(getenv)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), " json: ") {
			t.Errorf("%s is %v, want %s", content, err, want)
		}
		if len(all) < 10 {
			t.Errorf("%s leaves %d settings", content, len(all))
		}
	}
}
