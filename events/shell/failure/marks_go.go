package failure

import "strings"

var _ = declare(mark{
	name: "go test", hint: "--- FAIL: ", matches: begins("--- FAIL: "),
	yes: []string{"--- FAIL: TestX (0.00s)"}, no: []string{"--- PASS: TestX (0.00s)", "grep -- '--- FAIL: '"},
})

var _ = declare(mark{
	name: "go test, whole package", hint: "FAIL",
	matches: func(line string) bool {
		return line == "FAIL" || strings.HasPrefix(line, "FAIL\t") || strings.HasPrefix(line, "FAIL ") && strings.HasSuffix(line, "]")
	},
	yes: []string{"FAIL", "FAIL\texample.com/m\t0.3s", "FAIL example.com/m [build failed]"},
	no:  []string{"FAIL is a word", "ok  \texample.com/m\t0.3s"},
})

var _ = declare(mark{
	name: "go panic", hint: "panic: ", matches: begins("panic: "),
	yes: []string{"panic: runtime error: index out of range [3] with length 3"},
	no:  []string{"don't panic: it works"},
})

var _ = declare(mark{
	name: "go run", hint: "exit status ",
	matches: func(line string) bool {
		code, ok := strings.CutPrefix(line, "exit status ")
		return ok && code != "" && code != "0" && strings.Trim(code, "0123456789") == ""
	},
	yes: []string{"exit status 1"}, no: []string{"exit status 0", "exit status 1 is a failure"},
})
