package failure

import (
	"slices"
	"strings"
	"testing"
)

// TestFindings: one line for each error and each failed test, without source code, and without what went well.
func TestFindings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ output, want string }{
		"go build": {"# m\na.go:1:2: undefined: x\na.go:3:4: too many arguments\n\thave (int)\n\twant ()\n", "a.go:1:2: undefined: x\na.go:3:4: too many arguments"},
		"golangci-lint": {"[lint] b/a.go:119:18: string `m` has 3 occurrences (goconst)\n[lint] \tif m.Type == \"m\" {\n[lint] \t          ^\nb/h.go:48:5: var x is unused (unused)\nvar x = []string{\n    ^\n2 issues:\n* unused: 1\n",
			"b/a.go:119:18: string `m` has 3 occurrences (goconst)\nb/h.go:48:5: var x is unused (unused)"},
		"go test": {"--- FAIL: TestA (0.32s)\n    a_test.go:49: Phase 1: begin\n    h.go:9: 2026/01/30 INFO started\n        Captured\n    a_test.go:201: x should be deleted\n    a_test.go:204: y should be deleted\n    a_test.go:216: done\n" +
			"--- FAIL: TestB (0.00s)\n    --- FAIL: TestB/sub (0.73s)\n        b_test.go:128: x.json is not there\n--- PASS: TestC (0.1s)\n    c_test.go:1: got it\nFAIL\nFAIL\tm/a\t0.1s\n",
			"a_test.go:201: FAIL: TestA: x should be deleted\nb_test.go:128: FAIL: TestB/sub: x.json is not there"},
		"go test, its log": {"--- FAIL: TestA (0.32s)\n    a_test.go:49: Phase 1: begin\n    a_test.go:54: Phase 2: go on\n", "FAIL: TestA"},
		"go test -v":       {"=== RUN   TestA\n=== RUN   TestB\n    b_test.go:7: got 1, want 2\n=== NAME  TestA\n    a_test.go:3: fine\n--- FAIL: TestB (0s)\n--- PASS: TestA (0s)\nFAIL\n", "b_test.go:7: FAIL: TestB: got 1, want 2"},
		"a panic":          {"--- FAIL: TestA (0.00s)\npanic: boom [recovered]\n\tpanic: boom\n\ngoroutine 7 [running]:\n", "FAIL: TestA: panic: boom [recovered]"},
		"testify": {"--- FAIL: TestA (0.00s)\n    a_test.go:12: \n        \tError Trace:\t/m/a_test.go:12\n        \tError:      \tNot equal: \n        \t            \texpected: 1\n        \t            \tactual  : 2\n        \tTest:       \tTestA\n",
			"a_test.go:12: FAIL: TestA: Not equal:; expected: 1; actual : 2"},
		"cargo build": {"error[E0425]: cannot find value `x` in this scope\n --> src/main.rs:4:5\n  |\n4 |     x\nwarning: unused\n --> src/b.rs:1:1\nerror: could not compile `m`\n", "src/main.rs:4:5: error[E0425]: cannot find value `x` in this scope"},
		"cargo test":  {"test tests::adds ... FAILED\n\nfailures:\n\n---- tests::adds stdout ----\nthread 'tests::adds' panicked at src/lib.rs:10:9:\nassertion `left == right` failed\n  left: 1\n right: 2\n", "src/lib.rs:10:9: FAIL: tests::adds: assertion `left == right` failed; left: 1; right: 2"},
		"pytest": {"____ test_a ____\n\n    def test_a():\n>       assert f() == 2\nE       assert 1 == 2\nE        +  where 1 = f()\n\ntests/test_a.py:3: AssertionError\n____ TestB.test_b ____\nE       KeyError: 'x'\n\nb.py:9: KeyError\n" +
			"=== short test summary info ===\nFAILED tests/test_a.py::test_a - assert 1 == 2\nFAILED tests/test_b.py::TestB::test_b - KeyError: 'x'\n2 failed in 0.1s\n", "tests/test_a.py:3: FAIL: test_a: assert 1 == 2\nb.py:9: FAIL: TestB.test_b: KeyError: 'x'"},
		"pytest, its summary": {"FAILED tests/test_a.py::test_a - assert 1 == 2\nFAILED tests/test_a.py::TestB::test_b\n", "FAILED tests/test_a.py::test_a - assert 1 == 2\nFAILED tests/test_a.py::TestB::test_b"},
		"jest": {"FAIL src/a.test.ts\n  total\n    ✕ adds (3 ms)\n\n  ● total › adds\n\n    expect(received).toBe(expected)\n\n    Expected: 2\n    Received: 1\n\n    > 5 | expect(1).toBe(2)\n\n      at Object.<anonymous> (src/a.test.ts:5:17)\n\nTests:       1 failed, 1 total\n",
			"src/a.test.ts:5:17: FAIL: total › adds: expect(received).toBe(expected); Expected: 2; Received: 1"},
		"jest, with what tests printed": {"FAIL src/a.test.ts\n  ● Console\n\n    console.log\n      adding 1\n\n      at log (src/a.ts:2:11)\n\n  ● total › adds\n\n    expect(received).toBe(expected)\n\n      at Object.<anonymous> (src/a.test.ts:5:17)\n\n" +
			"FAIL src/b.test.ts\n  ● Console\n\n    console.error\n      odd\n\n  ● total › Console\n\n    TypeError: x is not a function\n",
			"src/a.test.ts:5:17: FAIL: total › adds: expect(received).toBe(expected)\nFAIL: total › Console: TypeError: x is not a function"},
		"vitest": {" FAIL  src/a.test.ts > total > adds\nAssertionError: expected 1 to be 2 // Object.is equality\n\n- Expected\n+ Received\n\n- 2\n+ 1\n\n ❯ src/a.test.ts:5:17\n", "src/a.test.ts:5:17: FAIL: src/a.test.ts > total > adds: AssertionError: expected 1 to be 2 // Object.is equality"},
		"tsc":    {"src/a.ts(3,10): error TS2304: Cannot find name 'x'.\nsrc/b.ts:3:10 - error TS2304: Cannot find name 'y'.\n\n3 y\n  ~\n", "src/a.ts(3,10): error TS2304: Cannot find name 'x'.\nsrc/b.ts:3:10 - error TS2304: Cannot find name 'y'."},
		"eslint": {"/m/a.js\n  12:5  error    'x' is defined but never used  no-unused-vars\n  13:1  warning  odd  y\n\n✖ 2 problems\n", "/m/a.js:12:5: 'x' is defined but never used no-unused-vars"},
		"ruff":   {"F401 [*] `os` imported but unused\n --> a.py:1:8\n  |\n1 | import os\nb.py:2:1: E701 Multiple statements\n", "a.py:1:8: F401 [*] `os` imported but unused\nb.py:2:1: E701 Multiple statements"},
		"mypy":   {"a.py:3: error: Name \"x\" is not defined  [name-defined]\na.py:3: note: did you mean\n", "a.py:3: error: Name \"x\" is not defined [name-defined]"},
		"a cut": {"--- FAIL: TestA (0s)\n    a_test.go:3: got 1\n    --- FAIL: TestA/su\n\n... [9 characters truncated] ...\n    b_test.go:7: got 2\n" +
			"--- FAIL: TestC (0s)\n    log…[+99 bytes sha256:00]… end\n    c_test.go:9: got 3\n", "a_test.go:3: FAIL: TestA: got 1\nFAIL: TestC"},
		"none": {"http://a.b:80: x\n12:30:45: y\nit is FAIL: here\n[INFO] a\n ok\n", ""},
	} {
		found := Findings("make", c.output)
		if got := Listed(found); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
		if again := Findings("make", Listed(found)); len(again) != len(found) || slices.ContainsFunc(again, func(f Finding) bool { return !strings.Contains(c.want, f.Text) }) {
			t.Errorf("%s: its findings are read as\n%s", name, Listed(again))
		}
	}
}

