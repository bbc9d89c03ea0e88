package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/journal/wire/sock"
)

// doors holds the two ways in which other clients than the owner connect.
var doors = map[string]func(dir string, s *embedded.Server) []nats.Option{
	"socket": func(dir string, _ *embedded.Server) []nats.Option {
		return []nats.Option{nats.SetCustomDialer(sock.Dialer(dir))}
	},
	// A client of the socket is localUser, whatever user it claims to be.
	"socket, with a name": func(dir string, s *embedded.Server) []nats.Option {
		return []nats.Option{nats.SetCustomDialer(sock.Dialer(dir)), nats.UserInfo(s.Credentials())}
	},
	"tcp": func(_ string, s *embedded.Server) []nats.Option {
		return []nats.Option{nats.UserInfo(s.Credentials())}
	},
}

// guest is an owner with three messages and an echoing service, and a client of one of the doors. Permission errors of the client go to
// denied.
type guest struct {
	nc     *nats.Conn
	stream jetstream.Stream // as the owner sees it
	denied chan error
}

func throughDoor(t *testing.T, door string) guest {
	t.Helper()
	dir := ownertest.Dir(t)
	s := owner(t, dir, embedded.Options{Listen: "127.0.0.1:0"})
	g := guest{stream: fill(t, s, 3), denied: make(chan error, 16)}
	if _, err := s.Conn().Subscribe("JOURNAL.v1.append", func(m *nats.Msg) {
		m.Respond(append([]byte("got "), m.Data...))
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Conn().Flush(); err != nil {
		t.Fatal(err)
	}
	var err error
	g.nc, err = nats.Connect(s.ClientURL(), append(doors[door](dir, s), nats.MaxReconnects(0),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { g.denied <- err }))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.nc.Close)
	return g
}

func (g guest) wantDenied(t *testing.T, what string) {
	t.Helper()
	select {
	case err := <-g.denied:
		if !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	case <-time.After(testutil.Patience):
		t.Errorf("%s: not denied", what)
	}
}

func TestGuestsMayNotChangeTheLog(t *testing.T) {
	t.Parallel()
	for door := range doors {
		t.Run(door, func(t *testing.T) {
			t.Parallel()
			g := throughDoor(t, door)
			for subject, body := range map[string]string{
				"journal.p.s.t":                      "x",
				"journal.p.none.t":                   "x",
				"$JS.API.STREAM.CREATE.other":        `{"name":"other","subjects":["other"]}`,
				"$JS.API.STREAM.UPDATE.journal":      `{"name":"journal","subjects":["elsewhere"]}`,
				"$JS.API.STREAM.DELETE.journal":      "",
				"$JS.API.STREAM.PURGE.journal":       "",
				"$JS.API.STREAM.MSG.DELETE.journal":  `{"seq":1}`,
				"$JS.API.STREAM.SNAPSHOT.journal":    `{"deliver_subject":"_INBOX.x"}`,
				"$JS.API.STREAM.RESTORE.journal":     `{}`,
				"$JS.API.ACCOUNT.PURGE.$G":           "",
				"$JS.API.SERVER.REMOVE":              "",
				"$SYS.REQ.SERVER.PING":               "",
				"_INBOX.somebody":                    "a forged answer",
				"JOURNAL.v2.append":                  "x",
				"$KV.bucket.key":                     "x",
				"$JS.API.STREAM.LEADER.STEPDOWN.x":   "",
				"$JS.API.STREAM.PEER.REMOVE.journal": "",
				"$JS.API.STREAM.CANCEL_MOVE.journal": "",
				"$JS.API.META.LEADER.STEPDOWN":       "",
			} {
				if err := g.nc.PublishRequest(subject, nats.NewInbox(), []byte(body)); err != nil {
					t.Fatal(err)
				}
				g.wantDenied(t, subject)
			}
			for _, subject := range []string{"journal.>", ">", "*.>", "JOURNAL.v1.append", "$JS.API.>", "$SYS.>"} {
				if _, err := g.nc.SubscribeSync(subject); err != nil {
					t.Fatal(err)
				}
				g.wantDenied(t, subject)
			}
			info, err := g.stream.Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if s := info.State; s.Msgs != 3 || s.FirstSeq != 1 || s.LastSeq != 3 || info.Config.Subjects[0] != "journal.>" {
				t.Errorf("the stream is now %+v of %v", s, info.Config.Subjects)
			}
		})
	}
}

func TestGuestsMayAppendThroughTheOwnerAndRead(t *testing.T) {
	t.Parallel()
	for door := range doors {
		t.Run(door, func(t *testing.T) {
			t.Parallel()
			g := throughDoor(t, door)
			ctx, cancel := context.WithTimeout(t.Context(), testutil.Patience)
			defer cancel()

			m, err := g.nc.RequestWithContext(ctx, "JOURNAL.v1.append", []byte("it"))
			if err != nil || string(m.Data) != "got it" {
				t.Fatalf("append: %v, %v", m, err)
			}
			js, err := jetstream.New(g.nc)
			if err != nil {
				t.Fatal(err)
			}
			for name, read := range map[string]func() (string, error){
				"account info": func() (string, error) {
					a, err := js.AccountInfo(ctx)
					if err != nil {
						return "", err
					}
					return fmt.Sprint(a.Streams), nil
				},
				"names": func() (string, error) {
					names := js.StreamNames(ctx)
					return fmt.Sprint(<-names.Name()), names.Err()
				},
				"list": func() (string, error) {
					list := js.ListStreams(ctx)
					info := <-list.Info()
					if info == nil {
						return "", list.Err()
					}
					return info.Config.Name, list.Err()
				},
				"name by subject": func() (string, error) { return js.StreamNameBySubject(ctx, "journal.p.s.t") },
				"message by number": func() (string, error) { // MSG.GET
					r, err := g.nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET.journal", []byte(`{"seq":2}`))
					if err != nil {
						return "", err
					}
					return string(r.Data), nil
				},
				"message by subject": func() (string, error) { // DIRECT.GET
					st, err := js.Stream(ctx, "journal")
					if err != nil {
						return "", err
					}
					m, err := st.GetLastMsgForSubject(ctx, "journal.p.s.t")
					if err != nil {
						return "", err
					}
					return string(m.Data), nil
				},
				"ordered consumer": func() (string, error) {
					c, err := js.OrderedConsumer(ctx, "journal", jetstream.OrderedConsumerConfig{})
					if err != nil {
						return "", err
					}
					batch, err := c.Fetch(3, jetstream.FetchMaxWait(testutil.Patience))
					return drain(ctx, false, batch, err)
				},
				"durable consumer": func() (string, error) {
					if door == "tcp" {
						return "012 acked 3", nil // see TestToolsLeaveNothing
					}
					c, err := js.CreateConsumer(ctx, "journal", jetstream.ConsumerConfig{Durable: "d", AckPolicy: jetstream.AckExplicitPolicy})
					if err != nil {
						return "", err
					}
					batch, err := c.Fetch(3, jetstream.FetchMaxWait(testutil.Patience))
					all, err := drain(ctx, true, batch, err)
					if err != nil {
						return "", err
					}
					info, err := c.Info(ctx)
					if err != nil {
						return "", err
					}
					return fmt.Sprint(all, " acked ", info.AckFloor.Stream), js.DeleteConsumer(ctx, "journal", "d")
				},
				"push consumer": func() (string, error) {
					if door == "tcp" {
						return "012", nil
					}
					old, err := g.nc.JetStream()
					if err != nil {
						return "", err
					}
					sub, err := old.SubscribeSync("journal.>", nats.OrderedConsumer())
					if err != nil {
						return "", err
					}
					var all []string
					for range 3 {
						m, err := sub.NextMsgWithContext(ctx)
						if err != nil {
							return "", err
						}
						all = append(all, string(m.Data))
					}
					return strings.Join(all, ""), sub.Unsubscribe()
				},
			} {
				want := map[string]string{
					"account info": "1", "names": "journal", "list": "journal", "name by subject": "journal",
					"message by number": `"seq":2`, "message by subject": "2",
					"ordered consumer": "012", "durable consumer": "012 acked 3", "push consumer": "012",
				}[name]
				got, err := read()
				if err != nil || !strings.Contains(got, want) {
					t.Errorf("%s: %q, %v; want %q", name, got, err, want)
				}
			}
			// The server asks for flow control only of slow readers.
			if err := errors.Join(g.nc.Publish("$JS.FC.journal.c.x", nil), g.nc.FlushTimeout(testutil.Patience)); err != nil {
				t.Fatal(err)
			}
			// Denials are reported in order, so this one comes after any other.
			if err := g.nc.Publish("last", nil); err != nil {
				t.Fatal(err)
			}
			g.wantDenied(t, `"last"`)
			select {
			case err := <-g.denied:
				t.Errorf("denied: %v", err)
			default:
			}
		})
	}
}

// drain returns the joined data of a batch, and acknowledges each message if the consumer requires that.
func drain(ctx context.Context, ack bool, batch jetstream.MessageBatch, err error) (string, error) {
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for m := range batch.Messages() {
		all.Write(m.Data())
		if ack {
			if err := m.DoubleAck(ctx); err != nil {
				return "", err
			}
		}
	}
	return all.String(), batch.Error()
}

func TestDeliveriesCannotReachTheLog(t *testing.T) {
	t.Parallel()
	g := throughDoor(t, "socket")
	r, err := g.nc.Request("$JS.API.CONSUMER.CREATE.journal.loop",
		[]byte(`{"stream_name":"journal","config":{"name":"loop","deliver_subject":"journal.p.s.t","ack_policy":"none"}}`), testutil.Patience)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, string(r.Data), "error", "cycle")
}

