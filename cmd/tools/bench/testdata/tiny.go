// Command tiny does the least that a process can: without an argument it prints a line. With
// the path of a file it appends a record of 420 bytes and waits for the disk.
package main

import "os"

func main() {
	if len(os.Args) < 2 {
		os.Stdout.WriteString("hello, world\n")
		return
	}
	f, err := os.OpenFile(os.Args[1], os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		os.Exit(1)
	}
	if _, err := f.Write(make([]byte, 420)); err != nil {
		os.Exit(1)
	}
	if f.Sync() != nil {
		os.Exit(1)
	}
}
