// Command journal keeps what coding agents did, decided and forgot in a log that
// outlives their compactions, and gives it back.
package main

import (
	"os"

	"journal/embedded/owner"
)

var _ = owner.Config{}

func main() { os.Exit(Main()) }
