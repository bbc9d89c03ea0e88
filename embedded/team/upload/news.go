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

// published is the state of a project in the hub's news.
type published struct {
	topic string
	urge  [sha256.Size]byte
}

// retract reads which news the hub has of this device, and empties those that were made of another copy.
func (v *session) retract(ctx context.Context) error {
	v.published, v.unpublished = map[string]published{}, map[string]facts.Summary{}
	var other []string
	err := v.eachNews(ctx, v.Member.Device, func(topic string, m message) {
		if m.err != nil || m.head.Copy != v.copy.Number {
			other = append(other, topic+"."+m.place)
			return
		}
		v.published[m.place] = published{topic, urgeOf(m.summary)}
	})
	return cmp.Or(err, v.empty(ctx, v.Member.Device, v.copy.Number, other))
}

// eachNews calls each with what the hub's news have of a device of the member's, and its topic.
func (v *session) eachNews(ctx context.Context, device string, each func(topic string, m message)) error {
	return v.eachFact(ctx, team.News, facts.News(v.Member.Account, "*", "*"), device, func(m message) {
		if m.err != nil || len(m.body) > 0 {
			each(strings.Split(m.Subject, ".")[2], m)
		}
	})
}

// empty replaces news of a device, each of a topic and a place, by nothing.
func (v *session) empty(ctx context.Context, device string, copied int, news []string) error {
	for _, place := range news {
		if err := v.publish(ctx, facts.Head{Device: device, Place: place, Counter: 1, Copy: copied}, nil); err != nil {
			return err
		}
	}
	return nil
}

// news publishes what the hub's news lack of projects, without rows of sessions. At a hub without news it is published
// later: its node has just started.
func (v *session) news(ctx context.Context) error {
	for place, t := range v.unpublished {
		now, before := v.publishedFor(t), v.published[place]
		head := func(state published) facts.Head {
			last := v.informed.until
			return facts.Head{Device: v.Member.Device, Place: state.topic + "." + place, Counter: last + 1, Copy: v.copy.Number, Last: last}
		}
		t.Sessions, t.More = nil, 0
		body, err := t.Pack()
		if err != nil {
			return err
		}
		if before.topic != "" && before.topic != now.topic {
			err = v.publish(ctx, head(before), nil)
		}
		if now.topic != "" && err == nil {
			err = v.publish(ctx, head(now), body)
		}
		if errors.Is(err, dial.ErrNothingThere) {
			return nil
		}
		if err != nil {
			return err
		}
		v.published[place] = now
		delete(v.unpublished, place)
	}
	return nil
}

// publishedFor returns what the hub's news are to have of a project.
func (v *session) publishedFor(t facts.Summary) published {
	topic := facts.Topic(v.Member.Team, t.Is)
	if topic == "" || !t.Context {
		return published{}
	}
	return published{topic, urgeOf(t)}
}

// publish replaces the message of a topic and place in the news.
func (v *session) publish(ctx context.Context, h facts.Head, body []byte) error {
	h.Team, h.Member, h.Made = v.Member.Team, v.Member.Name, time.Now().UnixNano()
	b, err := h.Seal(body, v.key)
	if err != nil {
		return err
	}
	m := nats.NewMsg(team.Publish + h.Place)
	m.Data = b
	if _, err := v.order(ctx, m); err != nil {
		return fmt.Errorf("tell the hub's news: %w", err)
	}
	return nil
}
