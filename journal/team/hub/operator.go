package hub

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"journal/journal/team"
)

// Operator is by whose signature a hub knows accounts and users. Who signs can be an operator that
// there is: then JWT and Seed are theirs, or of a signing key of theirs. With the zero value one is
// made.
type Operator struct {
	JWT    string `json:"jwt"`
	Seed   string `json:"seed"`
	System string `json:"system"` // seed of the account of the servers
	Team   string `json:"team"`   // seed of the account TEAM
	Roster string `json:"roster"` // seed of the account ROSTER
}

// prepare makes the keys that are missing, and the hub's admin, unless there is a cluster with one.
func (o *Operator) prepare(h *Hub) (err error) {
	if h.Cluster != nil {
		o.Team, _, err = newKey(nkeys.PrefixByteAccount)
		return err
	}
	if o.Seed == "" {
		seed, public, err := newKey(nkeys.PrefixByteOperator)
		if err != nil {
			return err
		}
		o.Seed = seed
		if o.System, _, err = newKey(nkeys.PrefixByteAccount); err != nil {
			return err
		}
		claims := jwt.NewOperatorClaims(public)
		claims.Name = h.Team
		if claims.SystemAccount, err = publicOf(o.System); err != nil {
			return err
		}
		if o.JWT, err = sign(claims, seed); err != nil {
			return err
		}
	}
	if _, err := jwt.DecodeOperatorClaims(o.JWT); err != nil {
		return fmt.Errorf("the operator's JWT: %w", err)
	}
	if o.System == "" {
		o.System, _, err = newKey(nkeys.PrefixByteAccount)
	}
	if err == nil {
		o.Team, _, err = newKey(nkeys.PrefixByteAccount)
	}
	if err == nil {
		h.Admin, _, err = o.user("admin", o.System, permissions{})
	}
	return err
}

// enrol gives a new member an account, and credentials in it and in TEAM.
func (o *Operator) enrol(h *Hub, m *Member, in *team.Member) (err error) {
	if m.Seed == "" { // else the member keeps the account, with all that is in it
		if m.Seed, m.Account, err = newKey(nkeys.PrefixByteAccount); err != nil {
			return err
		}
	}
	if in.Upload, m.Upload, err = o.user(m.Name, m.Seed, h.upload(m.Name)); err != nil {
		return err
	}
	in.Reader, m.Reader, err = o.user(m.Name+"-reader", o.Team, h.reader(m.Name))
	return err
}

// user makes a user of an account, whose seed signs it; without permissions it may do everything.
func (o *Operator) user(name, account string, p permissions) (k team.Key, public string, err error) {
	seed, public, err := newKey(nkeys.PrefixByteUser)
	if err != nil {
		return k, "", err
	}
	claims := jwt.NewUserClaims(public)
	claims.Name = name
	claims.Pub.Allow.Add(p.publish...)
	claims.Sub.Allow.Add(p.subscribe...)
	token, err := sign(claims, account)
	if err != nil {
		return k, "", err
	}
	creds, err := jwt.FormatUserConfig(token, []byte(seed))
	return team.Key{Creds: string(creds)}, public, err
}

// sign encodes claims with the key of a seed.
func sign(c jwt.Claims, seed string) (string, error) {
	pair, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		return "", err
	}
	return c.Encode(pair)
}

// resolver gives the part of the configuration with the accounts.
func (o *Operator) resolver(h *Hub) (string, error) {
	system, err := o.account("SYS", o.System, func(*jwt.AccountClaims) error { return nil })
	if err != nil {
		return "", err
	}
	all, err := o.accounts(h)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Who is in team %s. Written by journal team, which writes it anew: do not change it.\n", h.Team)
	fmt.Fprintf(&b, "operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload {\n", o.JWT, system.public)
	for _, a := range append([]signed{system}, all...) {
		fmt.Fprintf(&b, "  %s: %s\n", a.public, a.token)
	}
	b.WriteString("}\n")
	return b.String(), nil
}

// signed is an account, signed by the operator.
type signed struct{ name, public, token string }

// accounts gives those of the members, and TEAM.
func (o *Operator) accounts(h *Hub) (all []signed, err error) {
	for _, m := range h.Members {
		one, err := o.account(account(m.Name), m.Seed, func(c *jwt.AccountClaims) error {
			c.Limits.JetStreamLimits = jwt.JetStreamLimits{
				DiskStorage: h.Limits.Bytes * int64(h.replicas()), Streams: int64(h.Limits.Streams), Consumer: jwt.NoLimit,
			}
			for _, key := range m.ended() {
				c.Revoke(key)
			}
			for _, s := range shared {
				c.Exports.Add(&jwt.Export{
					Name: s, Subject: jwt.Subject("$JS.API." + s), Type: jwt.Service, TokenReq: true, ResponseType: jwt.ResponseTypeStream,
				})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	roster, err := o.account("ROSTER", o.Roster, func(c *jwt.AccountClaims) error {
		c.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
		c.Exports.Add(&jwt.Export{Name: "roster", Subject: jwt.Subject(rosterService), Type: jwt.Service, TokenReq: true})
		return nil
	})
	if err != nil {
		return nil, err
	}
	readers, err := o.account("TEAM", o.Team, func(c *jwt.AccountClaims) error { return o.imports(h, c) })
	return append(all, roster, readers), err
}

// ended are the member's keys that count no more.
func (m Member) ended() []string {
	if m.Revoked {
		return append(slices.Clone(m.Former), m.Upload, m.Reader)
	}
	return m.Former
}

// imports lets TEAM look at the members' accounts, each of which says so.
func (o *Operator) imports(h *Hub, c *jwt.AccountClaims) error {
	for _, m := range h.Members {
		for _, key := range m.ended() {
			c.Revoke(key)
		}
		for _, s := range shared {
			if err := o.service(c, m.Name+" "+s, m.Seed, "$JS.API."+s, prefix(m.Name)+s); err != nil {
				return err
			}
		}
	}
	for _, s := range rosterAsked {
		if err := o.service(c, "roster as "+s, o.Roster, rosterService, s); err != nil {
			return err
		}
	}
	return nil
}

// service lets an account ask the account of a seed, which says so, by a name of its own.
func (o *Operator) service(c *jwt.AccountClaims, name, seed, subject, local string) error {
	of, err := publicOf(seed)
	if err != nil {
		return err
	}
	says := jwt.NewActivationClaims(c.Subject)
	says.ImportSubject, says.ImportType = jwt.Subject(subject), jwt.Service
	token, err := sign(says, seed)
	if err != nil {
		return err
	}
	for i := 1; strings.Contains(local, "*"); i++ {
		local = strings.Replace(local, "*", "$"+strconv.Itoa(i), 1)
	}
	c.Imports.Add(&jwt.Import{
		Name: name, Subject: says.ImportSubject, Account: of, Token: token, LocalSubject: jwt.RenamingSubject(local), Type: jwt.Service,
	})
	return nil
}

// account signs an account.
func (o *Operator) account(name, seed string, complete func(*jwt.AccountClaims) error) (signed, error) {
	public, err := publicOf(seed)
	if err != nil {
		return signed{}, err
	}
	c := jwt.NewAccountClaims(public)
	c.Name = name
	if err := complete(c); err != nil {
		return signed{}, err
	}
	token, err := sign(c, o.Seed)
	return signed{name, public, token}, err
}
