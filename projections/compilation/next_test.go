package compilation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/projections"
	"journal/projections/compilation"
)

// TestCompileSteps: the steps are ordered by how much they block, each with the command that records it; then modules
// with a broken dependency, and the report last (S2.11).
func TestCompileSteps(t *testing.T) {
	t.Parallel()
	issue := func(kind, file, symbol, answer string, related bool) compilation.Issue {
		return compilation.Issue{
			ID: kind + ":" + symbol, Kind: kind, File: file, Symbol: symbol, Answer: answer, Related: related,
		}
	}
	s := compilation.State{Run: 1, Conflict: "overwrite", Targets: []compilation.Target{
		{Path: "running", Status: compilation.Running, Phase: "green", Try: 2, Started: 9},
		{Path: "parsing", Status: compilation.Running},
		{Path: "compiled", Status: compilation.Compiled, Phase: "done", Finished: 9},
		{Path: "it's planned", Status: compilation.Planned, Mode: "update", Language: "Go"},
		{Path: "bare", Status: compilation.Planned},
		{Path: "fixed", Status: compilation.Fixed, Issues: []compilation.Issue{
			issue("missing_export", "a.go", "A", "fix_spec", true), issue("uncovered_file", "b.go", "", "fix_code", true),
			issue("uncovered_file", "c.go", "", "ignore", true), issue("uncovered_file", "d.go", "", "", false),
		}},
		{Path: "healing", Status: compilation.Healing, Rounds: 1, Validated: 5, Issues: []compilation.Issue{
			issue("mismatch_signature", "", "B", "", true), issue("uncovered_file", "", "E", "", true), issue("other_kind", "f.go", "F", "", true), {Related: true},
		}},
		{Path: "healed", Status: compilation.Healing, Rounds: 2, Validated: 5, Acted: 6, Issues: []compilation.Issue{issue("uncovered_file", "g.go", "", "", true)}},
		{Path: "stopped", Status: compilation.Stopped, Phase: "green"},
		{Path: "red", Status: compilation.Stopped, Phase: "red"},
		{Path: "failed", Status: compilation.Failed, Outcome: "partial", Tests: events.CompileTests{Total: 5, Failed: 2}},
		{Path: "asking", Status: compilation.NeedsAnswer, Issues: []compilation.Issue{issue("missing_export", "", "$(x)", "", false)}},
		{Path: "asks", Status: compilation.NeedsLanguage},
		{Path: "good", Status: compilation.Success, Diff: &compilation.Diff{Breaking: true, Seq: 8, Affected: []string{"running", "bare", "warned", "unknown"}}},
		{Path: "warned", Status: compilation.Warning, Finished: 8, Diff: &compilation.Diff{Seq: 8, Affected: []string{"bare"}}},
	}}
	show := func(s compilation.State) string {
		var b strings.Builder
		for _, step := range s.Next() {
			fmt.Fprintf(&b, "%s %s\n  %s\n  %s\n", step.Status, step.Target, step.What, step.Command)
		}
		if len(s.Targets) > 1 {
			for _, target := range s.Targets {
				fmt.Fprintln(&b, target)
			}
			for _, task := range s.Tasks("/bin/journal") {
				fmt.Fprintf(&b, "%s %s %v\n%s\n", task.ID, task.Type, task.Files, task.Prompt)
			}
		}
		return b.String()
	}
	want := `language asks
  ask the person for the language of asks
  compile answer asks --language LANGUAGE
asking asking
  ask the person about missing export $(x): fix_spec (CLAUDE.md to the code, recommended), fix_code (code to CLAUDE.md) or ignore
  compile answer asking fix_spec|fix_code|ignore --issue 'missing_export:$(x)'
failed failed
  compile failed/CLAUDE.md again: its compiler says partial, 2 of 5 tests failed
  compile start failed
stopped stopped
  begin stopped again: what compiled it is over in green, try 1 of 3 and left no result
  compile start stopped --phase green
stopped red
  begin red again: what compiled it is over in red and left no result
  compile start red --phase red
healing healing
  round 2 of 3: add to healing/CLAUDE.md: under Exports, the signature of B as it is, and under Domain Context why it changed; add to healing/CLAUDE.md: under Structure, E and what it is for; add to healing/CLAUDE.md: other kind F in f.go; add to healing/CLAUDE.md: what the validation found (it names no issue); then compile it again
  compile start healing
healing healed
  round 2 of 3: add to healed/CLAUDE.md: under Structure, g.go and what it is for; then compile it again
  compile start healed
fixed fixed
  add to fixed/CLAUDE.md: under Exports, A (a.go), and under Domain Context why it is there; mend the code, not fixed/CLAUDE.md: uncovered file in b.go; then validate it
  compile validated fixed --verdict good|improve|must_improve --issue KIND:FILE:SYMBOL
planned it's planned
  compile it's planned/CLAUDE.md (update, Go, files that exist: overwrite)
  compile start 'it'\''s planned'
planned bare
  compile bare/CLAUDE.md (files that exist: overwrite)
  compile start bare
compiled compiled
  validate compiled: code against compiled/CLAUDE.md
  compile validated compiled --verdict good|improve|must_improve --issue KIND:FILE:SYMBOL
running running
  wait for running: it is in green, try 2 of 3 and has no result yet; if nothing works on it any more, begin it again
  compile start running --phase green --try 2
running parsing
  wait for parsing: it is in parse and has no result yet; if nothing works on it any more, begin it again
  compile start parsing
affected bare
  compile bare again: it uses the interface of good, which is broken
  compile start bare
affected warned
  compile warned again: it uses the interface of good, which is broken
  compile start warned
affected unknown
  compile unknown again: it uses the interface of good, which is broken
  compile start unknown
running: green, try 2 of 3, running, no result yet
parsing: parse, running, no result yet
compiled: compiled, not validated yet
it's planned: planned
bare: planned
fixed: fixed
healing: healing, round 2 of 3
healed: healing, round 2 of 3
stopped: green, try 1 of 3, stopped without a result
red: red, stopped without a result
failed: failed
asking: question, fix_spec, fix_code or ignore: missing export $(x)
asks: question: which language?
good: success
warned: warning
compile it's planned compile [it's planned/CLAUDE.md it's planned/IMPLEMENTS.md]
Compile the specification of a directory into source code, tests first.
CLAUDE.md: ./it's planned/CLAUDE.md
IMPLEMENTS.md: ./it's planned/IMPLEMENTS.md
Target directory: it's planned
Mode: update
Language: Go
Files that exist: overwrite
Before you begin, run: /bin/journal compile start 'it'\''s planned'
At the end, write the result to .claude/tmp/run1.4-compile-it's planned.json: {"claude_md_path", "target_dir", "detected_language", "generated_files": [], "skipped_files": [], "overwritten_files": [], "modified_symbols": [], "tests": {"total", "passed", "failed"}, "status": "success" or "failed"}, its files named below the target directory,
and run: /bin/journal compile result --from '.claude/tmp/run1.4-compile-it'\''s planned.json'
compile bare compile [bare/CLAUDE.md bare/IMPLEMENTS.md]
Compile the specification of a directory into source code, tests first.
CLAUDE.md: ./bare/CLAUDE.md
IMPLEMENTS.md: ./bare/IMPLEMENTS.md
Target directory: bare
Mode: update
Language: that of the files beside it
Files that exist: overwrite
Before you begin, run: /bin/journal compile start bare
At the end, write the result to .claude/tmp/run1.5-compile-bare.json: {"claude_md_path", "target_dir", "detected_language", "generated_files": [], "skipped_files": [], "overwritten_files": [], "modified_symbols": [], "tests": {"total", "passed", "failed"}, "status": "success" or "failed"}, its files named below the target directory,
and run: /bin/journal compile result --from .claude/tmp/run1.5-compile-bare.json
compile healing compile [healing/CLAUDE.md healing/IMPLEMENTS.md]
Compile the specification of a directory into source code, tests first.
CLAUDE.md: ./healing/CLAUDE.md
IMPLEMENTS.md: ./healing/IMPLEMENTS.md
Target directory: healing
Mode: update
Language: that of the files beside it
Files that exist: overwrite
First add to healing/CLAUDE.md: under Exports, the signature of B as it is, and under Domain Context why it changed; add to healing/CLAUDE.md: under Structure, E and what it is for; add to healing/CLAUDE.md: other kind F in f.go; add to healing/CLAUDE.md: what the validation found (it names no issue)
Before you begin, run: /bin/journal compile start healing
At the end, write the result to .claude/tmp/run1.7-compile-healing.json: {"claude_md_path", "target_dir", "detected_language", "generated_files": [], "skipped_files": [], "overwritten_files": [], "modified_symbols": [], "tests": {"total", "passed", "failed"}, "status": "success" or "failed"}, its files named below the target directory,
and run: /bin/journal compile result --from .claude/tmp/run1.7-compile-healing.json
compile healed compile [healed/CLAUDE.md healed/IMPLEMENTS.md]
Compile the specification of a directory into source code, tests first.
CLAUDE.md: ./healed/CLAUDE.md
IMPLEMENTS.md: ./healed/IMPLEMENTS.md
Target directory: healed
Mode: update
Language: that of the files beside it
Files that exist: overwrite
First add to healed/CLAUDE.md: under Structure, g.go and what it is for
Before you begin, run: /bin/journal compile start healed
At the end, write the result to .claude/tmp/run1.8-compile-healed.json: {"claude_md_path", "target_dir", "detected_language", "generated_files": [], "skipped_files": [], "overwritten_files": [], "modified_symbols": [], "tests": {"total", "passed", "failed"}, "status": "success" or "failed"}, its files named below the target directory,
and run: /bin/journal compile result --from .claude/tmp/run1.8-compile-healed.json
compile stopped compile [stopped/CLAUDE.md stopped/IMPLEMENTS.md]
Compile the specification of a directory into source code, tests first.
CLAUDE.md: ./stopped/CLAUDE.md
IMPLEMENTS.md: ./stopped/IMPLEMENTS.md
Target directory: stopped
Mode: update
Language: that of the files beside it
Files that exist: overwrite
Before you begin, run: /bin/journal compile start stopped
At the end, write the result to .claude/tmp/run1.9-compile-stopped.json: {"claude_md_path", "target_dir", "detected_language", "generated_files": [], "skipped_files": [], "overwritten_files": [], "modified_symbols": [], "tests": {"total", "passed", "failed"}, "status": "success" or "failed"}, its files named below the target directory,
and run: /bin/journal compile result --from .claude/tmp/run1.9-compile-stopped.json
compile red compile [red/CLAUDE.md red/IMPLEMENTS.md]
Compile the specification of a directory into source code, tests first.
CLAUDE.md: ./red/CLAUDE.md
IMPLEMENTS.md: ./red/IMPLEMENTS.md
Target directory: red
Mode: update
Language: that of the files beside it
Files that exist: overwrite
Before you begin, run: /bin/journal compile start red
At the end, write the result to .claude/tmp/run1.10-compile-red.json: {"claude_md_path", "target_dir", "detected_language", "generated_files": [], "skipped_files": [], "overwritten_files": [], "modified_symbols": [], "tests": {"total", "passed", "failed"}, "status": "success" or "failed"}, its files named below the target directory,
and run: /bin/journal compile result --from .claude/tmp/run1.10-compile-red.json
compile failed compile [failed/CLAUDE.md failed/IMPLEMENTS.md]
Compile the specification of a directory into source code, tests first.
CLAUDE.md: ./failed/CLAUDE.md
IMPLEMENTS.md: ./failed/IMPLEMENTS.md
Target directory: failed
Mode: update
Language: that of the files beside it
Files that exist: overwrite
Before you begin, run: /bin/journal compile start failed
At the end, write the result to .claude/tmp/run1.11-compile-failed.json: {"claude_md_path", "target_dir", "detected_language", "generated_files": [], "skipped_files": [], "overwritten_files": [], "modified_symbols": [], "tests": {"total", "passed", "failed"}, "status": "success" or "failed"}, its files named below the target directory,
and run: /bin/journal compile result --from .claude/tmp/run1.11-compile-failed.json
`
	if diff := cmp.Diff(want, show(s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.Targets = s.Targets[len(s.Targets)-1:]
	if got, want := show(s), "done \n  every target is done\n  compile report\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, s := range []compilation.State{{}, {Run: 1, Ended: true, Targets: []compilation.Target{{Status: compilation.NeedsLanguage}}}} {
		if got, want := show(s), "none \n  no run is open\n  compile plan\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestCompileConcerns: a session with a part in a run is told about it while something is left to do; others for three
// days after its last change (S2.11).
func TestCompileConcerns(t *testing.T) {
	t.Parallel()
	day := projections.Stamp(24 * time.Hour)
	open := compilation.State{Run: 1, Session: "began", Targets: []compilation.Target{
		{Path: "a", Status: compilation.Planned, Session: "works", At: 5 * day}, {Path: "b", Status: compilation.Success, At: 4 * day},
	}}
	over := compilation.State{Run: 1, Session: "began", Targets: open.Targets[1:]}
	ended := open
	ended.Ended = true
	for _, tc := range []struct {
		name, session string
		run           compilation.State
		now           projections.Stamp
		want          bool
	}{
		{"who began it", "began", open, 90 * day, true},
		{"who works in it", "works", open, 90 * day, true},
		{"another, soon", "other", open, 8 * day, true},
		{"another, late", "other", open, 8*day + 1, false},
		{"nothing left to do", "began", over, 5 * day, false},
		{"ended", "began", ended, 5 * day, false},
		{"no run", "", compilation.State{}, 0, false},
	} {
		if got := tc.run.Concerns(tc.session, tc.now); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}
