package dial

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/team"
)

// ErrNothingThere is returned when the hub has no such stream: its operator has not created it yet.
var ErrNothingThere = errors.New("the hub has no place for it; whoever runs it calls journal team reload")

// Question asks what a stream holds: the newest message of a subject, or those of one from a sequence on.
type Question struct {
	Last  string `json:"last_by_subj,omitempty"`
	Next  string `json:"next_by_subj,omitempty"`
	From  uint64 `json:"seq,omitempty"`
	Most  int    `json:"batch,omitempty"`
	Bytes int    `json:"max_bytes,omitempty"`
}

// Answer is a message of a stream.
type Answer struct {
	Subject string    `json:"subject"`
	Seq     uint64    `json:"seq"`
	Data    []byte    `json:"data"`
	Time    time.Time `json:"time"` // when it came, by the hub's clock
	ID      string    `json:"-"`    // of the message; only Ask sets it
}

// silence bounds the time without an answer of the hub.
const silence = 5 * time.Second

// Ask asks a stream, and calls each with every answer until that fails. more reports whether there is more behind it.
func Ask(ctx context.Context, nc *nats.Conn, stream string, q Question, each func(Answer) error) (more bool, err error) {
	all, answered := []Asked{{Stream: stream, Question: q}}, false
	failed := AskAll(ctx, nc, all, func(_ int, a Answer) {
		if answered = true; err == nil {
			err = each(a)
		}
	})
	return answered && all[0].Pending > 0, cmp.Or(err, failed, all[0].Err)
}

// All asks on until there is nothing more.
func All(ctx context.Context, nc *nats.Conn, stream string, q Question, each func(Answer) error) (err error) {
	for more := true; more && err == nil; {
		more, err = Ask(ctx, nc, stream, q, func(a Answer) error {
			q.From = a.Seq + 1
			return each(a)
		})
	}
	return err
}

// Last asks for the newest message of a subject, without a sequence when there is none.
func Last(ctx context.Context, nc *nats.Conn, stream, subject string) (last Answer, err error) {
	_, err = Ask(ctx, nc, stream, Question{Last: subject}, func(a Answer) error {
		last = a
		return nil
	})
	return last, err
}

// Roster asks for the roster of a member's team. The error is team.ErrRoster.
func Roster(ctx context.Context, nc *nats.Conn, m team.Member) (r team.Roster, err error) {
	a, err := Last(ctx, nc, team.RosterStream, "roster")
	if err != nil {
		return r, fmt.Errorf("%w: %s", team.ErrRoster, Reason(err))
	}
	return m.DecodeRoster(a.Data)
}

// Reason returns in words for people why the hub did not answer.
func Reason(err error) string {
	switch {
	case errors.Is(err, ErrNothingThere):
		return "no node that has it can be reached"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return "no answer in time"
	}
	return strings.TrimPrefix(err.Error(), "nats: ")
}

// Asked is a question to a stream of several, and what became of it.
type Asked struct {
	Stream string
	Question
	Pending uint64 // how many messages are left behind the answers
	Err     error
}

// AskAll asks several streams at once, which takes about one round trip, and calls take with each answer and the
// number of its question. It returns when all are answered, or nothing came for five seconds. The Err of a
// question is why it was not answered.
func AskAll(ctx context.Context, nc *nats.Conn, all []Asked, take func(n int, a Answer)) error {
	inbox := nc.NewInbox()
	sub, err := nc.SubscribeSync(inbox + ".*")
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()                              //nolint:errcheck // the connection is gone, or it works
	if err := sub.SetPendingLimits(-1, -1); err != nil { // questions bound it
		return err
	}
	for n, q := range all {
		if err := put(nc, team.AskOf+q.Stream, inbox+"."+strconv.Itoa(n), q.Question); err != nil {
			return err
		}
	}
	ended, unanswered := make([]bool, len(all)), error(nil)
	for left := len(all); left > 0; {
		m, err := next(ctx, sub)
		if errors.Is(err, nats.ErrNoResponders) { // to one of them, which one shows when all others have ended
			unanswered, left = err, left-1
			continue
		}
		if err != nil {
			unanswered = err
			break
		}
		n, err := strconv.Atoi(strings.TrimPrefix(m.Subject, inbox+"."))
		if err != nil || n < 0 || n >= len(all) || ended[n] {
			continue
		}
		q := &all[n]
		a, pending, end, err := answerOf(m)
		if q.Pending, q.Err = pending, err; err == nil && !end {
			take(n, a)
		}
		if end || err != nil || q.Last != "" {
			ended[n] = true
			left--
		}
	}
	for n := range all {
		if !ended[n] {
			all[n].Err = known(unanswered)
		}
	}
	return nil
}

