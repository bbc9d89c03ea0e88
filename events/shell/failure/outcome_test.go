package failure

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestHides(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"go test ./... 2>&1 | tail -3":              true,
		"make; echo done":                           true,
		"make || true":                              true,
		"npm run dev &":                             true,
		"make\nls":                                  true,
		"go test ./...":                             false,
		"cd x && go test ./...":                     false,
		"make 2>&1":                                 false,
		"make &> log":                               false,
		"make;":                                     false,
		"set -o pipefail; go test ./... | tail":     true, // the result of the first command is unknown, because ";" hides it
		"set -eo pipefail; go test ./... | tail":    false,
		`grep 'a|b;c' file`:                         false,
		`git commit -m "a; b | c"`:                  false,
		"git commit -m \"$(cat <<'E'\na; b\nE\n)\"": false,
		"cat <<E > f\na | b; c\nE":                  false,
		"cat <<E > f\na\nE\nmake":                   true,
		"read a <<< \"$b\"\ngo test ./... | tail":   true,
		"make # then ; nothing":                     false,
		`echo a\;b`:                                 false,
		"":                                          false,
	} {
		if got := Hides(command); got != want {
			t.Errorf("Hides(%q) = %v", command, got)
		}
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		`journal decide "use msgpack; not JSON"`:                                               true,
		"cd /p && ~/.local/bin/journal-hook note x":                                            true,
		`J=1 "/opt/my tools/journal" search x 2>&1 | head -5`:                                  true,
		"./journal.exe audit":                                                                  true,
		`& "C:\tools\journal.exe" audit; C:\tools\journal.exe show 3 | Select-Object -First 5`: true,
		"journal decide x; go test ./...":                                                      false,
		"go build -o bin/journal ./cmd/journal && journal show":                                false,
		"cat a | grep b 2>/dev/null; journal show 3 > c.txt":                                   true,
		"sed -i s/a/b/ c.go; journal decide x":                                                 false,
		"echo a > b && journal decide x":                                                       false,
		"journalctl -u x":                                                                      false,
		"cat journal":                                                                          false,
		"echo journal decide x":                                                                false,
		"":                                                                                     false,
	} {
		if got := Calls(command, "journal", "journal-hook"); got != want {
			t.Errorf("Calls(%q) = %v", command, got)
		}
	}
}

