package peers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"journal/journal"
	"journal/journal/team"
)

// Copy is what a device of a member shares.
type Copy struct {
	Member string
	Device string
	Number int
	Newest int    // number of the device's newest copy, which may still be made
	Events uint64 // how many messages it has
	log    *journal.Log
}

// Log is the copy as a log, with the sequences of the device's own.
func (c Copy) Log() *journal.Log { return c.log }

// ErrNoRoster is returned when the hub does not say who is in the team.
var ErrNoRoster = errors.New("the hub does not say who is in the team; whoever runs it calls journal team reload")

// ErrSilent is returned when the hub does not answer: it is slow, or knows no such member.
var ErrSilent = errors.New("the hub does not say what")

// rosterWait bounds the question who is in the team.
const rosterWait = 3 * time.Second

// Members are the names of who is in the team, sorted.
func Members(ctx context.Context, nc *nats.Conn) ([]string, error) {
	m, err := roster(ctx, nc)
	if err != nil {
		return nil, err
	}
	// They become parts of commands that agents read, and the hub is somebody else's.
	all := slices.DeleteFunc(strings.Fields(string(m.Data)), func(name string) bool { return team.CheckName(name) != nil })
	slices.Sort(all)
	return all, nil
}

// Earlier says whether the hub is as an earlier version made it: readers can have it change the roster.
func Earlier(ctx context.Context, nc *nats.Conn) (bool, error) {
	m, err := roster(ctx, nc)
	return err == nil && m.Header.Get(nats.JSStream) == team.Roster, err
}

func roster(ctx context.Context, nc *nats.Conn) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, rosterWait)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, "$JS.API.DIRECT.GET."+team.Roster, []byte(`{"last_by_subj":"roster"}`))
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrNoRoster, why(err))
	}
	if m.Header.Get("Status") != "" {
		return nil, ErrNoRoster
	}
	return m, nil
}

// why says in words for people why the hub did not answer.
func why(err error) string {
	switch {
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrJetStreamNotEnabled):
		return "no node that has it can be reached"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return "no answer in time"
	}
	return strings.TrimPrefix(err.Error(), "nats: ")
}

// Answer is what a member shares, or why that is not known.
type Answer struct {
	Member string
	Copies []Copy
	Err    error
}

// atOnce bounds how many members are asked about at once.
const atOnce = 16

// OfEach is Of for each of some members, in their order. A look takes as long as its round trips: they are asked side by side.
func OfEach(ctx context.Context, nc *nats.Conn, members []string) []Answer {
	all := make([]Answer, len(members))
	var asked errgroup.Group
	asked.SetLimit(atOnce)
	for i, name := range members {
		asked.Go(func() error {
			copies, err := Of(ctx, nc, name)
			all[i] = Answer{name, copies, err}
			return nil
		})
	}
	_ = asked.Wait() // each has its own error
	return all
}

// Of lists what a member shares, by device: of each the newest copy, or while that is being made the
// one before.
func Of(ctx context.Context, nc *nats.Conn, member string) ([]Copy, error) {
	js, err := jetstream.NewWithAPIPrefix(nc, "M."+member+".API")
	if err != nil {
		return nil, err
	}
	best, newest := map[string]Copy{}, map[string]int{}
	names := js.StreamNames(ctx)
	for name := range names.Name() {
		device, number, ok := split(name)
		if !ok {
			continue
		}
		s, err := js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue // it went meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("%w %s shares: %s", ErrSilent, member, why(err))
		}
		c := Copy{member, device, number, number, s.CachedInfo().State.Msgs, journal.At(js, name)}
		if was, ok := best[device]; !ok || c.Events > was.Events || c.Events == was.Events && c.Number > was.Number {
			best[device] = c
		}
		newest[device] = max(newest[device], number)
	}
	if err := names.Err(); err != nil {
		return nil, fmt.Errorf("%w %s shares: %s", ErrSilent, member, why(err))
	}
	all := make([]Copy, 0, len(best))
	for _, c := range best {
		c.Newest = newest[c.Device]
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Copy) int { return strings.Compare(a.Device, b.Device) })
	return all, nil
}

// split reads the name of a copy at the hub, D_DEVICE_NUMBER.
func split(stream string) (device string, number int, ok bool) {
	rest, ok := strings.CutPrefix(stream, "D_")
	device, digits, cut := strings.Cut(rest, "_")
	number, err := strconv.Atoi(digits)
	return device, number, ok && cut && err == nil && team.CheckName(device) == nil
}
