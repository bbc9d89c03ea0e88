package failure

import "testing"

// TestOutcome: the results printed by tests, builds and linters, and nothing from other outputs.
func TestOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, output, want string }{
		{"go test ./...", "ok  \texample.com/a\t0.3s\nok  \texample.com/b\t(cached)\n", "ok"},
		{"go test ./... | tail -3", "ok  \texample.com/a\t0.3s\n--- FAIL: TestX (0.00s)\nFAIL\nFAIL\texample.com/b\t0.1s\n", "FAIL: TestX, FAIL example.com/b"},
		{"go test ./b", "FAIL\texample.com/b [build failed]\n", "FAIL example.com/b"},
		{"go test ./...", "--- FAIL: TestA (0s)\n--- FAIL: TestB (0s)\n--- FAIL: TestC (0s)\n--- FAIL: TestD (0s)\n--- FAIL: TestE (0s)\nFAIL\texample.com/b\t0.1s\n", "FAIL: TestA, FAIL: TestB, FAIL: TestC, +2"},
		{"golangci-lint run", "0 issues.\n", "0 issues"},
		{"mise run test && mise run lint", "ok  \tx\t1s\n[lint] $ golangci-lint run\n0 issues.\n", "ok, 0 issues"},
		{"mise run fmt && mise run lint", "[lint:go] $ run\n[lint:go] 0 issues.\n[lint:go] Finished in 5s\n[fmt] $ gofmt -w .\n", "0 issues"},
		{"mise run test", "[test:unit] --- FAIL: TestX (0.1s)\n[test:unit] FAIL\n[test] ERROR task failed\n", "FAIL: TestX"},
		{"golangci-lint run", "a.go:1:2: unused\n11 issues:\n* unused: 11\n", "11 issues"},
		{"pytest -q", "===== 3 passed, 1 failed in 0.12s =====\n", "3 passed, 1 failed"},
		{"npm test", "Tests:       5 passed, 5 total\n", "5 passed, 5 total"},
		{"npx vitest", " Tests  2 failed | 3 passed (5)\n", "2 failed | 3 passed"},
		{"cargo test", "test result: ok. 3 passed; 0 failed; 0 ignored\n", "ok. 3 passed"},
		{"./gradlew build", "\x1b[32mBUILD SUCCESSFUL\x1b[0m in 3s\n", "BUILD SUCCESSFUL"},
		{"mypy .", "Success: no issues found in 3 source files\n", "no issues found"},
		{"npx tsc", "Found 2 errors in 1 file.\n", "2 errors"},
		{"cat out.txt", "--- FAIL: TestX\n0 issues.\n", ""},
		{"go test ./...", "--- FAIL: TestOne (0.01s)\n--- FAIL: TestTw\n\n... [919 characters truncated] ...", "FAIL: TestOne"},
		{"go test ./a -run X", "testing: warning: no tests to run\nPASS\nok  \texample.com/a\t0.3s [no tests to run]\n", "PASS, no tests to run"},
		{"go test ./... -run X", "ok  \texample.com/a\t0.3s [no tests to run]\nok  \texample.com/b\t0.3s\n", "ok"},
		{"go build ./...", "", ""},
		{"git commit -m x", "[main 1] x\n 2 files changed, 3 insertions(+) in all\n", ""},
		{"make", "it was ok  \tand 3 passed in May\n", ""},
	} {
		if got := Outcome(c.command, c.output); got != c.want {
			t.Errorf("%s with %q: %q, want %q", c.command, c.output, got, c.want)
		}
	}
}
