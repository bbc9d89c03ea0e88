package hub

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"journal/embedded/team"
)

// Operator is by whose signature a hub knows accounts and users. Who signs can be an operator that
// there is: then JWT and Seed are theirs, or of a signing key of theirs. With the zero value one is
// made.
type Operator struct {
	JWT    string `json:"jwt"`
	Seed   string `json:"seed"`
	System string `json:"system"` // seed of the account of the servers
	Hub    string `json:"hub"`    // seed of the account HUB
}

// prepare makes the keys that are missing, and the hub's admin, unless there is a cluster with one.
func (o *Operator) prepare(h *Hub) (err error) {
	if h.Cluster != nil {
		return nil
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
		h.Admin, _, err = o.user("admin", o.System)
	}
	return err
}

// enrol makes an account for a new member, and credentials in it.
func (o *Operator) enrol(m *Member, in *team.Member) (err error) {
	if m.Seed == "" { // else the member keeps the account, with all that is shared by it
		if m.Seed, m.Account, err = newKey(nkeys.PrefixByteAccount); err != nil {
			return err
		}
	}
	in.Key, m.Key, err = o.user(m.Name, m.Seed)
	return err
}

// user makes a user of an account, whose seed signs it. It may do everything there.
func (o *Operator) user(name, account string) (k team.Key, public string, err error) {
	seed, public, err := newKey(nkeys.PrefixByteUser)
	if err != nil {
		return k, "", err
	}
	claims := jwt.NewUserClaims(public)
	claims.Name = name
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

// resolver returns the part of the configuration with the accounts.
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

// accounts returns HUB, and those of the members.
func (o *Operator) accounts(h *Hub) (all []signed, err error) {
	hub, err := o.account("HUB", o.Hub, func(c *jwt.AccountClaims) error {
		c.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
		c.Exports.Add(
			&jwt.Export{Name: "chunks", Subject: chunks, Type: jwt.Service, AccountTokenPosition: chunksToken},
			&jwt.Export{Name: "removal", Subject: removal, Type: jwt.Service, AccountTokenPosition: removalToken},
			&jwt.Export{Name: "newest", Subject: newest, Type: jwt.Service, AccountTokenPosition: newestToken},
			&jwt.Export{Name: "asking", Subject: asking, Type: jwt.Service, TokenReq: true, ResponseType: jwt.ResponseTypeStream},
			&jwt.Export{Name: "listing", Subject: listing, Type: jwt.Service, TokenReq: true},
			&jwt.Export{Name: "telling", Subject: telling, Type: jwt.Service, AccountTokenPosition: tellingToken},
		)
		return nil
	})
	if err != nil {
		return nil, err
	}
	all = append(all, hub)
	for _, m := range h.Members {
		signedAccount, err := o.account(account(m.Name), m.Seed, func(c *jwt.AccountClaims) error {
			for _, key := range m.ended() {
				c.Revoke(key)
			}
			return o.imports(c, hub.public)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, signedAccount)
	}
	return all, nil
}

// ended are the member's keys that count no more.
func (m Member) ended() []string {
	if m.Revoked {
		return append(slices.Clone(m.Former), m.Key)
	}
	return m.Former
}

// imports lets a member's account use the account HUB, which signs that.
func (o *Operator) imports(c *jwt.AccountClaims, hub string) error {
	for _, i := range importsOf(c.Subject) {
		claim := &jwt.Import{Name: i.local, Subject: jwt.Subject(i.hub), Account: hub, Type: jwt.Service}
		if i.hub == asking || i.hub == listing {
			says := jwt.NewActivationClaims(c.Subject)
			says.ImportSubject, says.ImportType = claim.Subject, claim.Type
			token, err := sign(says, o.Hub)
			if err != nil {
				return err
			}
			claim.Token = token
		}
		for n := 1; strings.Contains(i.local, "*"); n++ {
			i.local = strings.Replace(i.local, "*", "$"+strconv.Itoa(n), 1)
		}
		claim.LocalSubject = jwt.RenamingSubject(i.local)
		c.Imports.Add(claim)
	}
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
