package redact

import "strings"

// The rules of this family know a secret only by the name it is given: "password: …", API_KEY=…, "clientSecret":"…",
// --token …. They stand in ordinary text more often than all others, so they are scanned by hand, without an expression.
var assignments = [...]Rule{
	{
		Name: "password-assignment", Kind: "password", Finds: "a value assigned to a name with password, passwd, pwd or passphrase in it",
		Keywords: []string{"password", "passwd", "passphrase", "passcode", "pwd", "_pass"}, Fold: true,
		find: assigned, generic: true,
	},
	{
		Name: "password-assignment-cjk", Kind: "password", Finds: "a password named in Korean, Japanese or Chinese",
		Keywords: []string{"비밀번호", "패스워드", "비번", "암호", "パスワード", "パスフレーズ", "暗証番号", "密码", "密碼", "口令"},
		find:     assignedInCJK, generic: true,
	},
	{
		Name: "secret-assignment", Kind: "secret", Finds: "a value assigned to a name with secret in it",
		Keywords: []string{"secret"}, Fold: true, find: assigned, generic: true,
	},
	{
		Name: "secret-assignment-cjk", Kind: "secret", Finds: "a secret named in Korean, Japanese or Chinese",
		Keywords: []string{"시크릿", "비밀키", "비밀 키", "シークレット", "秘密鍵", "密钥", "密鑰"},
		find:     assignedInCJK, generic: true,
	},
	{
		Name: "token-assignment", Kind: "token", Finds: "a value assigned to a name with token in it",
		Keywords: []string{"token"}, Fold: true, find: assigned, generic: true,
	},
	{
		Name: "token-assignment-cjk", Kind: "token", Finds: "a token named in Korean, Japanese or Chinese",
		Keywords: []string{"토큰", "トークン", "令牌"}, find: assignedInCJK, generic: true,
	},
	{
		Name: "key-assignment", Kind: "api-key", Finds: "a value assigned to an API, access, signing or encryption key",
		Keywords: []string{
			"api_key", "apikey", "api-key", "api key", "access_key", "accesskey", "access-key", "auth_key", "authkey", "auth-key",
			"private_key", "privatekey", "private-key", "account_key", "accountkey", "signing_key", "signingkey", "signing-key",
			"encryption_key", "encryptionkey", "encryption-key", "master_key", "master-key", "subscription-key",
		}, Fold: true,
		find: assigned, generic: true,
	},
	{
		Name: "key-assignment-cjk", Kind: "api-key", Finds: "an API or access key named in Korean, Japanese or Chinese",
		Keywords: []string{"API 키", "API키", "액세스 키", "액세스키", "APIキー", "API キー", "アクセスキー", "인증키", "인증 키"},
		find:     assignedInCJK, generic: true,
	},
	{
		Name: "password-named", Kind: "password", Finds: "a value assigned to a name that ends with pass or pw, or that is a password's in another language",
		Keywords: []string{
			// Parts that are seldom in other words, which lead to contrasena, senha, parola, haslo, heslo, kennwort, and so on.
			"pass", "psk", "pswd", "passwort", "passord", "passe", "rasena", "raseña", "rasenya", "nha", "arola", "sifre", "aslo",
			"eslo", "jelszo", "asana", "enord", "adgangskode", "lozinka", "sandi", "tkhau", "wachtwoord", "nnwort",
			"пароль", "Пароль", "ПАРОЛЬ", "lösenord", "şifre", "Şifre", "hasło", "jelszó", "mật khẩu", "κωδικός", "סיסמה",
		}, Fold: true,
		find: assigned, generic: true,
	},
	{
		Name: "pw-named", Kind: "password", Finds: "a value assigned to a name that ends with pw",
		Keywords: []string{"pw=", "pw:", `pw"`, "pw'", `pw\`, "pw "}, Fold: true, generic: true,
		find: func(s string, at, _ int) (int, int) { return assigned(s, at, at+len("pw")) },
	},
	{
		Name: "code-named", Kind: "one-time-code", Finds: "a number of 4 to 8 digits assigned to a name that ends with otp, totp or pin",
		Keywords: []string{`"pin`, "'pin", "_pin", `"otp`, "'otp", "_otp", "otp="}, Fold: true, find: codeNamed, generic: true,
	},
	{
		Name: "credential-named", Kind: "credential", Finds: "a value assigned to a name that ends with credential or cred",
		Keywords: []string{"cred", "creds", "credential", "credentials"}, Fold: true, find: assigned, generic: true,
	},
	{
		Name: "key-named", Kind: "api-key", Finds: "a value that looks random, assigned to a name that ends with key",
		Keywords: []string{"key"}, Fold: true, find: assigned, generic: true,
	},
	{
		Name: "auth-named", Kind: "authorization", Finds: "a value that looks random, assigned to a name that ends with auth",
		Keywords: []string{"auth"}, Fold: true, find: assigned, generic: true,
	},
	{
		Name: "jwt-named", Kind: "token", Finds: "a value that looks random, assigned to a name that ends with jwt or bearer",
		Keywords: []string{"jwt", "bearer"}, Fold: true, find: assigned, generic: true,
	},
}

var _ = declare(assignments[:])

func assigned(s string, at, end int) (int, int) { return assignment{}.find(s, at, end) }

func assignedInCJK(s string, at, end int) (int, int) {
	return assignment{particles: true}.find(s, at, end)
}

// codeNamed finds the code after a name that ends with otp or pin; the keyword has a byte beside it.
func codeNamed(s string, at, end int) (int, int) {
	if s[end-1] == '=' {
		return assigned(s, at, end-1)
	}
	return assigned(s, at+1, end)
}

// The parts of an assignment are bounded, so that the window decides: name, blanks, value.
const (
	longestName  = 64
	longestTail  = 40
	longestBlank = 64
	judged       = 128 // bytes of a value that say whether it is a secret
)

// assignment finds the value that follows a keyword.
type assignment struct {
	particles bool // the particle that marks the topic of a Korean or Japanese sentence may stand for a colon
}

// name says how the name of an assigned value is written, which says where the value is.
type name struct {
	flag  bool // --password
	tag   bool // <password>
	query bool // ?token=
	cell  bool // | API_TOKEN | … |
	call  bool // define("API_TOKEN", …), fill('#password', …)
	set   bool // set -x API_TOKEN …, ENV API_TOKEN …
	said  bool // the password is …, log in with the password …
}

// closing may stand between a name and its separator: config["password"] =, **Password**:, \"password\":.
const closing = `\"'` + "`]*"

func (a assignment) find(s string, at, end int) (from, to int) {
	if end < len(s) && (lower.has(s[end]) && s[end] != 's' && lower.has(s[end-1]|0x20) || upper.has(s[end]) && upper.has(s[end-1]) && s[end] != 'S') {
		return -1, -1 // only the beginning of a word
	}
	start := at
	for start > 0 && at-start < longestName && word.has(s[start-1]) {
		start--
	}
	stop := end + word.run(clip(s[end:], longestTail))
	if start > 0 && s[start-1] == ':' && stop < len(s) && s[stop] == ':' || strings.HasSuffix(s[:start], "://") {
		return -1, -1 // arn:aws:secretsmanager:…:secret:…, and the user in a URL, whose password has its own rule
	}
	n := nameAt(s, start, stop)
	value, ok := a.separator(s, stop, n)
	if !ok {
		return behind(s, start, stop)
	}
	said := a.senseOf(s, start, stop)
	if said.rule == nil || said.how == meta {
		return -1, -1
	}
	if n.said && said.how < byPass {
		return behind(s, start, stop)
	}
	return site{text: s, start: start, stop: stop, value: value, name: n, sense: said}.find()
}

// nameAt says how the name s[start:stop] is written.
func nameAt(s string, start, stop int) name {
	n := name{flag: s[start] == '-'}
	if start == 0 {
		return n
	}
	before := s[max(0, start-longestWord):start]
	far := s[max(0, start-longestName):start]
	n.tag = strings.HasSuffix(far[:len(far)-trailing(far, dotted)], "<") || strings.HasSuffix(before, ":") && strings.HasSuffix(before[:len(before)-1-trailing(before[:len(before)-1], word)], "<")
	if end := stop + leading(clip(s[stop:], 2), `\"'`); end > stop && end < len(s) && s[end] == '>' && strings.IndexByte(s[max(0, start-longestName):start], '<') >= 0 {
		n.tag = true // <property name="password">
	}
	n.query = stop < len(s) && s[stop] == '=' && parameters(before)
	if mark := strings.TrimRight(before, " `*"); strings.HasSuffix(mark, "|") || strings.HasSuffix(mark, "│") {
		line := strings.TrimLeft(s[lineBegin(s, start):start], " \t")
		n.cell = strings.HasPrefix(line, "|") || strings.HasPrefix(line, "│")
	}
	n.call = !strings.HasPrefix(s[stop:], "=") && called(s[max(0, start-longestTail):start])
	n.set = strings.Contains(before[max(0, len(before)-len("set -Ux ")):], "set -") || strings.HasSuffix(before, "set ") && strings.ContainsAny(s[start:stop], "_-") ||
		lower.in(s[start:stop]) == 0 && (strings.HasSuffix(before, "ENV ") || strings.HasSuffix(before, "setx "))
	n.said = told(before, s[stop:])
	return n
}

// senseOf says what the name s[start:stop] says. What is only called key may have the word before it that tells which.
func (assignment) senseOf(s string, start, stop int) sense {
	found := senseOf(s[start:stop])
	if start == 0 || found.rule != namedKey && found.rule != namedToken {
		return found
	}
	before := s[max(0, start-1-longestWord) : start-1]
	before = before[len(before)-trailing(before, lower|upper):]
	switch joint := s[start-1]; {
	case joint != '.' && joint != ' ' || before == "" || s[start] == '-':
	case found.how == byKey && besideKey().has(before), found.how == byToken && beside().has(before):
		return sense{}
	case found.rule == namedKey && (found.how == byKey || found.how == byChance) && sealedKeys().has(before), found.rule == namedToken && joint == '.' && qualifiers().has(before):
		found.how = byName // api.key, Api Key
	case found.how == byKey && joint == '.' && asideKey().has(before):
		found.how = byChance
	}
	return found
}

// asideKey are words that say of the key behind their dot that it is secret.
var asideKey = words("api access secret private signing encryption auth master")

// trailing returns how many bytes at the end of s are in the set.
func trailing(s string, set charset) int {
	n := 0
	for n < len(s) && set.has(s[len(s)-1-n]) {
		n++
	}
	return n
}

