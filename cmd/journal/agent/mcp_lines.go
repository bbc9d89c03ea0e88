package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The errors of JSON-RPC for what is no message.
const (
	notJSON    = -32700
	notMessage = -32600
)

// messages gives the lines of a client that are messages, each whole. To any other line it answers itself, since the
// SDK ends at one. The end of ctx is the end of the lines: the client may go, and nothing went wrong. It is the reader
// and the writer of a transport.
type messages struct {
	ctx  context.Context
	in   *bufio.Reader
	left []byte // of the line that is being read

	mu  sync.Mutex
	out io.Writer
}

func (m *messages) Read(b []byte) (int, error) {
	for len(m.left) == 0 {
		line, err := m.line()
		if m.ctx.Err() != nil {
			return 0, io.EOF
		}
		code := 0
		if line = bytes.TrimSpace(line); len(line) > 0 {
			code = m.judge(line, err)
		}
		switch {
		case code != 0:
			fmt.Fprintf(m, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":"a line that is no message: one JSON object each"}}`+"\n", code)
		case len(line) > 0:
			m.left = append(line, '\n')
			continue
		}
		if err != nil && !errors.Is(err, bufio.ErrTooLong) {
			return 0, err
		}
	}
	n := copy(b, m.left)
	m.left = m.left[n:]
	return n, nil
}

// judge gives the error of a line that is no message, 0 for one that is.
func (*messages) judge(line []byte, err error) int {
	if errors.Is(err, bufio.ErrTooLong) || !json.Valid(line) {
		return notJSON
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return notMessage
	}
	return 0
}

// line reads up to the end of a line. Of one that is longer than the SDK takes the beginning comes with
// bufio.ErrTooLong.
func (m *messages) line() (line []byte, err error) {
	tooLong := false
	for {
		part, err := m.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > mcp.DefaultMaxLineLength; !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil && tooLong:
			return line, bufio.ErrTooLong
		default:
			return line, err
		}
	}
}

func (m *messages) Write(b []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.out.Write(b)
}

// Close leaves stdin and stdout open at the end of a session.
func (*messages) Close() error { return nil }
