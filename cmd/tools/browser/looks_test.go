package browser

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// looks takes every page on a phone and a large screen, by day and by night, lets
// axe look at it, and sees that nothing is wider than the screen.
func looks(t *testing.T, b *browser, origin, path string) {
	pages := map[string]string{"today": "/", "sessions": "/sessions", "session": path, "past": path + "?at=20", "compactions": path + "/compactions", "survey": "/compactions", "cost": "/cost", "search": "/search?q=bucket", "talk": path + "/talk", "projects": "/projects", "project": strings.Split(path, "/s/")[0]}
	screens(t, b, origin, pages)
	for _, lang := range []string{"ko", "ja"} {
		b.size(1440, 900, false)
		b.run(chromedp.Evaluate(fmt.Sprintf(`document.cookie = 'journal-lang=%s; path=/; samesite=strict'`, lang), nil))
		for _, name := range []string{"today", "sessions", "session", "talk", "compactions", "survey", "projects"} {
			b.open(origin + pages[name])
			b.settle()
			if got := js[string](b, "document.documentElement.lang"); got != lang {
				t.Errorf("the page is in %s, want %s", got, lang)
			}
			b.shoot(fmt.Sprintf("%s-1440-%s", name, lang), false)
		}
	}
	b.run(chromedp.Evaluate(`document.cookie = 'journal-lang=en; path=/; samesite=strict'`, nil))
	// The button turns day to night whatever the system says, and the next page keeps it.
	b.open(origin + "/")
	b.click("[data-theme-switch]")
	b.open(origin + "/projects")
	if got := js[string](b, "document.documentElement.dataset.theme"); got != "dark" {
		t.Errorf("the next page is %q", got)
	}
	b.run(chromedp.Evaluate(`document.cookie = 'journal-theme=; path=/; max-age=0'`, nil))
}

// screens takes pages on every screen.
func screens(t *testing.T, b *browser, origin string, pages map[string]string) {
	t.Helper()
	axe := axeSource(t)
	for name, at := range pages {
		for _, width := range []int64{390, 1440} {
			for _, dark := range []bool{false, true} {
				b.size(width, 900, dark)
				b.open(origin + at)
				b.settle()
				night := map[bool]string{false: "light", true: "dark"}[dark]
				b.shoot(fmt.Sprintf("%s-%d-%s", name, width, night), false)
				if wide := js[int64](b, `document.documentElement.scrollWidth`); wide > width {
					t.Errorf("%s has %d pixels on a screen of %d", name, wide, width)
				}
				for _, finding := range violations(b, axe) {
					t.Errorf("axe, %s, %d pixels, %s: %s", name, width, night, finding)
				}
			}
		}
	}
}

// violations lists what axe finds by its rules, with those for good practice.
func violations(b *browser, axe string) []string {
	b.Helper()
	if axe == "" {
		return nil
	}
	b.run(chromedp.Evaluate(axe, nil))
	return js[[]string](b, `axe.run(document, {resultTypes: ['violations']}).then(r => r.violations
		.map(v => v.id + ': ' + v.help + ' ' + v.nodes.slice(0, 4).map(n => n.html.slice(0, 200) + ' ' + (n.any[0]?.message ?? '')).join(' | ')))`)
}

// axe-core is under the MPL-2.0 and no part of this repository: it is fetched once, by the
// ordinary client of its registry, and has to be what it was when this was written.
const (
	axeVersion = "4.14.1"
	axeDigest  = "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745"
)

// axeSource gives the script, empty where it cannot be had: then the rest is driven without it.
func axeSource(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Log("axe is not run: ", err)
		return ""
	}
	dir = filepath.Join(dir, "journal-e2e")
	file := filepath.Join(dir, "axe-core-"+axeVersion+".tgz")
	if _, err := os.Stat(file); err != nil {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("npm", "pack", "axe-core@"+axeVersion)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Logf("axe is not run, because npm does not give it: %v %s", err, out)
			return ""
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != axeDigest {
		t.Fatalf("%s is not what it was", file)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			t.Fatal("axe-core has no axe.min.js")
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == "package/axe.min.js" {
			source, err := io.ReadAll(files)
			if err != nil {
				t.Fatal(err)
			}
			return string(source)
		}
	}
}
