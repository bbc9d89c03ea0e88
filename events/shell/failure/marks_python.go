package failure

import "strings"

var _ = declare(mark{
	name: "python", hint: "Traceback (most recent call last):",
	matches: func(line string) bool { return line == "Traceback (most recent call last):" },
	yes:     []string{"Traceback (most recent call last):"}, no: []string{"# Traceback (most recent call last): is what it prints"},
})

var _ = declare(mark{
	name: "pytest", hint: "FAILED ", matches: func(line string) bool {
		rest, ok := strings.CutPrefix(line, "FAILED ")
		return ok && (strings.Contains(rest, "::") || strings.HasPrefix(rest, "(failures=") || strings.HasPrefix(rest, "(errors="))
	},
	yes: []string{"FAILED tests/test_a.py::test_b - assert 1 == 2", "FAILED (failures=1)"}, no: []string{"FAILED is a status"},
})

var _ = declare(mark{
	name: "pytest, summary", hint: " failed", matches: func(line string) bool {
		inner := strings.TrimSpace(strings.Trim(line, "="))
		count, rest, ok := strings.Cut(inner, " failed")
		return ok && count != "" && strings.Trim(count, "0123456789") == "" && count != "0" && strings.Contains(rest, " in ")
	},
	yes: []string{"=== 1 failed, 3 passed in 0.12s ===", "2 failed in 1.0s"}, no: []string{"0 failed, 3 passed in 0.1s", "it failed in 3 ways"},
})
