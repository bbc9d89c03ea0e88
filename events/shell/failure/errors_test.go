package failure

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, output, want string }{
		{"go build ./... | head", "# m\na.go:1:2: undefined: x\na.go:1:2: undefined: x\na.go:3:4: too many arguments\n\thave (int)\n\twant ()\nok  \tm/b\t0.1s\n", "a.go:1:2: undefined: x\na.go:3:4: too many arguments\n\thave (int)\n\twant ()"},
		{"go test ./... | tail", "=== RUN   TestX\n--- FAIL: TestX (0.00s)\n    x_test.go:12: got 1\nPASS\n", "--- FAIL: TestX (0.00s)\n    x_test.go:12: got 1"},
		{"go test ./... | tail", "--- FAIL: TestX (0.00s)\n    hook.go:9: INFO started\n    x_test.go:12: got 1\n", "--- FAIL: TestX (0.00s)\n    x_test.go:12: got 1"},
		{"pytest | tail", "    def test_a():\n>       assert f() == 2\nE       assert 1 == 2\ntests/test_a.py:3: AssertionError\nFAILED tests/test_a.py::test_a - assert 1 == 2\n", "E       assert 1 == 2\ntests/test_a.py:3: AssertionError\nFAILED tests/test_a.py::test_a - assert 1 == 2"},
		{"npx jest | tail", "  ● total › adds\n\n    expect(received).toBe(expected)\n\n    Expected: 2\n    Received: 1\n\nTests:       1 failed, 1 total\n", "  ● total › adds\n    expect(received).toBe(expected)\n    Expected: 2\n    Received: 1\nTests:       1 failed, 1 total"},
		{"cargo build | tail", "error[E0425]: cannot find value `x`\n --> src/main.rs:4:5\n  |\n4 |     x\nwarning: unused\n", "error[E0425]: cannot find value `x`\n --> src/main.rs:4:5"},
		{"cat a.log; ls b", "a.go:1:2: undefined: x\nls: cannot access 'b': No such file or directory\n", "ls: cannot access 'b': No such file or directory"},
		{"make | tail", "cc a.c\n", ""},
	} {
		if got := strings.Join(Errors(c.command, c.output), "\n"); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.command, got, c.want)
		}
	}
}

// The lines of any output are some of its own, each once, and not too many.
func TestErrorsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		output := strings.Join(rapid.SliceOfN(rapid.StringMatching(`( {0,4}|E   )(a\.go:[0-9]:[0-9]: x|--- FAIL: T[a-z]|[a-z]*)`), 0, 80).Draw(rt, "lines"), "\n")
		seen := map[string]bool{}
		for _, line := range Errors("make | tail", output) {
			if seen[line] || !strings.Contains("\n"+output+"\n", "\n"+line) {
				rt.Errorf("%q", line)
			}
			seen[line] = true
		}
		if len(seen) > MaxErrors {
			rt.Errorf("%d lines", len(seen))
		}
	})
}
