package hubcopy

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"journal/embedded"
	"journal/journal/disk"
	"journal/journal/team"
)

// Names inside the link's server. The account is the only thing that the hub is joined to; the
// copy lies in the global account, of which the other gets what fence imports and nothing else.
const (
	linkAccount  = "LINK"
	streamPrefix = "COPY_"
	durable      = "team"
)

const (
	// silence is how long a hub that says nothing is believed in: two pings, of which the server
	// misses one before it gives up. Ended lids and lost networks close no connection.
	pingInterval = 5 * time.Second
	pingsOut     = 2

	reconnectWait = time.Second
	readyWait     = 10 * time.Second
	dialTimeout   = 5 * time.Second

	maxMemory = 16 << 20
	maxStore  = 1 << 40 // the file system is the bound; without one the server measures the disk
)

// streamOf is the name of a copy's stream in the link's server.
func streamOf(number int) string { return streamPrefix + strconv.Itoa(number) }

// wire is the names that one copy of one device has between laptop and hub.
type wire struct {
	domain  string // of the link's server
	stream  string // there
	deliver string // subject of what is delivered to the hub
}

func wireOf(m team.Membership, number int) wire {
	return wire{
		domain: "lap-" + m.Device, stream: streamOf(number),
		deliver: "dlv." + m.Device + "." + strconv.Itoa(number),
	}
}

// fence are the subjects of the link's server that the hub can reach: it can set back the one
// consumer that feeds its copy, and pace it. It is a list of what is allowed, so that what a later
// server adds is not (ADR-0060 rule 4).
func (w wire) fence() []string {
	return []string{
		w.reset(),
		"$JS.FC." + w.domain + ".*." + w.stream + "." + durable + ".*",
	}
}

// reset is the subject on which the consumer that feeds the copy is set back.
func (w wire) reset() string { return "$JS.API.CONSUMER.RESET." + w.stream + "." + durable }

// linkServer is a server of its own beside the one that keeps the log: nothing that is said over
// the link can reach the log, because it is not there.
type linkServer struct {
	ns   *server.Server
	home *nats.Conn // in the account of the copy
	out  *nats.Conn // in the account that the hub is joined to
}

// gate tells the two connections of this process apart; there are no others.
type gate struct {
	secret string
	link   *server.Account
}

func (g *gate) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	if o.Password != g.secret {
		return false
	}
	u := &server.User{Username: o.Username}
	if o.Username == linkAccount {
		u.Account = g.link
	}
	c.RegisterUser(u)
	return true
}

// startServer starts the link's server on its store. It returns before the hub is reached, which
// may never be.
func startServer(dir string, m team.Membership, w wire, log *slog.Logger) (_ *linkServer, err error) {
	store := team.StoreDir(dir)
	if err := disk.MakePrivate(store); err != nil {
		return nil, err
	}
	var secret [16]byte
	rand.Read(secret[:])
	g := &gate{secret: base64.RawURLEncoding.EncodeToString(secret[:])}
	remote, err := remoteOf(m)
	if err != nil {
		return nil, err
	}
	o := &server.Options{
		// Two of one name throw each other out of the hub, each second.
		ServerName: "journal-" + m.Name + "-" + m.Device,
		DontListen: true, NoSigs: true, NoLog: true, DisableJetStreamBanner: true,
		CustomClientAuthentication: g,
		JetStream:                  true, StoreDir: store, JetStreamDomain: w.domain,
		JetStreamMaxMemory: maxMemory, JetStreamMaxStore: maxStore,
		// With them the subjects of flow control and of answers have the domain in them, so that
		// the hub can permit each member's own.
		FeatureFlags: map[string]bool{"js_ack_fc_v2": true, "js_api_reply_v2": true},
		PingInterval: pingInterval, MaxPingsOut: pingsOut,
		Accounts: []*server.Account{server.NewAccount(linkAccount)},
	}
	o.LeafNode.ReconnectInterval = reconnectWait
	o.LeafNode.DialTimeout = dialTimeout
	o.LeafNode.Remotes = []*server.RemoteLeafOpts{remote}
	ns, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("create the link's server: %w", err)
	}
	s := &linkServer{ns: ns}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if g.link, err = ns.LookupAccount(linkAccount); err != nil {
		return nil, err
	}
	home := ns.GlobalAccount()
	for _, subject := range w.fence() {
		if err := errors.Join(home.AddServiceExport(subject, nil), g.link.AddServiceImport(home, subject, subject)); err != nil {
			return nil, fmt.Errorf("fence %s: %w", subject, err)
		}
	}
	if err := errors.Join(home.AddStreamExport(w.deliver, nil), g.link.AddStreamImport(home, w.deliver, "")); err != nil {
		return nil, fmt.Errorf("fence %s: %w", w.deliver, err)
	}
	lines := &embedded.Lines{Out: log}
	ns.SetLoggerV2(lines, false, false, false)
	ns.Start()
	if why := lines.Failure(); why != "" {
		return nil, fmt.Errorf("start the link's server: %s", why)
	}
	if !ns.ReadyForConnections(readyWait) {
		return nil, fmt.Errorf("start the link's server: not ready after %v", readyWait)
	}
	// With accounts the global one has no JetStream until it is asked for.
	if err := home.EnableJetStream(nil, nil); err != nil {
		return nil, fmt.Errorf("open the link's store: %w", err)
	}
	if s.home, err = s.connect(g, "home"); err != nil {
		return nil, err
	}
	s.out, err = s.connect(g, linkAccount, nats.CustomInboxPrefix("_INBOX_"+m.Name))
	return s, err
}

