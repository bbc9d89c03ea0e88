package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/journal/config"
)

// in gives the environment of a person whose configuration is this.
func in(t testing.TB, content string) func(string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(name string) string {
		if name == "JOURNAL_CONFIG" {
			return path
		}
		return ""
	}
}

// A mistake is named with the file, and costs the person's choices only.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`{"presure":{}}`:                         "presure",
		`{"pressure":{"info":101}}`:              "pressure.info is 101",
		`{"pressure":{"urgent":-1}}`:             "pressure.urgent is -1",
		`{"stop":"everybody"}`:                   "everybody",
		`{"prices":{"m":{"output":-1}}}`:         "prices.m has a price below 0",
		`{"retention":{"days":-1}}`:              "retention.days is -1,",
		`{"retention":{"projects":{"p-1":-5}}}`:  "retention.projects.p-1 is -5",
		`{"retention":{"days":213504}}`:          "retention.days is 213504, must be 0 to 100000", // in nanoseconds 64 bits hold 25 minutes of it
		`{"retention":{"megabytes":1000000001}}`: "retention.megabytes is 1000000001, must be 0 to 1000000000",
		`{"retention":{"months":1}}`:             "months",
		`{"stop":`:                               "config.json",
		`[]`:                                     "config.json",
		"\x00":                                   "config.json",
	} {
		c, err := config.Load(in(t, content))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one about %s", content, err, want)
		}
		if info, urgent := c.Fold().Pressure.Levels(); info != 60 || urgent != 75 || !c.Guidance || c.Stop != "person" {
			t.Errorf("%s: not the defaults but %+v", content, c)
		}
	}
}

// An empty word is no choice, so the default applies, and the rest of the file counts.
func TestEmptyChoices(t *testing.T) {
	t.Parallel()
	c, err := config.Load(in(t, `{"stop":"","transcripts":"","guidance":false}`))
	if err != nil || c.Stop != "person" || c.Transcripts != "off" || c.Guidance {
		t.Errorf("%+v, %v", c, err)
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{`{}`, `{"pressure":{"info":50},"guidance":false,"templates":{"en":"x"},"windows":{"m":1}}`, `{"stop":"off"}`, `[[[[`, "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		c, err := config.Load(in(t, content))
		info, urgent := c.Fold().Pressure.Levels()
		if info < 1 || info > 100 || urgent < 1 || urgent > 100 {
			t.Errorf("levels %d and %d, error %v", info, urgent, err)
		}
		_ = c.Template("en")
	})
}
