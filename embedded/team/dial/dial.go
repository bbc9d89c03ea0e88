// Package dial connects to the nodes of a team's hub, and sends requests.
package dial

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
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

// connectTimeout bounds the time to connect to one node.
const connectTimeout = 3 * time.Second

// PingInterval is the interval of pings. A hub that has not answered one when the next is due is gone: a laptop that sleeps, or a
// network that is lost, closes no connection, and a laptop that shares only context has no other request that shows it. Pings are
// most of what idle laptops cost a hub.
const PingInterval = 15 * time.Second

// Connect connects to one of some nodes, with the TLS of a member or of the operator. The connection does not reconnect. The error
// is team.ErrRefused if the hub refuses the key.
func Connect(ctx context.Context, m team.Member, urls []string, k team.Key, o ...nats.Option) (*nats.Conn, error) {
	if _, err := k.Pair(); err != nil {
		return nil, fmt.Errorf("the team's key: %w", err)
	}
	o = append(o, nats.UserJWTAndSeed(k.JWT, k.Seed), nats.Timeout(connectTimeout), nats.NoReconnect(), nats.IgnoreDiscoveredServers())
	if m.CA != "" { // else a hub with TLS has a certificate that the system trusts
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM([]byte(m.CA)) {
			return nil, errors.New("the team's invitation holds no certificate that can be read")
		}
		o = append(o, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}))
	}
	nc, err := nats.Connect(strings.Join(urls, ","), o...)
	switch {
	case err == nil && ctx.Err() != nil:
		nc.Close()
		return nil, ctx.Err()
	case err == nil:
		return nc, nil
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrAccountAuthExpired):
		return nil, fmt.Errorf("the hub of %s %w of %s: %w", m.Team, team.ErrRefused, cmp.Or(m.Name, "whoever runs it"), err)
	}
	return nil, fmt.Errorf("reach the hub of %s: %w", m.Team, err)
}

// ErrNoStream is returned if the hub has no such stream: its operator has not created it yet.
var ErrNoStream = errors.New("the hub has no stream for this yet; whoever runs the hub calls journal team reload")

// Query asks for messages of a stream: for the newest one of the subject Last, or for those of the subject Next from a sequence on.
type Query struct {
	Stream string `json:"-"`
	Last   string `json:"last_by_subj,omitempty"`
	Next   string `json:"next_by_subj,omitempty"`
	From   uint64 `json:"seq,omitempty"`
	Most   int    `json:"batch,omitempty"`     // messages in the reply
	Bytes  int    `json:"max_bytes,omitempty"` // bytes in the reply
}

// Message is a message of a stream.
type Message struct {
	Subject string    `json:"subject"`
	Seq     uint64    `json:"seq"`
	Data    []byte    `json:"data"`
	Time    time.Time `json:"time"` // of its arrival, by the hub's clock
}

// Reply holds the messages that a query asks for.
type Reply struct {
	Messages []Message
	Pending  uint64 // number of messages behind these
	Err      error  // nil if the query is answered
	ended    bool
}

// silenceWait bounds the time without a message of the hub while it answers.
const silenceWait = 5 * time.Second

// All asks until nothing is pending, and calls each with every message. It ends with the first error that each returns.
func All(ctx context.Context, nc *nats.Conn, q Query, each func(Message) error) error {
	for {
		reply := AskAll(ctx, nc, 1, q)[0]
		for _, a := range reply.Messages {
			if err := each(a); err != nil {
				return err
			}
			q.From = a.Seq + 1
		}
		if reply.Err != nil || len(reply.Messages) == 0 || reply.Pending == 0 {
			return reply.Err
		}
	}
}

// Roster asks for the roster of a member's team. The error is team.ErrRoster.
func Roster(ctx context.Context, nc *nats.Conn, m team.Member) (team.Roster, error) {
	r := AskAll(ctx, nc, 1, Query{Stream: team.RosterStream, Last: "roster"})[0]
	if r.Err != nil && !errors.Is(r.Err, ErrNoStream) {
		return team.Roster{}, fmt.Errorf("%w: %s", team.ErrRoster, r.Err.Error())
	}
	if len(r.Messages) == 0 {
		return team.Roster{}, team.ErrRoster
	}
	return m.DecodeRoster(r.Messages[0].Data)
}

// AskAll makes queries, at most atOnce at a time, and returns the reply to each. Each time takes about one round trip, and ends when all are
// answered, or nothing came for silenceWait.
func AskAll(ctx context.Context, nc *nats.Conn, atOnce int, queries ...Query) (all []Reply) {
	for batch := range slices.Chunk(queries, atOnce) {
		replies := make([]Reply, len(batch))
		err := askAll(ctx, nc, batch, replies)
		for n := range replies {
			if !replies[n].ended {
				replies[n].Err = explained(err)
			}
		}
		all = append(all, replies...)
	}
	return all
}

