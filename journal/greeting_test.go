package journal

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// busy is the door of an owner that greets late.
type busy time.Duration

// hangs is the one that never does.
const hangs busy = -1

func (b busy) Dial(string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		if b == hangs {
			_, _ = io.Copy(io.Discard, server) // until the client leaves
			return
		}
		time.Sleep(time.Duration(b))
		fmt.Fprint(server, `INFO {"server_id":"x","max_payload":1048576,"headers":true}`+"\r\n")
		for lines := bufio.NewScanner(server); lines.Scan(); {
			if strings.TrimSpace(lines.Text()) == "PING" {
				fmt.Fprint(server, "PONG\r\n")
			}
		}
	}()
	return client, nil
}

// Whoever reads the log waits for an owner on a busy machine, and not for ever for one that hangs. The clock is the
// bubble's.
func TestConnectToABusyOwner(t *testing.T) {
	t.Parallel()
	for late, answers := range map[busy]bool{0: true, busy(9 * time.Second): true, hangs: false} {
		synctest.Test(t, func(t *testing.T) {
			nc, err := connect(t.Context(), late)
			if (err == nil) != answers {
				t.Errorf("an owner that greets after %v: %v", time.Duration(late), err)
			}
			if nc != nil {
				nc.Close()
			}
		})
	}
}
