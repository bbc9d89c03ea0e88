package journal

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"journal/journal/record"
)

// answering is the door of an owner that answers a direct get with so many messages at once.
type answering int

func (n answering) Dial(string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		fmt.Fprint(server, `INFO {"server_id":"x","max_payload":1048576,"headers":true}`+"\r\n")
		inboxes := map[string]string{} // the ids of the subscriptions
		for lines := bufio.NewScanner(server); lines.Scan(); {
			switch f := strings.Fields(lines.Text()); {
			case len(f) == 1 && f[0] == "PING":
				fmt.Fprint(server, "PONG\r\n")
			case len(f) == 3 && f[0] == "SUB":
				inboxes[f[1]] = f[2]
			case len(f) == 4 && f[0] == "PUB":
				for i := range n {
					answer(server, f[2], inboxes[f[2]], fmt.Sprintf("NATS/1.0\r\nNats-Sequence: %d\r\n\r\n", i+1))
				}
				answer(server, f[2], inboxes[f[2]], "NATS/1.0 204 EOB\r\n\r\n")
			}
		}
	}()
	return client, nil
}

// answer sends a message without a body to a subscription.
func answer(client net.Conn, inbox, id, headers string) {
	fmt.Fprintf(client, "HMSG %s %s %d %d\r\n%s\r\n", inbox, id, len(headers), len(headers), headers)
}

// A reader that is slower than the longest silence of the server is no fault of the server. The clock is the bubble's.
func TestSlowReaderIsNoSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const sent = 40 // where both an answer and the end of the wait are there, either may be taken
		nc, err := connect(t.Context(), answering(sent))
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		read := 0
		_, err = (&Log{nc: nc, stream: "log"}).get(t.Context(), 1, "", maxGet, func(record.Record) bool {
			time.Sleep(2 * silence)
			read++
			return true
		})
		if read != sent || err != nil {
			t.Errorf("read %d of %d messages, error %v", read, sent, err)
		}
	})
}
