package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"journal/events/text"
)

// The README says and shows what the demo prints: its headline, a sample of the text, and a
// picture that is drawn from it. Both are held against the demo here; -update draws the picture anew.
func TestDemo(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the demo is a shell script")
	}
	c := exec.Command("sh", filepath.Join("..", "..", "docs", "demo.sh"), program, recorded, "whole")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("the demo: %v\n%s", err, out)
	}
	demo := sectionsIn(undated(strings.ReplaceAll(string(out), program, "/home/dev/.local/bin/journal")))
	recovery := section(t, demo, "The whole text")
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	inOrder(t, fence(t, string(readme), "# Journal:"), recovery)

	headline, _, _ := strings.Cut(demo[""][0], ".")
	_, headline, _ = strings.Cut(headline, ": ")
	if !strings.Contains(string(readme), headline) {
		t.Errorf("the README does not say %q", headline)
	}
	picture := draw(headline, recovery, section(t, demo, "The events"), section(t, demo, "What was restored"))
	path := filepath.Join("..", "..", "docs", "journal.svg")
	if *updateScripts {
		if err := os.WriteFile(path, []byte(picture), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(path); err != nil || string(kept) != picture {
		t.Errorf("docs/journal.svg is not what the demo shows: go test ./cmd/journal -run TestDemo -update draws it anew (%v)", err)
	}
}

var days = regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`)
var clocks = regexp.MustCompile(`\b\d\d-\d\d \d\d:\d\d(:\d\d)?`)

// undated replaces all dates, which are those of the run, by one.
func undated(s string) string {
	return clocks.ReplaceAllString(days.ReplaceAllString(s, "2026-11-21"), "11-21 12:00")
}

// sectionsIn parts the demo's output at its headings.
func sectionsIn(out string) map[string][]string {
	all, name := map[string][]string{}, ""
	for line := range strings.SplitSeq(out, "\n") {
		if heading, ok := strings.CutPrefix(line, "== "); ok {
			name = heading
		} else if line != "" || len(all[name]) > 0 {
			all[name] = append(all[name], line)
		}
	}
	return all
}

func section(t *testing.T, all map[string][]string, begins string) []string {
	t.Helper()
	for name, lines := range all {
		if strings.HasPrefix(name, begins) {
			return lines
		}
	}
	t.Fatalf("the demo has no section %q", begins)
	return nil
}

// fence gives the lines of the fenced block of a page that begins with a text.
func fence(t *testing.T, page, begins string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "```\n"+begins)
	block, _, closed := strings.Cut(rest, "\n```")
	if !ok || !closed {
		t.Fatalf("the README has no block that begins with %q", begins)
	}
	return strings.Split(begins+block, "\n")
}

// inOrder fails unless a sample is what stands in a text: without gaps but where it says "…".
func inOrder(t *testing.T, sample, whole []string) {
	t.Helper()
	at, gap := 0, true
	for _, line := range sample {
		if line == "…" {
			gap = true
			continue
		}
		for gap && at < len(whole) && whole[at] != line {
			at++
		}
		if at >= len(whole) || whole[at] != line {
			t.Fatalf("the README's sample says %q, the demo does not, or not there:\n%s", line, strings.Join(whole, "\n"))
		}
		at, gap = at+1, false
	}
}

// kinds are the lanes of the picture's timeline: what a type of event begins with.
var kinds = []struct{ label, types, colour string }{
	{"prompts", "prompt.", "#58a6ff"},
	{"tasks", "task.", "#8b949e"},
	{"files", "file.", "#3fb950"},
	{"commands", "command.", "#f85149"},
	{"decisions", "decision.", "#d2a8ff"},
	{"recovered", "recovery.", "#e3b341"},
}

var logLine = regexp.MustCompile(`^#(\d+)\s+11-21 12:00\s+\S+\s+(\S+)`)

// svg is a drawing in the making.
type svg struct{ strings.Builder }

func (d *svg) text(x, y float64, size int, colour, s string) {
	fmt.Fprintf(d, `<text x="%g" y="%g" font-size="%d" fill="%s" xml:space="preserve">`, x, y, size, colour)
	_ = xml.EscapeText(d, []byte(s)) // a Builder takes everything
	d.WriteString("</text>\n")
}

func (d *svg) window(x, y, w, h float64, title string) {
	fmt.Fprintf(d, `<rect x="%g" y="%g" width="%g" height="%g" rx="8" fill="#0d1117" stroke="#30363d"/>`+"\n", x, y, w, h)
	d.text(x+16, y+20, 11, "#8b949e", title)
}

// draw draws the recovery text beside the timeline of the session and its audit, and
// over the audit what journal did.
func draw(headline string, recovery, log, audit []string) string {
	const width, height, half, line, columns = 1200, 560, 600, 15, 84
	d := &svg{}
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace">`+"\n", width, height)
	d.window(4, 4, half-8, height-8, "what the agent gets after the compaction")
	y := 46.0
	for _, said := range recovery {
		colour := "#e6edf3"
		switch {
		case strings.HasPrefix(said, "#"):
			colour = "#58a6ff"
		case strings.HasPrefix(said, ">"):
			colour = "#8b949e"
		}
		if y > height-16 {
			break
		}
		d.text(20, y, 11, colour, text.CutColumns(said, columns))
		y += line
	}
	d.window(half+4, 4, half-8, 230, "the session's timeline, by the numbers of its events")
	last := 1.0
	for _, said := range log {
		if m := logLine.FindStringSubmatch(said); m != nil {
			last, _ = strconv.ParseFloat(m[1], 64)
		}
	}
	x := func(seq float64) float64 { return half + 100 + seq/last*(half-130) }
	for i, k := range kinds {
		at := 62 + float64(i)*24
		d.text(half+20, at+4, 11, "#8b949e", k.label)
		fmt.Fprintf(d, `<line x1="%g" y1="%g" x2="%g" y2="%g" stroke="#21262d"/>`+"\n", x(0), at, x(last), at)
	}
	for _, said := range log {
		m := logLine.FindStringSubmatch(said)
		if m == nil {
			continue
		}
		seq, _ := strconv.ParseFloat(m[1], 64)
		if m[2] == "context.restarted" {
			fmt.Fprintf(d, `<line x1="%.1f" y1="44" x2="%.1f" y2="196" stroke="#f85149" stroke-width="2" stroke-dasharray="4 3"/>`+"\n", x(seq), x(seq))
			d.text(x(seq)-32, 212, 10, "#f85149", "compaction")
		}
		for i, k := range kinds {
			if strings.HasPrefix(m[2], k.types) {
				fmt.Fprintf(d, `<circle cx="%.1f" cy="%g" r="4.5" fill="%s"/>`+"\n", x(seq), 62+float64(i)*24, k.colour)
			}
		}
	}
	d.window(half+4, 242, half-8, height-246, "journal audit")
	d.text(half+20, 284, 12, "#3fb950", headline)
	y = 312
	for _, said := range audit {
		if y > height-16 {
			break
		}
		colour := "#e6edf3"
		if strings.Contains(said, "offered") { // neither kept nor lost
			colour = "#e3b341"
		}
		d.text(half+20, y, 11, colour, text.CutColumns(said, columns))
		y += line
	}
	d.WriteString("</svg>\n")
	return d.String()
}
