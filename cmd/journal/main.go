// Command journal keeps what coding agents did, decided and forgot in a log that
// outlives their compactions, and gives it back.
package main

import "os"

func main() { os.Exit(Main()) }
