// Command journal records what coding agents do and decide in a log, and restores for them what a compaction of their context
// took.
package main

import (
	"os"
	"runtime"

	_ "journal/cmd/journal/agent"
	_ "journal/cmd/journal/care"
	"journal/cmd/journal/cli"
	_ "journal/cmd/journal/doctor"
	_ "journal/cmd/journal/look"
	_ "journal/cmd/journal/record"
	_ "journal/cmd/journal/team"
	_ "journal/cmd/journal/ui"
	_ "journal/cmd/journal/work"
	_ "journal/journal/agents/all" // every agent that verbs can name
	_ "journal/journal/agents/opencode/database"
	_ "journal/projections/all" // every projection that verbs can name
)

// release is the version of this program. The linker sets it for a release; in any other build it is empty.
var release string

func main() {
	runtime.MemProfileRate = 0 // nobody uses the memory profile, and sampling takes time
	os.Exit(cli.Main(release))
}
