package client_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"journal/cmd/testkit/ownertest"
	"journal/journal/wire/client"
	"journal/journal/wire/sock"
)

// answered makes a request to a real server, with a client that answers on one subject.
func answered(t *testing.T) (ask func(ctx context.Context, subject, body string) (string, error), stop func()) {
	t.Helper()
	dir := ownertest.Dir(t)
	s := newServer(t, dir)
	if _, err := s.Conn().Subscribe("JOURNAL.v1.echo", func(m *nats.Msg) {
		if err := m.Respond(m.Data); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Conn().Subscribe("JOURNAL.v1.header", func(m *nats.Msg) {
		reply := nats.NewMsg(m.Reply)
		reply.Header.Set("A", "b")
		reply.Data = m.Data
		if err := m.RespondMsg(reply); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Conn().SubscribeSync("JOURNAL.v1.mute"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Conn().Flush(), s.Serve()); err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, subject, body string) (string, error) {
		reply, err := client.Ask(ctx, dir, subject, []byte(body))
		return string(reply), err
	}, s.StopAccepting
}

// One write and one reply are a request to a real server.
func TestExchange(t *testing.T) {
	t.Parallel()
	ask, stop := answered(t)
	long := strings.Repeat("가\r\n", 100_000) // protocol words in a body are body
	for _, subject := range []string{"JOURNAL.v1.echo", "JOURNAL.v1.header"} {
		for _, body := range []string{"", "x", "MSG a 1 1\r\nb\r\n", long} {
			got, err := ask(t.Context(), subject, body)
			if err != nil || got != body {
				t.Errorf("%s of %d bytes: %d bytes, error %v", subject, len(body), len(got), err)
			}
		}
	}
	if _, err := ask(t.Context(), "JOURNAL.v1.nobody", "x"); !errors.Is(err, client.ErrNoResponders) {
		t.Errorf("nobody answers: %v", err)
	}
	if _, err := ask(t.Context(), "journal.p.s.turn.ended", "x"); err == nil || !strings.Contains(err.Error(), "Permissions Violation") {
		t.Errorf("a forbidden subject: %v", err)
	}
	if _, err := ask(t.Context(), "JOURNAL.v1.echo", strings.Repeat("x", 9<<20)); err == nil || !strings.Contains(err.Error(), "Maximum Payload") {
		t.Errorf("more than the server takes: %v", err)
	}
	late, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := ask(late, "JOURNAL.v1.mute", "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no answer in time: %v", err)
	}
	stop()
	if _, err := ask(t.Context(), "JOURNAL.v1.echo", "x"); !errors.Is(err, sock.ErrNoOwner) {
		t.Errorf("nobody listens: %v", err)
	}
}

// Any bytes of a server are a reply or an error.
func TestReplies(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"INFO {}\r\nPING\r\n+OK\r\nMSG _INBOX.a 1 2\r\nhi\r\n": "hi",
		"MSG _INBOX.a 1 _INBOX.b 0\r\n\r\n":                    "",
		"HMSG _INBOX.a 1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n":      "hi",
		"HMSG _INBOX.a 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n":    "the owner takes no requests",
		"-ERR 'Authorization Violation'\r\n":                   "'Authorization Violation'",
		"MSG _INBOX.a 1 5\r\nhi\r\n":                           "EOF",
		"":                                                     "EOF",
		"MSG _INBOX.a 1 -1\r\n":                                "unexpected bytes",
		"MSG 9\r\n9":                                           "unexpected bytes",
		"MSG _INBOX.a 1 99999999\r\n":                          "unexpected bytes",
		"HMSG _INBOX.a 1 3 2\r\nhi\r\n":                        "unexpected bytes",
		"HTTP/1.1 400 Bad Request\r\n":                         "unexpected bytes",
		"\r\n":                                                 "unexpected bytes",
		"INFO " + strings.Repeat("x", 20<<10) + "\r\nMSG a 1 2\r\nhi\r\n": "more than 16384 bytes",
	} {
		got, err := client.ReplyIn([]byte(said))
		if err != nil {
			got = []byte(err.Error())
		}
		if err != nil && !client.IsAnswerless(err) || !strings.Contains(string(got), want) || err == nil && string(got) != want {
			t.Errorf("%.60q: %q, error %v; want %q", said, got, err, want)
		}
	}
}

func FuzzReply(f *testing.F) {
	f.Add([]byte("INFO {}\r\nMSG _INBOX.a 1 2\r\nhi\r\n"))
	f.Add([]byte("HMSG _INBOX.a 1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n"))
	f.Add([]byte("-ERR 'x'\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := client.ReplyIn(b); err != nil && !client.IsAnswerless(err) && !errors.Is(err, io.EOF) {
			t.Errorf("error %v", err)
		}
	})
}
