package redact

import (
	"bytes"

	"strings"
	"sync"
)

// This file holds sets of words, and compares words whatever their case.

// wordSet is a set of words in lower case.
type wordSet map[string]bool

// longestWord bounds the words of a set.
const longestWord = 16

// has reports whether w is in the set, whatever the case of its letters.
func (m wordSet) has(w string) bool {
	var buf [longestWord]byte
	return len(w) <= longestWord && m[string(fold(buf[:0], w))]
}

// fold appends s to dst with its ASCII letters in lower case. With an array of the caller it costs no allocation, which
// strings.ToLower would.
func fold(dst []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if upper.has(c) {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// foldContains reports whether s, whatever its case, contains one of the parts, which are in lower case. It looks at no more
// of s than the usual window.
func foldContains(s string, parts []string) bool {
	var buf [usualWindow]byte
	folded := fold(buf[:0], clip(s, usualWindow))
	for _, p := range parts {
		if bytes.Contains(folded, []byte(p)) {
			return true
		}
	}
	return false
}

// contains reports whether s contains one of the parts.
func contains(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// words returns a set of lower case words that is built when it is first asked for, which keeps the start of the process free
// of it.
func words(text string) func() wordSet {
	return sync.OnceValue(func() wordSet {
		m := make(wordSet)
		for w := range strings.FieldsSeq(text) {
			m[w] = true
		}
		return m
	})
}

// plain are values that stand after "password:" and its like and are not the password.
var plain = words(`1password lastpass keepass bitwarden absent accepted any array auto blank bool boolean bytes cancelled char correct credentials default denied deprecated disabled empty enabled encrypted error expired failed false field force forgotten function hashed hidden incorrect input insecure integer invalid issued keyring literal manual masked matched method missing mismatch na never nil none null number object omitted optional password max min confirmed nullable plain plaintext prompt provided public read refreshed rejected removed renewed required reset revoked rotated secret secure sensitive short string strong success stdin text token true undefined unknown unset unused update updated valid validated value todo tbd fixme varchar vergessen verified weak write yes bearer basic digest sha1 sha224 sha256 sha384 sha512 md5 hmac rsa dsa ecdsa ed25519 argon2 argon2id bcrypt scrypt pbkdf2 base64 base32 hex aes utf8 utf16 uuid uuid4 jwt oauth oauth2 oidc saml salt int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64`)

// about are last words of a name that say something about a secret, and so are not it: token_url, secretName, password-hint.
var about = words(`sha ccm gcm cbc poly accessor address age algorithm algo alg adapter alias arn at attempts attribute auth backend box broker budget cache change changed check chars charset alphabet characters class client context controller converter cost count created date days dir directory duration enabled encoder encoding encryption endpoint engine entropy env error errors event exception exp expired expires expiration expiry expr factory field file filename filter flow form format func generator group guard handler hash header headers helper helpers hint host icon id identifier ids in index info input interceptor issuer iterations kind label lang length bits digest fingerprint len level lifetime limit line link lives list location manager max message meta method mgr middleware min mode model name names namespace number num offset option options page param parameter params parser path pattern period placeholder policy pos position prefix prompt provider query range rate re reader ref reference refs regex region request repository required reset resolver response role rotation rounds rule rules salt schema scope scopes screen service set sql size sock socket source span spec start state stats status stdin store strategy strength suffix template test tests timeout title to ttl type types ui uri url urls usage used user validation validator version visibility warning window within`)

// beside are first halves of names whose second half is only called token or key: pageToken, cancellation_token, max_token.
var beside = words(`cancel cancellation continuation continue count cursor design eos bos eof input last first peek expected lookahead max min next num number output page pagination paging pad per postman prev previous sep skip special start stop sync total unk`)

// named reports whether v has a word in it that names secrets, as the variables do that hold them.
func named(v string) bool { return foldContains(v, namingParts) }

var namingParts = []string{"password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "api_key", "api-key", "credential", "creds", "access_key", "accesskey", "access-key", "private_key", "privatekey", "private-key", "hashsalt", "hash_salt"}

// ordinary are words of names in code, in schemas and in messages: of 60,000 such names of three or more words 96 in 100 have one.
// Things that one can touch, of which people make passphrases, are left out.
var ordinary = words(`access account add addr admin after alg all alloc allow and api app append arch arg array asm async attr audience audio auth auto aux azure bad base bearer before begin bench bit blob block body bool boolean buf buffer build builder bytes cache call callback can cancel case cert cgo change char check checkpoint child cipher claim cleanup clear cli close cluster cmd code color command commit common company cond config conn connect const context control cookie copy count counter cpu create crypt ctl ctx current custom data database debug decl decode def default delegate delete demo deploy desc dest destroy dev device diag digest digit dir display doc docker domain done down draw drop dummy dump early emit encoder encrypt end entry enum env err error escape example exp expired exporter expr ext factor failed fake false fetch field file fill filter find first fix fixture float for force format forward frame free from full func generate get git github gitlab google grant group guid handle handler handshake has hash have hdr head header heap height helm host html http https icon id ignore image impl index inet info init inline input insert inst install instance instr int integer inv invalid ioctl issuer item kafka key kind kube label lambda last left len length level limit line link linux list load loc local lock log login long lookup loop mac make manager map markup mask master match math max mem menu merge message metadata method min missing mock mod mode model module mongo move msg mul multi must mutex mysql name neg new next node non nonce not notify npm num number oauth obj object ocsp off offset old one only open openssl opt ord order org other out output overflow package packet page panic param parse part pass password path pattern peer per platform plugin point pointer policy pool port post postgres pre prefix print private proc prod profile prop property protocol provider proxy pthread ptr public put query queue rand random range rate ratio raw read reason rec record redis ref refresh reg region register release remote remove render repo report req request reset resource result return right role rotate rsa rtl run runtime salt sample sandbox save scalar scope screen script scroll sdk sec secret select self send server service session set setting setup shift should show sign signed simple single size skip slice socket source space spec sql src ssl staging start stat state std stop store str string struct style sub support swap sym symbol sync syscall system tag target tcl test text than that the this time timeout title token trace traffic transport true type uint unit update uri url use user using util val validate value var vault vec vector verify via video view wait warn web width win with word wrap write writer wrong xdr xml your`)

// derived are endings of words that people do not choose for a passphrase.
var derived = strings.Fields("ion ions ing ed able ible ity ment ments ive ize ance ence ous ical izer ator ors ers ies ship ness less ful ally ently antly ously ively")

// fields returns how many words are in v.
func fields(v string) (n int) {
	for range strings.FieldsSeq(v) {
		n++
	}
	return n
}
