package failure

import "strings"

var _ = declare(mark{
	name: "make", hint: "*** ",
	matches: func(line string) bool {
		_, rest, ok := strings.Cut(line, ": *** ")
		return ok && strings.HasPrefix(line, "make") && rest != ""
	},
	yes: []string{"make: *** [Makefile:4: test] Error 1", "make[1]: *** No rule to make target 'x'.  Stop."}, no: []string{"*** Test started ***"},
})

var _ = declare(mark{
	name: "gradle, xcodebuild, ant", hint: "BUILD FAILED",
	matches: func(line string) bool {
		return strings.Trim(line, "* ") == "BUILD FAILED" || strings.HasPrefix(line, "BUILD FAILED in ")
	},
	yes: []string{"BUILD FAILED", "** BUILD FAILED **", "BUILD FAILED in 3s"}, no: []string{"it says BUILD FAILED when it did"},
})

var _ = declare(mark{
	name: "maven", hint: "[ERROR] ",
	matches: func(line string) bool {
		return strings.HasPrefix(line, "[ERROR] Failed to execute goal ") || strings.HasPrefix(line, "[ERROR] COMPILATION ERROR")
	},
	yes: []string{"[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin"}, no: []string{"[ERROR] in a log"},
})

var _ = declare(mark{
	name: "task runners", hint: "ERROR task failed",
	matches: func(line string) bool { // mise, with the task's name in front
		return line == "ERROR task failed" || strings.HasPrefix(line, "[") && strings.HasSuffix(line, "] ERROR task failed")
	},
	yes: []string{"ERROR task failed", "[test:ci] ERROR task failed"}, no: []string{"say ERROR task failed"},
})

var _ = declare(mark{
	name: "mise", hint: "Finished with errors", matches: func(line string) bool { return strings.HasSuffix(line, "Finished with errors") },
	yes: []string{"[lint] Finished with errors"}, no: []string{"Finished with errors: 0"},
})

var _ = declare(mark{
	name: "just, task", hint: "error: Recipe `", matches: begins("error: Recipe `"),
	yes: []string{"error: Recipe `test` failed on line 4 with exit code 1"}, no: []string{"Recipe `test`"},
})
