package main

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"journal/cmd/testkit/testutil"
)

// A signal ends the server although its client does not read the answers.
func TestMCPIsEndedUnread(t *testing.T) {
	t.Parallel()
	c := newWorld(t).command("mcp")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer answers.Close()
	c.Stdout = out
	if err := errors.Join(c.Start(), out.Close()); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	for id := range 50 { // more than the pipe of the answers holds
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", id)
	}
	testutil.Eventually(t, "the pipe is nearly full", func() bool {
		n, err := unix.IoctlGetInt(int(answers.Fd()), unix.TIOCINQ)
		return err == nil && n > 48<<10
	})
	if err := c.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}
