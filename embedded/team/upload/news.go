package upload

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/team"
	"journal/embedded/team/dial"
	"journal/embedded/team/facts"
)

const (
	// newsEvery is the least between two messages of news, so that what comes at once goes together, and newsLook between
	// two looks whether there are any.
	newsEvery = 100 * time.Millisecond
	newsLook  = 10 * time.Millisecond
	// newsSoon is the pause before a hub without news is told again: its node has just started.
	newsSoon = time.Second
)

// said is what the hub's news have of a project.
type said struct {
	topic string
	urge  [sha256.Size]byte
}

// retract reads which news the hub has of this device, and empties those that were made of another copy.
func (v *session) retract(ctx context.Context) error {
	v.said = map[string]said{}
	var other []string
	err := v.newsOf(ctx, v.Member.Device, func(topic, place string, copied int, told facts.Told, err error) {
		if err != nil || copied != v.copy.Number {
			other = append(other, topic+"."+place)
			return
		}
		v.said[place] = said{topic, urgeOf(told)}
	})
	return cmp.Or(err, v.empty(ctx, v.Member.Device, v.copy.Number, other))
}

// newsOf calls each with what the hub's news have of a device of the member's: a topic, a place, and the copy that it was
// made of. An error says why it cannot be read.
func (v *session) newsOf(ctx context.Context, device string, each func(topic, place string, copied int, told facts.Told, err error)) error {
	self, err := v.self()
	if err != nil {
		return err
	}
	q := dial.Question{Next: facts.News(self.Account, "*", "*"), From: 1, Most: 500, Bytes: 4 << 20}
	err = dial.All(ctx, v.nc, team.News, q, func(a dial.Answer) error {
		place, is := facts.PlaceIn(a.Subject, device)
		if !is {
			return nil
		}
		h, body, err := facts.Open(a.Data, a.Subject, self, v.Member.Team)
		told, damaged := facts.Unpack(body, false)
		if err = errors.Join(err, damaged); err != nil || len(body) > 0 {
			each(strings.Split(a.Subject, ".")[2], place, h.Copy, told, err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("ask the hub: %w", err)
	}
	return nil
}

// empty replaces news of a device, each of a topic and a place, by nothing.
func (v *session) empty(ctx context.Context, device string, copied int, news []string) error {
	for _, at := range news {
		if err := v.say(ctx, facts.Head{Device: device, Place: at, Counter: 1, Copy: copied}, nil); err != nil {
			return err
		}
	}
	return nil
}

// announce tells the hub's news what changes of projects as soon as the log has it, before the hub has the events:
// colleagues at work hear of it after one round trip. Nothing waits for that, and what is lost of it comes with the facts.
// It passes on that the log has grown.
func (v *session) announce(ctx context.Context, tells bool, grown chan<- struct{}) {
	var until uint64
	var again <-chan time.Time // when a hub that had no news is told again; nil for one that has
	for {
		if head, now := v.Head(), time.Now(); tells && head > until && again == nil {
			some, err := v.news(ctx, head, until == 0)
			until = head
			if errors.Is(err, dial.ErrNothingThere) {
				until, again = 0, time.After(newsSoon)
			} else if err != nil && ctx.Err() == nil {
				v.Logger.Warn("team", "error", err.Error())
			}
			if some {
				wait(ctx, newsEvery-time.Since(now))
			} else {
				wait(ctx, newsLook)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
			again = nil
			continue
		case <-v.Grown:
		}
		select {
		case grown <- struct{}{}:
		default:
		}
	}
}

// news says what of projects changed up to a number, without rows of sessions; listed says that it is looked first when
// those were at work. It reports whether there was any.
func (v *session) news(ctx context.Context, until uint64, listed bool) (some bool, err error) {
	all, err := v.Tell(ctx, v.copy.Share, until, listed)
	if err != nil {
		return false, err
	}
	for _, t := range all {
		t.Sessions, t.More = nil, 0
		place := v.placeOf(t.Project)
		is, was := said{}, v.said[place]
		if topic := facts.Topic(v.Member.Team, t.Is); topic != "" && t.Context {
			is = said{topic, urgeOf(t)}
		}
		if is == was {
			continue
		}
		head := func(of said) facts.Head {
			return facts.Head{Device: v.Member.Device, Place: of.topic + "." + place, Counter: until + 1, Copy: v.copy.Number, Last: until}
		}
		body, err := t.Pack()
		if err != nil {
			v.Logger.Warn("team", "error", err.Error())
			continue
		}
		some = true
		if was.topic != "" && was.topic != is.topic {
			err = v.say(ctx, head(was), nil)
		}
		if is.topic != "" && err == nil {
			err = v.say(ctx, head(is), body)
		}
		if err != nil {
			return some, err
		}
		v.said[place] = is
	}
	return some, nil
}

// say replaces the news of a topic and place.
func (v *session) say(ctx context.Context, h facts.Head, body []byte) error {
	h.Team, h.Member, h.Made = v.Member.Team, v.Member.Name, time.Now().UnixNano()
	b, err := h.Seal(body, v.key)
	if err != nil {
		return err
	}
	m := nats.NewMsg(team.Tell + h.Place)
	m.Data = b
	if _, err := v.order(ctx, m); err != nil {
		return fmt.Errorf("tell the hub's news: %w", err)
	}
	return nil
}