// askAll fills in the replies to queries. The error is that of the replies that have not ended.
func askAll(ctx context.Context, nc *nats.Conn, queries []Query, replies []Reply) (unanswered error) {
	inbox := nc.NewInbox()
	sub, err := nc.SubscribeSync(inbox + ".*")
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()                              //nolint:errcheck // the connection is gone, or it works
	if err := sub.SetPendingLimits(-1, -1); err != nil { // the queries bound what is pending
		return err
	}
	for n, q := range queries {
		b, _ := json.Marshal(q) // strings and numbers cannot fail
		if err := nc.PublishRequest(team.Get+q.Stream, inbox+"."+strconv.Itoa(n), b); err != nil {
			return err
		}
	}
	for left := len(queries); left > 0; {
		m, err := next(ctx, sub)
		if errors.Is(err, nats.ErrNoResponders) { // nobody answers one of the queries: its reply never ends
			unanswered, left = err, left-1
			continue
		}
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(strings.TrimPrefix(m.Subject, inbox+"."))
		if err != nil || n < 0 || n >= len(replies) || replies[n].ended {
			continue
		}
		if r := &replies[n]; r.add(m) || queries[n].Last != "" {
			r.ended = true
			left--
		}
	}
	return unanswered
}

// add adds a message of the hub to a reply, and reports whether it is the last one.
func (r *Reply) add(m *nats.Msg) (last bool) {
	if m.Header.Get(nats.JSStream) != "" { // a message of the stream; its sender can set any Status
		a, err := messageOf(m)
		if err != nil {
			r.Err = err
			return true
		}
		r.Messages = append(r.Messages, a)
		return false
	}
	switch status := m.Header.Get("Status"); status {
	case "204", "404":
		r.Pending, _ = strconv.ParseUint(m.Header.Get("Nats-Num-Pending"), 10, 64)
	case "503":
		r.Err = ErrNoStream
	default:
		r.Err = fmt.Errorf("the hub answers %s %s", status, m.Header.Get("Description"))
	}
	return true
}

// messageOf reads a message of a stream.
func messageOf(m *nats.Msg) (a Message, err error) {
	// A member can add headers of any name. The server adds its own behind them.
	header := func(name string) string {
		all := append([]string{""}, m.Header.Values(name)...)
		return all[len(all)-1]
	}
	a.Subject, a.Data = header(nats.JSSubject), m.Data
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
	ctx, cancel := context.WithTimeout(ctx, silenceWait)
	defer cancel()
	return sub.NextMsgWithContext(ctx)
}

// explained returns ErrNoStream for a query that nobody answers, team.ErrNoAnswer for one that is not answered in time, and any
// other error as it is.
func explained(err error) error {
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return ErrNoStream
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return team.ErrNoAnswer
	}
	return err
}

// HasCode reports whether an error means that the hub refused a request with one of some codes.
func HasCode(err error, codes ...nats.ErrorCode) bool {
	refused, ok := errors.AsType[*nats.APIError](err)
	return ok && slices.Contains(codes, refused.ErrorCode)
}

// Request sends a request to the leader of a stream, and reads its answer. It waits twice silenceWait, or until the deadline of ctx. The
// error is a nats.APIError if the hub refuses.
func Request(ctx context.Context, nc *nats.Conn, m *nats.Msg, answer any) error {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 2*silenceWait)
		defer cancel()
	}
	got, err := nc.RequestMsgWithContext(ctx, m)
	if err != nil {
		return explained(err)
	}
	var reply struct {
		Error *nats.APIError `json:"error"`
	}
	if err := json.Unmarshal(got.Data, &reply); err != nil {
		return err
	}
	if reply.Error != nil {
		return reply.Error
	}
	return json.Unmarshal(got.Data, answer)
}

// Subjects lists the subjects of the messages of a stream. subject is the subject of the request, [team.Info] with the stream. The
// stream's leader answers: another node may have just started, and lack messages.
func Subjects(ctx context.Context, nc *nats.Conn, subject string) (all []string, err error) {
	var info struct {
		State struct {
			Subjects map[string]uint64 `json:"subjects"`
		} `json:"state"`
	}
	err = Request(ctx, nc, &nats.Msg{Subject: subject, Data: []byte(`{"subjects_filter":">"}`)}, &info)
	if HasCode(err, nats.JSErrCodeStreamNotFound) {
		err = ErrNoStream
	}
	return slices.Sorted(maps.Keys(info.State.Subjects)), err
}
