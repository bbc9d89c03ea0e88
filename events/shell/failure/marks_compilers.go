package failure

import "strings"

// Compilers and linters that print file, line and column. Messages that only inform do not count.
var _ = declare(mark{
	name: "file:line:column", hint: ":",
	matches: func(line string) bool {
		message, ok := position(line)
		return ok && !strings.HasPrefix(message, "note:") && !strings.HasPrefix(message, "warning:") && !strings.HasPrefix(message, "info:")
	},
	yes: []string{"cmd/x/main.go:12:5: undefined: y", "src/a.ts:3:10: error TS2304: Cannot find name 'x'.", "main.c:1:1: error: unknown type name"},
	no:  []string{"main.c:1:1: warning: unused variable", "12:30:45: started", "http://host:80:8: x", "a.go:12: 3: x"},
})

var _ = declare(mark{
	name: "rustc", hint: "error[E", matches: begins("error[E"),
	yes: []string{"error[E0425]: cannot find value `x` in this scope"}, no: []string{"see error[E0425]"},
})

var _ = declare(mark{
	name: "cargo", hint: "error: ",
	matches: func(line string) bool {
		return strings.HasPrefix(line, "error: could not compile ") || strings.HasPrefix(line, "error: test failed")
	},
	yes: []string{"error: could not compile `x` (lib) due to 1 previous error", "error: test failed, to rerun pass `--lib`"},
	no:  []string{"error: what the program itself says"},
})

var _ = declare(mark{
	name: "tsc", hint: "): error TS",
	matches: func(line string) bool { return strings.Contains(line, "): error TS") && strings.Contains(line, "(") },
	yes:     []string{"src/a.ts(3,10): error TS2304: Cannot find name 'x'."}, no: []string{"error TS2304"},
})
