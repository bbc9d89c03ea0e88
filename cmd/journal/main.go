// Command journal keeps what coding agents did, decided and forgot in a log that
// outlives their compactions, and restores it.
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

// release is set when a release is built.
var release string

func main() {
	runtime.MemProfileRate = 0 // nobody profiles this process, and a sample takes longer than what it counts
	os.Exit(cli.Main(release))
}
