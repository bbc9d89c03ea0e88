package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
)

// Ask makes one request to the listener of a directory.
func Ask(ctx context.Context, dir, subject string, body []byte) ([]byte, error) {
	x, err := newExchange(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer x.close()
	return x.request(subject, body)
}

// silent is a connection that accepts all bytes and sends none.
type silent struct{ net.Conn }

func (silent) Write(b []byte) (int, error) { return len(b), nil }

// ReplyIn returns the reply in the bytes of a server.
func ReplyIn(b []byte) ([]byte, error) {
	x := exchange{ctx: context.Background(), conn: silent{}, read: bufio.NewReaderSize(bytes.NewReader(b), maxLine)}
	return x.reply()
}

// IsAnswerless reports whether an error is one of those for a missing reply.
func IsAnswerless(err error) bool {
	return errors.Is(err, errProtocol) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, new(refusal)) || errors.Is(err, ErrNoResponders)
}
