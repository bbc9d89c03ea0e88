package dial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// ErrNothingThere is returned when the hub keeps no such stream: whoever runs it has not said yet that it is to be.
var ErrNothingThere = errors.New("the hub has no place for it; whoever runs it calls journal team reload")

// ErrEarlier is returned when the hub, or the invitation of a hub with an operator, was made by a version before.
var ErrEarlier = errors.New("the hub was made by an earlier version: whoever runs it calls journal team reload with this one; or the invitation was: journal team invite --again")

// Question asks what a stream holds: one message for each of some subjects, the newest, or those of one subject
// from a sequence on.
type Question struct {
	Newest []string `json:"multi_last,omitempty"`
	Next   string   `json:"next_by_subj,omitempty"`
	From   uint64   `json:"seq,omitempty"`
	Most   int      `json:"batch,omitempty"`
	Bytes  int      `json:"max_bytes,omitempty"`
}

// Answer is a message of a stream.
type Answer struct {
	Subject string `json:"subject"`
	Seq     uint64 `json:"seq"`
	Data    []byte `json:"data"`
}

// silence is how long the hub may say nothing.
const silence = 5 * time.Second

// Ask asks on a subject, and gives what is answered to each, until that returns false. pending is how many messages
// are left behind them.
func Ask(ctx context.Context, nc *nats.Conn, subject string, q Question, each func(Answer) bool) (pending uint64, err error) {
	b, err := json.Marshal(q)
	if err != nil {
		return 0, err
	}
	inbox := nc.NewInbox()
	sub, err := nc.SubscribeSync(inbox)
	if err != nil {
		return 0, err
	}
	defer sub.Unsubscribe() //nolint:errcheck // the connection is gone, or it works
	if err := nc.PublishRequest(subject, inbox, b); err != nil {
		return 0, err
	}
	for {
		m, err := next(ctx, sub)
		if err != nil && errors.Is(nc.LastError(), nats.ErrPermissionViolation) {
			err = ErrEarlier
		}
		if err != nil {
			return 0, err
		}
		switch status := m.Header.Get("Status"); status {
		case "":
		case "204", "404":
			pending, _ := strconv.ParseUint(m.Header.Get("Nats-Num-Pending"), 10, 64)
			return pending, nil
		case "503":
			return 0, ErrNothingThere
		default:
			return 0, fmt.Errorf("the hub answers %s %s", status, m.Header.Get("Description"))
		}
		seq, err := strconv.ParseUint(m.Header.Get(nats.JSSequence), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("the hub's answer: %w", err)
		}
		if !each(Answer{m.Header.Get(nats.JSSubject), seq, m.Data}) {
			return 0, nil
		}
	}
}

// next waits for the next message.
func next(ctx context.Context, sub *nats.Subscription) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	return sub.NextMsgWithContext(ctx)
}
