// Command peak runs a command with its own standard input, and prints the command's peak
// memory in bytes. The system counts the memory of the parent at the start of a command
// as the command's, so the parent has to be as small as this one.
package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

func main() {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		os.Exit(1)
	}
	child, err := os.StartProcess(os.Args[1], os.Args[1:], &os.ProcAttr{Env: os.Environ(), Files: []*os.File{os.Stdin, null, null}})
	if err != nil {
		os.Exit(1)
	}
	state, err := child.Wait()
	if err != nil || !state.Success() {
		os.Exit(1)
	}
	bytes := int64(state.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS != "darwin" {
		bytes <<= 10
	}
	fmt.Print(bytes)
}