// TestReported: the log of a job is read without what precedes its lines. Other commands report nothing.
func TestReported(t *testing.T) {
	t.Parallel()
	log := "lint\tRun linter\t\ufeff2026-02-04T23:39:44.4982737Z b/a_test.go:896:5: SA5011: x\nlint\tRun linter\t2026-02-04T23:39:44.5Z \tif x == nil {\nlint\tRun linter\t2026-02-04T23:39:44.6Z ##[error]b/a.go:9:1: y\n2026-02-04T23:39:44.6Z c.go:1:1: z\n"
	for command, want := range map[string]string{
		"gh run view 21692651903 --log-failed 2>&1 | head -100": "b/a_test.go:896:5: SA5011: x\nb/a.go:9:1: y\nc.go:1:1: z",
		"gh api repos/o/r/actions/jobs/7/logs | tail -50":       "b/a_test.go:896:5: SA5011: x\nb/a.go:9:1: y\nc.go:1:1: z",
		"glab ci trace lint":                  "b/a_test.go:896:5: SA5011: x\nb/a.go:9:1: y\nc.go:1:1: z",
		"gh run view 21692651903 --log; make": "",
		"gh pr view 3":                        "",
		"cat ci.log":                          "",
	} {
		if got := Listed(Reported(command, log)); got != want {
			t.Errorf("%s:\n%s", command, got)
		}
	}
}

// TestGrouped: equal messages about a file are one line.
func TestGrouped(t *testing.T) {
	t.Parallel()
	if got, want := Grouped("a.go:1:2: x\nb.go:3:4: x\na.go:5:6: x\na.go:7:8: y\na.go:9:1: x"), "a.go:1, 5, 9: x\nb.go:3:4: x\na.go:7:8: y"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