func (s *linkServer) connect(g *gate, user string, o ...nats.Option) (*nats.Conn, error) {
	nc, err := nats.Connect("", append(o, nats.InProcessServer(s.ns), nats.UserInfo(user, g.secret),
		nats.Name("journal link"), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))...)
	if err != nil {
		return nil, fmt.Errorf("connect the link: %w", err)
	}
	return nc, nil
}

// linked says whether a connection to the hub stands.
func (s *linkServer) linked() bool { return s.ns.NumLeafNodes() > 0 }

// unanswered gives the subjects on which the hub waits to hear of its RESET of a copy's consumer.
func (s *linkServer) unanswered(w wire) (all []string) {
	z, err := s.ns.Leafz(&server.LeafzOptions{Subscriptions: true})
	if err != nil {
		return nil
	}
	for _, l := range z.Leafs {
		for _, subject := range l.Subs {
			if strings.HasPrefix(subject, "$JSC.R."+w.domain+".") && strings.Contains(subject, "."+w.stream+"."+durable+".") {
				all = append(all, subject)
			}
		}
	}
	return all
}

// close stops the server.
func (s *linkServer) close() {
	for _, nc := range []*nats.Conn{s.home, s.out} {
		if nc != nil {
			nc.Close()
		}
	}
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
}

// remoteOf says where the hub is and who we are there.
func remoteOf(m team.Membership) (*server.RemoteLeafOpts, error) {
	r := &server.RemoteLeafOpts{LocalAccount: linkAccount, DialTimeout: dialTimeout}
	for _, s := range m.Hub {
		u, err := url.Parse(s)
		if err != nil {
			return nil, fmt.Errorf("hub %q: %w", s, err)
		}
		r.URLs = append(r.URLs, u)
	}
	config, err := m.TLS()
	if err != nil {
		return nil, err
	}
	r.TLSConfig, r.TLS, r.TLSHandshakeFirst = config, config != nil, config != nil
	if m.Upload.Creds == "" {
		r.Nkey = m.Upload.Seed // the seed itself, not a file of it
		return r, nil
	}
	token, err := nkeys.ParseDecoratedJWT([]byte(m.Upload.Creds))
	if err != nil {
		return nil, fmt.Errorf("the team's credentials: %w", err)
	}
	if _, err := jwt.DecodeUserClaims(token); err != nil {
		return nil, fmt.Errorf("the team's credentials: %w", err)
	}
	pair, err := nkeys.ParseDecoratedUserNKey([]byte(m.Upload.Creds))
	if err != nil {
		return nil, fmt.Errorf("the team's credentials: %w", err)
	}
	r.SignatureCB = func(nonce []byte) (string, []byte, error) {
		sig, err := pair.Sign(nonce)
		return token, sig, err
	}
	return r, nil
}
