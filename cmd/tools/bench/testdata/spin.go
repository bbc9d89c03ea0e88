// Command spin keeps one core busy until its standard input ends.
package main

import (
	"io"
	"os"
)

func main() {
	go func() {
		for {
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
}