// TestMarks: every mark is found by its examples, and no other line by any of them.
func TestMarks(t *testing.T) {
	t.Parallel()
	examples := map[string][]string{
		"*** ":                 {"make: *** [Makefile:4: test] Error 1", "make[1]: *** No rule to make target 'x'.  Stop."},
		"BUILD FAILED":         {"BUILD FAILED", "** BUILD FAILED **", "BUILD FAILED in 3s"},
		"[ERROR] ":             {"[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin"},
		"ERROR task failed":    {"ERROR task failed", "[test:ci] ERROR task failed"},
		"Finished with errors": {"[lint] Finished with errors"},
		"error: Recipe `":      {"error: Recipe `test` failed on line 4 with exit code 1"},
		":":                    {"cmd/x/main.go:12:5: undefined: y", "src/a.ts:3:10: error TS2304: Cannot find name 'x'.", "main.c:1:1: error: unknown type name"},
		"error[E":              {"error[E0425]: cannot find value `x` in this scope"},
		"error: ":              {"error: could not compile `x` (lib) due to 1 previous error", "error: test failed, to rerun pass `--lib`"},
		"): error TS":          {"src/a.ts(3,10): error TS2304: Cannot find name 'x'."},
		"--- FAIL: ":           {"--- FAIL: TestX (0.00s)"},
		"FAIL":                 {"FAIL", "FAIL\texample.com/m\t0.3s", "FAIL example.com/m [build failed]"},
		"panic: ":              {"panic: runtime error: index out of range [3] with length 3"},
		"exit status ":         {"exit status 1", "exit status 120"},
		"npm ":                 {"npm ERR! code ELIFECYCLE", "npm error Missing script: \"x\""},
		"ERR_PNPM_":            {"ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  x@1.0.0 test: `vitest`"},
		"Tests: ":              {"Tests:       1 failed, 3 passed, 4 total"},
		"failed":               {"Tests  2 failed | 10 passed (12)"},
		"FAILED ":              {"FAILED tests/test_a.py::test_b - assert 1 == 2", "FAILED (failures=1)"},
		" failed":              {"=== 1 failed, 3 passed in 0.12s ===", "2 failed in 1.0s", "10 failed in 1.0s"},

		"Error: Cannot find module ":         {"Error: Cannot find module './x'"},
		"Traceback (most recent call last):": {"Traceback (most recent call last):"},
		"command not found": {
			"bash: line 1: rg: command not found", "zsh:1: command not found: staticcheck", "(eval):1: command not found: rg", "command not found: staticcheck",
			"zsh: command not found: rg",
		},
		": No such file or directory": {"ls: cannot access 'x': No such file or directory", "grep: x: No such file or directory", "zsh:1: grep: x: No such file or directory"},
		"' is not recognized as ": {
			"'rg' is not recognized as an internal or external command,", "rg : The term 'rg' is not recognized as the name of a cmdlet, function,",
			"rg: The term 'rg' is not recognized as a name of a cmdlet, function, script file, or executable program.",
		},
		"fatal: ": {"fatal: not a git repository"},
	}
	for _, m := range marks {
		if len(examples[m.hint]) == 0 {
			t.Errorf("the mark with %q has no examples", m.hint)
		}
		for _, line := range examples[m.hint] {
			if !marked(line, []mark{m}) {
				t.Errorf("the mark with %q does not match %q", m.hint, line)
			}
		}
	}
	for _, line := range []string{
		"*** Test started ***", "it says BUILD FAILED when it did", "[ERROR] in a log", "say ERROR task failed", "Finished with errors: 0", "Recipe `test`",
		"main.c:1:1: warning: unused variable", "12:30:45: started", "http://host:80:8: x", "a.go:12: 3: x", "see error[E0425]", "error: what the program itself says",
		"error TS2304", "--- PASS: TestX (0.00s)", "grep -- '--- FAIL: '", "FAIL is a word", "ok  \texample.com/m\t0.3s", "don't panic: it works",
		"exit status 0", "exit status 1 is a failure", "npm warn deprecated x", "about ERR_PNPM_X", "Tests:       4 passed, 4 total", "Tests  12 passed (12)",
		"Tests that failed", "throw new Error('Error: Cannot find module')", "# Traceback (most recent call last): is what it prints", "FAILED is a status",
		"0 failed, 3 passed in 0.1s", "it failed in 3 ways", "if command not found, install it", `echo "command not found"`,
		"return fmt.Errorf(\"x: No such file or directory\")", "a.go:3: x: No such file or directory is tested",
		"it says 'rg' is not recognized as an internal or external command", "'x' is not recognized as a number", "it is fatal: stop",
	} {
		if marked(line, marks) {
			t.Errorf("%q is a mark", line)
		}
	}
}

