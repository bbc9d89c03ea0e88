//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"
)

// rawClient is a client of the MCP server that writes lines as they are.
type rawClient struct {
	*testing.T
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    bytes.Buffer // on stderr
}

func (w *world) rawClient() *rawClient {
	w.Helper()
	l := &rawClient{T: w.T, command: w.command("mcp")}
	l.command.Stderr = &l.said
	var err error
	if l.in, err = l.command.StdinPipe(); err != nil {
		w.Fatal(err)
	}
	out, err := l.command.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	l.out = bufio.NewReader(out)
	if err := l.command.Start(); err != nil {
		w.Fatal(err)
	}
	l.gives(`"serverInfo"`, "\ufeff"+`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	l.writes(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return l
}

func (l *rawClient) writes(line string) {
	l.Helper()
	if _, err := fmt.Fprintln(l.in, line); err != nil {
		l.Error(err)
	}
}

// gives holds the answer to a line.
func (l *rawClient) gives(want, line string) {
	l.Helper()
	l.writes(line)
	if got, err := l.out.ReadString('\n'); err != nil || !strings.Contains(got, want) {
		l.Fatalf("%.80q is answered with %q, %v", line, got, err)
	}
}

// What is no message is answered with the protocol's error, and the server goes on.
func TestMCPBrokenLine(t *testing.T) {
	t.Parallel()
	l := newWorld(t).rawClient()
	for _, line := range []string{"no message", `{"jsonrpc":"2.0","id":2,`, "\x00", strings.Repeat("x", mcp.DefaultMaxLineLength+1)} {
		l.gives(`"id":null,"error":{"code":-32700,`, line)
	}
	for _, line := range []string{"7", "null", "{}", `[{"jsonrpc":"2.0","id":2,"method":"ping"}]`, `{"jsonrpc":"1.0","id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":3.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":1e30,"method":"ping"}`} {
		l.gives(`"id":null,"error":{"code":-32600,`, line)
	}
	l.gives(`a shorter text`, `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"note","arguments":{"text":"`+strings.Repeat("x", 1<<20)+`"}}}`)
	l.gives(`{"jsonrpc":"2.0","id":3,"result":{}}`, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	l.gives(`{"jsonrpc":"2.0","id":"3.5","result":{}}`, `{"jsonrpc":"2.0","id":"3.5","method":"ping"}`)
	l.gives(`{"jsonrpc":"2.0","id":4,"result":{}}`, `{"jsonrpc":"2.0","id":4.0,"method":"ping"}`)
	if err := l.in.Close(); err != nil {
		t.Error(err)
	}
	if err := l.command.Wait(); err != nil || l.said.Len() > 0 {
		t.Errorf("it ends with %v, says %q", err, &l.said)
	}
}

// What a client asked before it closed stdin is done and answered, as `printf … | journal mcp` expects.
func TestMCPAnswersBeforeItEnds(t *testing.T) {
	t.Parallel()
	l := newWorld(t).rawClient()
	l.writes(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"recall","arguments":{"text":"mill"}}}`)
	l.writes(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	for id := range 20 {
		l.writes(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"recover"}}`, 100+id))
	}
	if err := l.in.Close(); err != nil {
		t.Error(err)
	}
	answers, err := io.ReadAll(l.out)
	if n := bytes.Count(answers, []byte(`"id":1`)); err != nil || n != 20 {
		t.Errorf("%d of 20 calls are answered, %v:\n%s", n, err, answers)
	}
	if err := l.command.Wait(); err != nil {
		t.Error(err)
	}
}

// A client that ends the server by a signal did nothing wrong.
func TestMCPIsEnded(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{os.Interrupt, unix.SIGTERM} {
		w := newWorld(t)
		l := w.rawClient()
		l.gives(`"id":3`, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		if err := l.command.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if err := l.command.Wait(); err != nil || l.said.Len() > 0 {
			t.Errorf("%v ends it with %v, it says %q", sig, err, &l.said)
		}
		if log := w.logFile(); strings.Contains(log, `"ERROR"`) || strings.Contains(log, `"WARN"`) {
			t.Errorf("%v is noted as trouble:\n%s", sig, log)
		}
	}
}
