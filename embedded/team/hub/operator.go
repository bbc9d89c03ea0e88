package hub

import (
	"strconv"
	"strings"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"journal/embedded/team"
)

// Operator signs the accounts of a hub. For an existing cluster Seed is that of its operator or of a signing key, and JWT and
// System are empty.
type Operator struct {
	JWT    string  `json:"jwt,omitempty"`
	Seed   string  `json:"seed"`
	System Account `json:"system,omitzero"` // of the servers
	Hub    Account `json:"hub"`             // owns all streams
}

// Account is an account of a hub's servers. Its JWT is signed when it is made and when it changes, so that a reload
// does not end the connections of all other accounts.
type Account struct {
	ID   string `json:"id"` // public key
	Seed string `json:"seed"`
	JWT  string `json:"jwt"`
}

// newAccount makes the keys of an account.
func newAccount() (a Account) {
	a.Seed, a.ID = newKey(nkeys.PrefixByteAccount)
	return a
}

// create makes the keys of the operator and of the account SYS, and returns the key of a user who may do everything in SYS.
func (o *Operator) create(name string) (admin team.Key, err error) {
	var public string
	o.Seed, public = newKey(nkeys.PrefixByteOperator)
	o.System = newAccount()
	system := jwt.NewAccountClaims(o.System.ID)
	system.Name = "SYS"
	if o.System.JWT, err = sign(system, o.Seed); err != nil {
		return admin, err
	}
	claims := jwt.NewOperatorClaims(public)
	claims.Name, claims.SystemAccount = name, o.System.ID
	if o.JWT, err = sign(claims, o.Seed); err != nil {
		return admin, err
	}
	admin, _, err = newUser("admin", o.System)
	return admin, err
}

// createHub makes the account HUB, and returns the key of a user who may do everything there.
func (o *Operator) createHub() (key team.Key, err error) {
	o.Hub = newAccount()
	c := jwt.NewAccountClaims(o.Hub.ID)
	c.Name = "HUB"
	c.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
	for _, x := range services {
		c.Exports.Add(&jwt.Export{
			Name: x.local, Subject: jwt.Subject(x.subject), Type: jwt.Service, AccountTokenPosition: x.position, TokenReq: x.position == 0,
			ResponseType: x.answers,
		})
	}
	if o.Hub.JWT, err = sign(c, o.Seed); err != nil {
		return key, err
	}
	key, _, err = newUser("hub", o.Hub)
	return key, err
}

// signMember signs the account of a member: with the imports, and with the revocations of former keys.
func (o *Operator) signMember(m *Member) (err error) {
	c := jwt.NewAccountClaims(m.Account.ID)
	c.Name = m.Name
	for _, key := range m.Former {
		c.Revoke(key)
	}
	if m.Revoked {
		c.Revoke(m.Key)
	}
	if err := o.addImports(c); err != nil {
		return err
	}
	m.Account.JWT, err = sign(c, o.Seed)
	return err
}

// newUser makes a user who may do everything in an account. public is the user's public key.
func newUser(name string, account Account) (k team.Key, public string, err error) {
	k.Seed, public = newKey(nkeys.PrefixByteUser)
	claims := jwt.NewUserClaims(public)
	claims.Name = name
	k.JWT, err = sign(claims, account.Seed)
	return k, public, err
}

// sign signs claims with the key of a seed, and returns the JWT.
func sign(c jwt.Claims, seed string) (string, error) {
	pair, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		return "", err
	}
	return c.Encode(pair)
}

// addImports adds the services of HUB to the claims of a member's account, with activations signed by HUB where they need one.
func (o *Operator) addImports(c *jwt.AccountClaims) error {
	for _, x := range services {
		subject, local := x.subject, x.local
		if x.position > 0 {
			subject = strings.Replace(subject, "*", c.Subject, 1)
		}
		for n := 1; strings.Contains(local, "*"); n++ {
			local = strings.Replace(local, "*", "$"+strconv.Itoa(n), 1)
		}
		claim := &jwt.Import{
			Name: x.local, Subject: jwt.Subject(subject), Account: o.Hub.ID, Type: jwt.Service, LocalSubject: jwt.RenamingSubject(local),
		}
		if x.position == 0 {
			activation := jwt.NewActivationClaims(c.Subject)
			activation.ImportSubject, activation.ImportType = claim.Subject, claim.Type
			token, err := sign(activation, o.Hub.Seed)
			if err != nil {
				return err
			}
			claim.Token = token
		}
		c.Imports.Add(claim)
	}
	return nil
}