func put(nc *nats.Conn, subject, inbox string, q Question) error {
	b, err := json.Marshal(q)
	if err != nil {
		return err
	}
	return nc.PublishRequest(subject, inbox, b)
}

// answerOf reads an answer of the hub; end reports that nothing more comes, and pending counts what is left.
func answerOf(m *nats.Msg) (a Answer, pending uint64, end bool, err error) {
	if m.Header.Get(nats.JSStream) != "" { // it is a message, whatever status its member gave it
		a, err = messageOf(m)
		return a, 0, false, err
	}
	switch status := m.Header.Get("Status"); status {
	case "204", "404":
		pending, _ := strconv.ParseUint(m.Header.Get("Nats-Num-Pending"), 10, 64)
		return a, pending, true, nil
	case "503":
		return a, 0, true, ErrNothingThere
	default:
		return a, 0, true, fmt.Errorf("the hub answers %s %s", status, m.Header.Get("Description"))
	}
}

// messageOf reads a message of a stream.
func messageOf(m *nats.Msg) (a Answer, err error) {
	// A member can add headers of any name. The server adds its own behind them.
	header := func(name string) string {
		all := append([]string{""}, m.Header.Values(name)...)
		return all[len(all)-1]
	}
	a.Subject, a.ID, a.Data = header(nats.JSSubject), header(nats.MsgIdHdr), m.Data
	if a.Seq, err = strconv.ParseUint(header(nats.JSSequence), 10, 64); err == nil {
		a.Time, err = time.Parse(time.RFC3339Nano, header(nats.JSTimeStamp))
	}
	if err != nil {
		err = fmt.Errorf("the hub's answer: %w", err)
	}
	return a, err
}

// next waits for the next message.
func next(ctx context.Context, sub *nats.Subscription) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	return sub.NextMsgWithContext(ctx)
}

// known returns ErrNothingThere for a question that nobody answers, and any other error as it is.
func known(err error) error {
	if errors.Is(err, nats.ErrNoResponders) {
		return ErrNothingThere
	}
	return err
}

// APIError is the error of a hub that refused a request.
type APIError struct {
	Code        int    `json:"err_code"`
	Description string `json:"description"`
}

func (e *APIError) Error() string { return e.Description }

// The server's codes.
const (
	NoStream          = 10059
	NoMessage         = 10037
	WrongLastSequence = 10071
)

// Request sends a request to the leader of a stream, and reads its answer. The error is an APIError if it refuses.
func Request(ctx context.Context, nc *nats.Conn, m *nats.Msg, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, 2*silence)
	defer cancel()
	got, err := nc.RequestMsgWithContext(ctx, m)
	if err != nil {
		return known(err)
	}
	var reply struct {
		Error *APIError `json:"error"`
	}
	if err := json.Unmarshal(got.Data, &reply); err != nil {
		return err
	}
	if reply.Error != nil {
		return reply.Error
	}
	return json.Unmarshal(got.Data, answer)
}

// Subjects lists the subjects of which a stream has messages, by the subject under which an account asks ([team.InfoOf]). The
// stream's leader answers: another node may have just begun, and not know all.
func Subjects(ctx context.Context, nc *nats.Conn, asks string) (all []string, err error) {
	m := nats.NewMsg(asks)
	m.Data = []byte(`{"subjects_filter":">"}`)
	var info struct {
		State struct {
			Subjects map[string]uint64 `json:"subjects"`
		} `json:"state"`
	}
	err = Request(ctx, nc, m, &info)
	if refused := (*APIError)(nil); errors.As(err, &refused) && refused.Code == NoStream {
		err = ErrNothingThere
	}
	return slices.Sorted(maps.Keys(info.State.Subjects)), err
}
