package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"journal/embedded/ownership"
	"journal/journal/client"
	"journal/journal/sock"
	"journal/journal/spool"
	"journal/journal/wire"
)

type statusDoc struct {
	Owner    *ownerDoc `json:"owner"`
	Store    string    `json:"store"`
	Events   uint64    `json:"events"`
	LastSeq  uint64    `json:"last_seq"`
	Bytes    uint64    `json:"bytes"`
	Spooled  int       `json:"spooled"`
	Archived uint64    `json:"archived"` // newest sequence that is in the second copy too
	Aside    int       `json:"aside"`    // spool files that could not be read
	Paused   []string  `json:"paused"`   // projects whose recording is stopped; "*" is all
	Healthy  bool      `json:"healthy"`
	Problems []string  `json:"problems"`
}

type ownerDoc struct {
	PID     int    `json:"pid"`
	Since   string `json:"since"`
	Socket  string `json:"socket"`
	Version string `json:"version"`
}

var _ = verb(func(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "the owner, the log and what is wrong with them",
		Long: `Shows who owns the log, what it holds, what waits in the spool, and every problem.
Starts nothing.

Exit codes: 0 healthy, 1 a problem.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			doc := a.status(c.Context())
			if asJSON {
				if err := a.printJSON(doc); err != nil {
					return err
				}
			} else {
				a.printStatus(doc)
			}
			if !doc.Healthy {
				return exitWith(exitError)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON document")
	return c
})

func (a *app) status(ctx context.Context) (doc statusDoc) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	doc = statusDoc{Store: a.dir, Paused: []string{}, Problems: []string{}}
	problem := func(format string, args ...any) { doc.Problems = append(doc.Problems, fmt.Sprintf(format, args...)) }
	defer func() { doc.Healthy = len(doc.Problems) == 0 }()
	if _, err := os.Stat(a.dir); errors.Is(err, fs.ErrNotExist) {
		return doc
	}
	var err error
	if doc.Spooled, doc.Aside, err = spool.Open(filepath.Join(a.dir, "spool")).Count(); err != nil {
		problem("spool: %v", err)
	}
	if doc.Aside > 0 {
		problem("%d spool files could not be read and lie in %s with the reasons", doc.Aside, filepath.Join(a.dir, "spool", "aside"))
	}
	if all, projects, err := client.Pauses(a.dir); err != nil {
		problem("%v", err)
	} else if doc.Paused = append(doc.Paused, projects...); all {
		doc.Paused = append(doc.Paused, "*")
	}
	if reason, at, _ := ownership.Failed(a.dir); !at.IsZero() {
		problem("the owner could not start at %s: %s", at.Local().Format(time.DateTime), reason)
	}
	reply, err := a.askStatus(ctx)
	switch {
	case err == nil:
		doc.Owner = &ownerDoc{
			PID: reply.PID, Since: time.Unix(0, reply.Since).UTC().Format(time.RFC3339),
			Socket: sock.Path(a.dir), Version: reply.Version,
		}
		doc.Events, doc.LastSeq, doc.Bytes = reply.Events, reply.Last, reply.Bytes
		doc.Archived = reply.Archived
		if reply.Problem != "" {
			problem("the owner's last trouble: %s", reply.Problem)
		}
		if reply.Deleted > 0 || reply.Events != reply.Last || reply.Last > 0 && reply.First != 1 {
			problem("the log has holes: %d events up to #%d, first #%d", reply.Events, reply.Last, reply.First)
		}
	case errors.Is(err, sock.ErrNoOwner) && ownership.Held(a.dir):
		problem("an owner holds the lock and does not listen: it starts, stops or hangs")
	case !errors.Is(err, sock.ErrNoOwner):
		problem("the owner does not answer: %v", err)
	default:
		doc.LastSeq = client.Head(a.dir)
		doc.Events = doc.LastSeq
	}
	return doc
}

func (a *app) askStatus(ctx context.Context) (wire.StatusReply, error) {
	var reply wire.StatusReply
	nc, err := a.connectWhileHeld(ctx)
	if err != nil {
		return reply, err
	}
	defer nc.Close()
	m, err := nc.RequestWithContext(ctx, wire.Status, nil)
	if err != nil {
		return reply, err
	}
	return reply, wire.Decode(m.Data, &reply)
}

func (a *app) printStatus(d statusDoc) {
	if d.Owner == nil {
		fmt.Fprintf(a.out, "owner    none is running; the next hook starts one\n")
	} else {
		since, _ := time.Parse(time.RFC3339, d.Owner.Since)
		fmt.Fprintf(a.out, "owner    pid %d, version %s, since %s\n", d.Owner.PID, d.Owner.Version, since.Local().Format(time.DateTime))
	}
	fmt.Fprintf(a.out, "store    %s\n", d.Store)
	fmt.Fprintf(a.out, "events   %d, up to #%d, %s\n", d.Events, d.LastSeq, size(d.Bytes))
	fmt.Fprintf(a.out, "spooled  %d\n", d.Spooled)
	if d.Owner != nil {
		fmt.Fprintf(a.out, "archived up to #%d, %d behind\n", d.Archived, d.LastSeq-min(d.LastSeq, d.Archived))
	}
	for _, p := range d.Paused {
		if p == "*" {
			p = "everywhere"
		}
		fmt.Fprintf(a.out, "paused   %s; journal resume lets the recording go on\n", p)
	}
	for _, p := range d.Problems {
		fmt.Fprintf(a.out, "problem  %s\n", p)
	}
}

// size gives bytes for people.
func size(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