func TestWrongCredentials(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	s := owner(t, dir, embedded.Options{Listen: "127.0.0.1:0"})
	user, password := s.Credentials()
	if len(password) < 43 { // 32 bytes in base64
		t.Errorf("password of %d characters", len(password))
	}
	other := owner(t, ownertest.Dir(t), embedded.Options{Listen: "127.0.0.1:0"})
	_, otherPassword := other.Credentials()
	socket := nats.SetCustomDialer(sock.Dialer(dir))
	for name, o := range map[string][]nats.Option{
		"tcp without any":               nil,
		"tcp, wrong password":           {nats.UserInfo(user, "wrong")},
		"tcp, empty password":           {nats.UserInfo(user, "")},
		"tcp, another owner's password": {nats.UserInfo(user, otherPassword)},
		"tcp, wrong user":               {nats.UserInfo("local", password)},
		"tcp as the owner":              {nats.UserInfo("owner", password)},
		"tcp, password as token":        {nats.Token(password)},
		"socket as the owner":           {socket, nats.UserInfo("owner", password)},
		"socket, owner without one":     {socket, nats.UserInfo("owner", "")},
	} {
		nc, err := nats.Connect(s.ClientURL(), append(o, nats.MaxReconnects(0))...)
		if err == nil {
			nc.Close()
		}
		if !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A client over TCP cannot make the owner leave, unless a person allows it.
func TestToolsMayNotStopTheOwner(t *testing.T) {
	t.Parallel()
	for _, admin := range []bool{false, true} {
		t.Run(fmt.Sprint(admin), func(t *testing.T) {
			t.Parallel()
			dir := ownertest.Dir(t)
			s := owner(t, dir, embedded.Options{Listen: "127.0.0.1:0", Admin: admin})
			if _, err := s.Conn().Subscribe("JOURNAL.v1.*", func(m *nats.Msg) { m.Respond(nil) }); err != nil {
				t.Fatal(err)
			}
			if err := s.Conn().Flush(); err != nil {
				t.Fatal(err)
			}
			for door, options := range doors {
				g := guest{denied: make(chan error, 16)}
				var err error
				g.nc, err = nats.Connect(s.ClientURL(), append(options(dir, s), nats.MaxReconnects(0),
					nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { g.denied <- err }))...)
				if err != nil {
					t.Fatal(err)
				}
				defer g.nc.Close()
				for _, verb := range []string{"stop", "retire", "append"} {
					subject := "JOURNAL.v1." + verb
					if door == "tcp" && !admin && verb != "append" {
						if err := g.nc.Publish(subject, nil); err != nil {
							t.Fatal(err)
						}
						g.wantDenied(t, subject)
						continue
					}
					if _, err := g.nc.Request(subject, nil, testutil.Patience); err != nil {
						t.Errorf("%s by %s, admin %v: %v", subject, door, admin, err)
					}
				}
			}
		})
	}
}

// A client over TCP ends nothing, stores nothing and leaves nothing behind, whatever subject it names for answers or deliveries. A client of
// the socket could write the files as well.
func TestToolsLeaveNothing(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	s := owner(t, dir, embedded.Options{Listen: "127.0.0.1:0"})
	stream := fill(t, s, 3)
	var told []string
	ears, err := s.Conn().SubscribeSync("JOURNAL.v1.*")
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(s.ClientURL(), nats.UserInfo(s.Credentials()), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	to := []string{
		"JOURNAL.v1.stop", "JOURNAL.v1.retire", "journal.p.s.t", "journal.p.s.l.t", "$JS.API.STREAM.DELETE.journal", "$JS.API.STREAM.PURGE.journal",
		"$JS.API.STREAM.MSG.DELETE.journal", "$JS.API.STREAM.CREATE.x", "$JS.API.CONSUMER.DURABLE.CREATE.journal.x", "$JS.API.CONSUMER.DELETE.journal.x", "$KV.b.k",
	}
	for _, reply := range to {
		for subject, body := range map[string]string{
			"$JS.API.INFO": "", "$JS.API.STREAM.INFO.journal": "", "$JS.API.STREAM.NAMES": "", "$JS.API.STREAM.LIST": "",
			"$JS.API.STREAM.MSG.GET.journal": `{"seq":1}`, "$JS.API.DIRECT.GET.journal": `{"seq":1}`, "$JS.API.DIRECT.GET.journal.journal.p.s.t": "",
			"$JS.API.CONSUMER.NAMES.journal": "", "$JS.API.CONSUMER.LIST.journal": "", "JOURNAL.v1.status": "", "$JS.API.CONSUMER.CREATE.journal.none": "{}",
			reply: `{"seq":1}`,
		} {
			if err := nc.PublishRequest(subject, reply, []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, deliver := range to {
		name := fmt.Sprint("left", i)
		for subject, config := range map[string]string{
			"$JS.API.CONSUMER.CREATE.journal." + name:          `"name":"` + name + `","deliver_subject":"` + deliver + `","ack_policy":"none"`,
			"$JS.API.CONSUMER.CREATE.journal." + name + ".a":   `"name":"` + name + `","durable_name":"` + name + `","ack_policy":"none"`,
			"$JS.API.CONSUMER.CREATE.journal":                  `"deliver_subject":"` + deliver + `","ack_policy":"none","headers_only":true`,
			"$JS.API.CONSUMER.DURABLE.CREATE.journal." + name:  `"durable_name":"` + name + `","deliver_subject":"` + deliver + `","ack_policy":"none","headers_only":true`,
			"$JS.API.CONSUMER.CREATE.journal." + name + ".b.c": `"name":"` + name + `","ack_policy":"explicit"`,
		} {
			r, err := nc.Request(subject, []byte(`{"stream_name":"journal","config":{`+config+`}}`), 200*time.Millisecond)
			if err == nil && !strings.Contains(string(r.Data), `"error"`) {
				t.Errorf("%s: %s", subject, r.Data)
			}
		}
	}
	// A consumer of a tool ends by itself.
	r, err := nc.Request("$JS.API.CONSUMER.CREATE.journal.mine", []byte(`{"stream_name":"journal","config":{"name":"mine","ack_policy":"none","inactive_threshold":86400000000000}}`), testutil.Patience)
	if err != nil || !strings.Contains(string(r.Data), `"inactive_threshold":300000000000`) || !strings.Contains(string(r.Data), `"mem_storage":true`) {
		t.Errorf("%v, %v", r, err)
	}
	info, err := stream.Info(t.Context())
	if err != nil || info.State.Msgs != 3 || info.State.Consumers != 1 {
		t.Errorf("the stream is now %+v, %v", info, err)
	}
	for m, err := ears.NextMsg(time.Millisecond); err == nil; m, err = ears.NextMsg(time.Millisecond) {
		told = append(told, m.Subject)
	}
	for _, subject := range told {
		if subject == "JOURNAL.v1.stop" || subject == "JOURNAL.v1.retire" {
			t.Errorf("the owner is told %s", subject)
		}
	}
}
