package grants

import (
	"crypto/sha512"
	"errors"
	"math/big"
	"slices"

	"github.com/nats-io/nkeys"
)

// Members sign with Ed25519 keys. What is sealed to a member is sealed to the X25519 key that belongs to the same
// secret, as RFC 7748 §4.1 relates the two curves: nobody has to publish another key, and an invitation is enough.

// fieldBits is the size of the field of both curves, whose prime is 2^255-19.
const fieldBits = 255

// curveOf gives the X25519 key of somebody who signs.
func curveOf(key nkeys.KeyPair) (nkeys.KeyPair, error) {
	seed, err := key.Seed()
	if err != nil {
		return nil, err
	}
	_, raw, err := nkeys.DecodeSeed(seed)
	if err != nil {
		return nil, err
	}
	sum := sha512.Sum512(raw)
	secret, err := nkeys.EncodeSeed(nkeys.PrefixByteCurve, sum[:32])
	if err != nil {
		return nil, err
	}
	return nkeys.FromCurveSeed(secret)
}

// publicCurve gives the public X25519 key that belongs to a public key of a user: u = (1+y) / (1-y).
func publicCurve(user string) (string, error) {
	raw, err := nkeys.Decode(nkeys.PrefixByteUser, []byte(user))
	if err != nil {
		return "", err
	}
	if len(raw) != 32 {
		return "", errors.New("it is no key of 32 bytes")
	}
	one, p := big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), fieldBits)
	p.Sub(p, big.NewInt(19))
	y := new(big.Int).SetBytes(reversed(raw))
	y.SetBit(y, fieldBits, 0) // the sign of x
	under := new(big.Int).Sub(one, y)
	if under.Mod(under, p).Sign() == 0 {
		return "", errors.New("it is no key")
	}
	u := new(big.Int).Add(one, y)
	u.Mul(u, under.ModInverse(under, p)).Mod(u, p)
	public, err := nkeys.Encode(nkeys.PrefixByteCurve, reversed(u.FillBytes(make([]byte, 32))))
	return string(public), err
}

// reversed turns the order of 32 bytes around: numbers begin with their least byte there.
func reversed(b []byte) []byte {
	all := slices.Clone(b)
	slices.Reverse(all)
	return all
}
