package failure

import "strings"

var _ = declare(mark{
	name: "npm", hint: "npm ", matches: func(line string) bool {
		return strings.HasPrefix(line, "npm ERR! ") || strings.HasPrefix(line, "npm error ")
	},
	yes: []string{"npm ERR! code ELIFECYCLE", "npm error Missing script: \"x\""}, no: []string{"npm warn deprecated x"},
})

var _ = declare(mark{
	name: "pnpm", hint: "ERR_PNPM_", matches: func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "ERR_PNPM_") },
	yes: []string{"ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  x@1.0.0 test: `vitest`"}, no: []string{"about ERR_PNPM_X"},
})

var _ = declare(mark{
	name: "jest, vitest", hint: "Tests: ", matches: func(line string) bool {
		return strings.HasPrefix(line, "Tests: ") && strings.Contains(line, " failed")
	},
	yes: []string{"Tests:       1 failed, 3 passed, 4 total"}, no: []string{"Tests:       4 passed, 4 total"},
})

var _ = declare(mark{
	name: "vitest", hint: "failed", matches: func(line string) bool {
		rest, ok := strings.CutPrefix(line, "Tests  ")
		count, _, failed := strings.Cut(rest, " failed")
		return ok && failed && count != "" && strings.Trim(count, "0123456789") == ""
	},
	yes: []string{"Tests  2 failed | 10 passed (12)"}, no: []string{"Tests  12 passed (12)", "Tests that failed"},
})

var _ = declare(mark{
	name: "node", hint: "Error: Cannot find module ", matches: func(line string) bool {
		return strings.HasPrefix(line, "Error: Cannot find module ") || strings.HasPrefix(line, "Uncaught Error: Cannot find module ")
	},
	yes: []string{"Error: Cannot find module './x'"}, no: []string{"throw new Error('Error: Cannot find module')"},
})
