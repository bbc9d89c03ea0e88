package upload_test

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"journal/cmd/testkit/testutil"
	"journal/embedded/team/dial"
)

// TestRest measures what a hub of three nats-server processes costs at rest with so many members (JOURNAL_REST), each with a
// stream of their own and a laptop whose connection stands.
func TestRest(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("JOURNAL_REST"))
	if err != nil {
		t.Skip("a measurement, not a test")
	}
	h, in, pids := ranHub(t, n)
	began := time.Now()
	if !testutil.Within(10*time.Minute, func() bool { return h.Announce(t.Context()) == nil }) {
		t.Fatal("not every member has a place")
	}
	t.Logf("%d members have their places after %v", n, time.Since(began).Round(time.Millisecond))
	used := func(what string) {
		time.Sleep(20 * time.Second)
		at, before := time.Now(), cpuOf(t, pids)
		time.Sleep(60 * time.Second)
		span, after, sum := time.Since(at), cpuOf(t, pids), time.Duration(0)
		for i, pid := range pids {
			sum += after[i] - before[i]
			t.Logf("%s: node %d: %s, %.1f %% of a core", what, i+1, rssOf(t, pid), 100*(after[i]-before[i]).Seconds()/span.Seconds())
		}
		t.Logf("%s: the three nodes %.1f %% of a core", what, 100*sum.Seconds()/span.Seconds())
	}
	used("streams alone")
	all := make([]*nats.Conn, n)
	var work errgroup.Group
	work.SetLimit(20)
	for i, m := range in {
		work.Go(func() (err error) {
			all[i], err = dial.Connect(context.Background(), m, m.Hub[i%3:i%3+1], m.Key, nats.PingInterval(dial.PingInterval))
			return err
		})
	}
	must(t, work.Wait())
	used("with as many connections")
}