func TestScanner(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, output, want string }{
		{"go test ./... | tail", "ok  \ta\n\x1b[31m--- FAIL: TestX (0.00s)\x1b[0m\n    x_test.go:3: 결과\nFAIL\n", "--- FAIL: TestX (0.00s)"},
		{"go test ./...", "--- FAIL: TestX (0.00s)\n", ""}, // its exit code is 0 and hides nothing
		{"grep -rn FAIL . | head", "--- FAIL: in a source\nFAIL\npanic: in a source\n", ""},
		{"cat x; cat y | head", "cat: x: No such file or directory\n", "cat: x: No such file or directory"},
		{"git -C a log | head", "panic: a subject\n", ""},
		{"git pull | tail -1", "fatal: not a git repository (or any of the parent directories): .git", "fatal: not a git repository (or any of the parent directories): .git"},
		{"for d in a b; do (cd $d; npm test); done", "npm ERR! code 1\r\n", "npm ERR! code 1"},
		{"make | cat", strings.Repeat("x", 5000) + "--- FAIL: in a long line\n", ""},
		{"make | cat", "--- FAIL: " + strings.Repeat("x", 400) + " " + strings.Repeat("s", 300), "--- FAIL: " + strings.Repeat("x", 400)},
		{"find . | xargs -n 1 grep -h FAIL | head", "--- FAIL: in a log\n", ""},
		{"gh run view --log | grep FAIL", "--- FAIL: in a run elsewhere\n", ""},
		{"timeout 60 env A=1 go test ./... | tail", "FAIL\n", "FAIL"},
		{"'' | cat", "FAIL\n", "FAIL"},
		{"make | cat", "10%\r20%\rmake: *** [x] Error 1\r\n", "make: *** [x] Error 1"},
		{"make | cat", "", ""},
		{"Get-Content a.log | Select-String FAIL", "--- FAIL: in a log\n", ""},
		{"npm test | Out-Host; dir", "npm : The term 'npm' is not recognized as the name of a cmdlet, function, script file, or operable program.\r\n", "npm : The term 'npm' is not recognized as the name of a cmdlet, function, script file, or operable program."},
	} {
		var s Scanner
		if n, err := s.Write([]byte(c.output)); n != len(c.output) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
		if got := s.Mark(c.command); got != c.want {
			t.Errorf("%q: mark %q, want %q", c.command, got, c.want)
		}
	}
}

// TestScannerPieces: the mark is the same, and valid text, however the output is cut into pieces.
func TestScannerPieces(t *testing.T) {
	t.Parallel()
	pieces := []string{"ok\n", "--- FAIL: T (0s)\n", "FAIL", "\n", "\x1b[1m", "make: *** [x] Error 1\n", "한국어", "\xff", " ", strings.Repeat("y", 600)}
	rapid.Check(t, func(t *rapid.T) {
		output := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "output"), "")
		var whole, parts Scanner
		_, _ = whole.Write([]byte(output))
		for rest := output; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			_, _ = parts.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		if a, b := whole.Mark("make | tail"), parts.Mark("make | tail"); a != b || strings.ToValidUTF8(a, "") != a || len(a) > maxLine {
			t.Fatalf("%q: whole %q, in pieces %q", output, a, b)
		}
	})
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain 글\tx\n":                         "plain 글\tx\n",
		"\x1b[1;31mred\x1b[0m":                 "red",
		"\x1b]0;title\x07text\x1b]8;;u\x1b\\l": "textl",
		"a\x00b\x08\x7fc\r\n":                  "abc\n",
		"a\r| b\r":                             "a\n| b\n",
		"\x1b":                                 "",
		"글\x1b[":                               "글",
	} {
		if got := Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzScanner(f *testing.F) {
	f.Add("make | tail", "--- FAIL: x\n")
	f.Add("cat <<E\n", "")
	f.Add("a $(b \"c)", "\x1b[")
	f.Fuzz(func(t *testing.T, command, output string) {
		var s Scanner
		_, _ = s.Write([]byte(output))
		if m := s.Mark(command); len(m) > maxLine || strings.ContainsAny(m, "\n\x1b") {
			t.Errorf("mark %q", m)
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	for _, lines := range []int{48, 700} { // 2 KB, and 30 KB, the client's limit
		output := []byte(strings.Repeat("ok  \texample.com/pkg/of/some/length\t0.123s\n", lines))
		b.Run(strconv.Itoa(len(output)), func(b *testing.B) {
			for b.Loop() {
				var s Scanner
				_, _ = s.Write(output)
				if s.Mark("go test ./... 2>&1 | tail -30") != "" {
					b.Fatal("a mark")
				}
			}
		})
	}
}
