package hubcopy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/journal/record"
	"journal/journal/team"
)

// hub is what a device does at the hub, in its member's account there.
type hub struct {
	js jetstream.JetStream
	m  team.Membership
}

func newHub(s *linkServer, m team.Membership) (*hub, error) {
	js, err := jetstream.NewWithDomain(s.out, m.DomainName(), jetstream.WithDefaultTimeout(hubWait))
	return &hub{js, m}, err
}

// hubWait bounds a question to the hub.
const hubWait = 5 * time.Second

// HubStream is the name at the hub of a device's copy.
func HubStream(device string, number int) string { return "D_" + device + "_" + strconv.Itoa(number) }

// copies gives the numbers of the device's copies at the hub, sorted.
func (h *hub) copies(ctx context.Context) ([]int, error) {
	var all []int
	names := h.js.StreamNames(ctx)
	for n := range names.Name() {
		number, ours := strings.CutPrefix(n, "D_"+h.m.Device+"_")
		if i, err := strconv.Atoi(number); ours && err == nil && i > 0 {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	return all, names.Err()
}

// copyAt gives a copy at the hub, nil when it has none of this number.
func (h *hub) copyAt(ctx context.Context, number int) (jetstream.Stream, error) {
	s, err := h.js.Stream(ctx, HubStream(h.m.Device, number))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	return s, err
}

// newest gives the newest event that a copy at the hub gives of its log, as whichever node answers knows it;
// without sequence when there is none.
func (h *hub) newest(ctx context.Context, number int) (record.Record, error) {
	subject := "$JS." + h.m.DomainName() + ".API.DIRECT.GET." + HubStream(h.m.Device, number)
	m, err := h.js.Conn().RequestWithContext(ctx, subject, []byte(`{"last_by_subj":"`+given+`"}`))
	if err != nil {
		return record.Record{}, err
	}
	switch status := m.Header.Get("Status"); status {
	case "":
	case "404":
		return record.Record{}, nil
	default:
		return record.Record{}, fmt.Errorf("read the hub's copy: %s %s", status, m.Header.Get("Description"))
	}
	seq, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
	if err != nil {
		return record.Record{}, fmt.Errorf("read the hub's copy: %w", err)
	}
	return record.Record{Seq: seq, Subject: m.Header.Get(jetstream.SubjectHeader), ID: m.Header.Get(record.IDHeader), Data: m.Data}.Unpack()
}

// mirror has the hub keep a mirror of a copy. The consumer that feeds it has to begin at its first
// message.
func (h *hub) mirror(ctx context.Context, number int, w wire) error {
	_, err := h.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: HubStream(h.m.Device, number), Description: "copy of the journal of " + h.m.Name,
		Storage: jetstream.FileStorage, Replicas: max(h.m.Replicas, 1), AllowDirect: true,
		Mirror: &jetstream.StreamSource{
			Name:     w.stream,
			External: &jetstream.ExternalStream{APIPrefix: "$JS." + w.domain + ".API"},
			Consumer: &jetstream.StreamConsumerSource{Name: durable, DeliverSubject: w.deliver},
		},
	})
	if err != nil {
		return fmt.Errorf("make the copy at the hub: %w", err)
	}
	return nil
}

// erase removes a copy at the hub.
func (h *hub) erase(ctx context.Context, number int) error {
	err := h.js.DeleteStream(ctx, HubStream(h.m.Device, number))
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("remove a copy at the hub: %w", err)
	}
	return nil
}

// feed is the consumer that gives the copy to the hub.
type feed struct {
	js jetstream.JetStream
	w  wire
}

// maxPending is how many messages may be on their way: more than the hub can have been given and not
// confirmed when the laptop dies. With few of them, what is sent again after that fills the bound and
// is never confirmed.
const maxPending = 100_000

// exist makes the consumer if there is none. A new one begins with the first message.
func (f feed) exist(ctx context.Context) error {
	_, err := f.js.CreateOrUpdatePushConsumer(ctx, f.w.stream, jetstream.ConsumerConfig{
		Name: durable, Durable: durable, DeliverSubject: f.w.deliver,
		AckPolicy: jetstream.AckFlowControlPolicy, FlowControl: true, IdleHeartbeat: time.Second,
		MaxAckPending: maxPending, DeliverPolicy: jetstream.DeliverAllPolicy,
	})
	if err != nil {
		return fmt.Errorf("feed the link: %w", err)
	}
	return nil
}

// fromStart has the consumer begin with the first message.
func (f feed) fromStart(ctx context.Context) error {
	if err := f.js.DeleteConsumer(ctx, f.w.stream, durable); err != nil {
		return fmt.Errorf("set the link back: %w", err)
	}
	return f.exist(ctx)
}

// after has the consumer go on after what the hub has. After a crash it may stand before that, resend
// what the hub has, and stop for ever when its bound is full of that; or after it, when the hub was
// set back, and leave a hole.
func (f feed) after(ctx context.Context, last uint64) error {
	if _, err := f.js.ResetConsumerToSequence(ctx, f.w.stream, durable, last+1); err != nil {
		return fmt.Errorf("set the link to #%d: %w", last+1, err)
	}
	return nil
}
