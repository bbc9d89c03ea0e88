package client

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"journal/journal/wire"
	"journal/journal/wire/sock"
)

// exchange is a connection to the owner for one request. Like journal.Connect it uses the NATS client protocol, but it sends
// everything in one write and waits only for the reply. A nats.go client waits for the server's greeting and a pong first, and
// passes its input between goroutines: that took a hook 1.2 ms.
type exchange struct {
	ctx   context.Context
	conn  net.Conn
	read  *bufio.Reader
	inbox string
}

// introduction is the CONNECT message. Its no_responders asks the server for a reply if nobody listens to a request.
const introduction = `CONNECT {"verbose":false,"pedantic":false,"name":"journal","lang":"go","version":"1","protocol":1,"headers":true,"no_responders":true}` + "\r\n"

const (
	maxLine  = 16 << 10 // bytes of a line; a greeting has 400
	maxReply = 8 << 20  // bytes of a reply; the owner's are far shorter
)

// errProtocol is returned for bytes that are not the protocol of a NATS server.
var errProtocol = errors.New("unexpected bytes from the owner's server")

// refusal is the server's reason for refusing a client.
type refusal string

func (r refusal) Error() string { return "the owner's server refuses the connection: " + string(r) }

// newExchange opens a connection whose requests end with ctx. Connecting ignores ctx, because a local socket connects or fails at
// once. The error is sock.ErrNoOwner if there is no owner.
func newExchange(ctx context.Context, dir string) (*exchange, error) {
	conn, err := sock.Dialer(dir).Dial("", "")
	if err != nil {
		return nil, fmt.Errorf("connect to the owner: %w", err)
	}
	var id [8]byte
	rand.Read(id[:]) // never fails; it ends the process if the system has no randomness
	return &exchange{
		ctx: ctx, conn: conn, read: bufio.NewReaderSize(conn, maxLine), inbox: "_INBOX." + hex.EncodeToString(id[:]),
	}, nil
}

func (x *exchange) close() { x.conn.Close() }

// request makes the request and returns the body of the reply. Its errors include that of ctx, ErrNoResponders if the server runs but
// the owner takes no requests, and io.EOF if the server closes the connection.
func (x *exchange) request(subject string, body []byte) ([]byte, error) {
	defer context.AfterFunc(x.ctx, func() { x.conn.SetDeadline(time.Unix(1, 0)) })()
	var b bytes.Buffer
	b.Grow(len(introduction) + len(body) + 256)
	fmt.Fprintf(&b, "%sSUB %s 1\r\nPUB %s %s %d\r\n", introduction, x.inbox, subject, x.inbox, len(body))
	b.Write(body)
	b.WriteString("\r\n")
	_, writeErr := x.conn.Write(b.Bytes())
	// A server that closes the connection during the write has sent its reason before.
	reply, err := x.reply()
	switch {
	case err == nil:
		return reply, nil
	case x.ctx.Err() != nil:
		return nil, x.ctx.Err()
	case writeErr != nil && !errors.As(err, new(refusal)):
		return nil, writeErr
	}
	return nil, err
}

// publish sends a message that has no reply, after a request, and waits until the server has the message.
func (x *exchange) publish(subject string, body []byte) error {
	defer context.AfterFunc(x.ctx, func() { x.conn.SetDeadline(time.Unix(1, 0)) })()
	if _, err := fmt.Fprintf(x.conn, "PUB %s %d\r\n%s\r\nPING\r\n", subject, len(body), body); err != nil {
		return err
	}
	_, err := x.line("PONG")
	return err
}

// reply reads lines up to the reply and returns its body.
func (x *exchange) reply() ([]byte, error) {
	words, err := x.line("MSG", "HMSG")
	if err != nil {
		return nil, err
	}
	size, head, err := sizes(words)
	if err != nil || head < 0 || head > size || size > maxReply {
		return nil, fmt.Errorf("%w: %.80q", errProtocol, strings.Join(words, " "))
	}
	message := make([]byte, size+len("\r\n"))
	if _, err := io.ReadFull(x.read, message); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(message[:head], []byte("NATS/1.0 503")) {
		return nil, ErrNoResponders
	}
	return message[head:size], nil
}

// sizes returns the size of a message and that of the headers in it, from the words of its first line: MSG subject sid [reply] size
// or, with headers, HMSG subject sid [reply] size-of-headers size.
func sizes(words []string) (size, head int, err error) {
	last, headers := len(words)-1, words[0] == "HMSG"
	if last < 3 || headers && last < 4 {
		return 0, 0, errProtocol
	}
	if headers {
		if head, err = strconv.Atoi(words[last-1]); err != nil {
			return 0, 0, err
		}
	}
	size, err = strconv.Atoi(words[last])
	return size, head, err
}

// line reads lines up to one that begins with one of kinds, and returns its words. It answers PING.
func (x *exchange) line(kinds ...string) ([]string, error) {
	for {
		b, err := x.read.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			err = fmt.Errorf("%w: a line of more than %d bytes", errProtocol, maxLine)
		}
		if err != nil {
			return nil, err
		}
		words := strings.Fields(string(b))
		if len(words) == 0 {
			return nil, fmt.Errorf("%w: an empty line", errProtocol)
		}
		if slices.Contains(kinds, words[0]) {
			return words, nil
		}
		switch words[0] {
		case "INFO", "+OK":
		case "PING":
			if _, err := io.WriteString(x.conn, "PONG\r\n"); err != nil {
				return nil, err
			}
		case "-ERR":
			return nil, refusal(strings.Join(words[1:], " "))
		default:
			return nil, fmt.Errorf("%w: %.80q", errProtocol, b)
		}
	}
}

const (
	// retryWait is the least time for which an appender retries the owner when the spool fails and the disk is not full: a hook has
	// 1.2 s in all.
	retryWait = 800 * time.Millisecond
	// retryPoll is the interval of these retries.
	retryPoll = 5 * time.Millisecond
)

// retry hands a request that the spool could not store to the owner, for retryWait or, if that is longer, wait. It starts an owner
// if there is none. On a full disk no owner can start: then it asks, for appendWait, only an owner that has not got the request yet.
// ownerErr and spoolErr are the errors so far. The error is ErrRefused, ErrPaused, or ErrUndelivered, which spoolErr wraps.
func (a *Appender) retry(ctx context.Context, r wire.Request, wait time.Duration, ownerErr, spoolErr error) (Receipt, error) {
	failed := func() (Receipt, error) {
		return Receipt{}, fmt.Errorf("%w; before that: %w", spoolErr, ownerErr)
	}
	start, budget := a.options.Start, max(retryWait, wait)
	if isFull(spoolErr) {
		if !errors.Is(ownerErr, errBehind) && !errors.Is(ownerErr, errHung) {
			return failed()
		}
		start, budget = nil, appendWait
	}
	ctx, cancel := context.WithTimeout(ctx, a.options.Pace.Of(budget))
	defer cancel()
	for {
		receipt, err := a.deliver(ctx, r, 0)
		if err == nil || errors.Is(err, ErrRefused) || errors.Is(err, ErrPaused) {
			return receipt, err
		}
		r = repeated(r)
		if ctx.Err() == nil { // else err only means that the time is over
			ownerErr = err
		}
		if start != nil {
			if err := start(a.dir); err != nil {
				ownerErr = err
				return failed()
			}
		} else if errors.Is(err, sock.ErrNoOwner) {
			return failed() // this process starts none
		}
		select {
		case <-ctx.Done():
			return failed()
		case <-time.After(retryPoll):
		}
	}
}

// isFull reports whether an error means that the disk or a quota is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
