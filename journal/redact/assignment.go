package redact

import (
	"strings"
	"unicode/utf8"
)

// The rules of this family know a secret only by the name it is given: "password: …", API_KEY=…, "clientSecret":"…",
// --token …. They stand in ordinary text more often than all others, so they are scanned by hand, without an expression.
var _ = declare([]Rule{
	naming("password-assignment", "password", assigned, "a value assigned to a name with password, passwd, pwd or passphrase in it", "password", "passwd", "passphrase", "passcode", "pwd", "_pass"),
	naming("password-assignment-cjk", "password", assignedInCJK, "a password named in Korean, Japanese or Chinese", "비밀번호", "패스워드", "비번", "암호", "パスワード", "パスフレーズ", "暗証番号", "暗証フレーズ", "パスコード", "비밀 번호", "핀번호", "通行码", "密码", "密碼", "口令"),
	naming("secret-assignment", "secret", assigned, "a value assigned to a name with secret in it", "secret"),
	naming("secret-assignment-cjk", "secret", assignedInCJK, "a secret named in Korean, Japanese or Chinese", "시크릿 키", "시크릿키", "シークレットキー", "시크릿", "비밀키", "비밀 키", "シークレット", "秘密鍵", "密钥", "密鑰", "秘钥", "개인키", "секрет", "Секрет", "geheim"),
	naming("token-assignment", "token", assigned, "a value assigned to a name with token in it", "token", "authtok"),
	naming("token-assignment-cjk", "token", assignedInCJK, "a token named in Korean, Japanese or Chinese", "토큰", "トークン", "令牌", "токен", "Токен", "jeton"),
	naming("key-assignment-cjk", "api-key", assignedInCJK, "an API or access key named in Korean, Japanese or Chinese", "api 키", "api키", "액세스 키", "액세스키", "apiキー", "api キー", "アクセスキー", "증키", "증 키", "화키", "화 키", "유키", "유 키", "안 키", "안키", "크 키", "크키", "化キー", "ティキー", "ワークキー", "共有キー", "号キー", "号鍵", "共有鍵", "서비스키", "서비스 키", "schlüssel", "ключ api", "Ключ api", "ключ", "Ключ", "КЛЮЧ", "clé api", "clé d'api", "clé secrète", "clé d'accès", "clé privée", "clé wi", "clé réseau", "clé de sécurité", "접근키", "접근 키", "証キー", "授权码", "chave da api", "chave de api", "chave api", "chave secreta", "chave de acesso", "clave api", "clave de api", "clave secreta", "clave de acceso", "clave privada", "llave", "hiave api", "hiave segreta", "sleutel", "nyckel", "klucz", "κλειδί"),
	naming("password-named", "password", assigned, "a value assigned to a name that ends with pass or pw, or that is a password's in another language", "pass", "psk", "pswd", "passwort", "passord", "passe", "rasena", "raseña", "rasenya", "nha", "arola", "sifre", "aslo", "eslo", "jelszo", "asana", "enord", "adgangskode", "kodeord", "lozinka", "clave", "sandi", "tkhau", "wachtwoord", "nnwort", "пароль", "Пароль", "lösenord", "lösenordet", "şifre", "Şifre", "hasło", "jelszó", "mật khẩu", "κωδικός", "паролем", "סיסמה", "पासवर्ड", "كلمة المرور", "كلمة السر", "hasłem", "mdp", "รหัสผ่าน", "пин-код", "ПАРОЛЬ", "пароля", "Κωδικός", "arool", "salasanan", "heslem", "rolă", "парола", "şifrə", "deword"),
	{Name: "pw-named", Kind: "password", Finds: "a value assigned to a name that ends with pw", Keywords: []string{"pw=", "pw:", `pw"`, "pw'", `pw\"`, "pw ", "pw<", "pw>", "pw)", "pw]", "pw}"}, Fold: true, generic: true, find: func(s string, at, _ int) (int, int) { return assigned(s, at, at+len("pw")) }},
	{Name: "code-named", Kind: "one-time-code", Finds: "the digits of a name that ends with pin, puk or otp", Keywords: []string{"pin:", "pin=", "pin is", "pin code", "puk:", "puk=", "puk is", "otp:", "otp=", "otp is"}, Fold: true, generic: true, find: func(s string, at, _ int) (int, int) { return assigned(s, at, at+len("pin")) }},
	naming("credential-named", "credential", assigned, "a value assigned to a name that ends with credential or cred", "cred", "creds", "credential", "credentials"),
	naming("pepper-named", "secret", assigned, "a value that looks random, assigned to a name that ends with pepper", "pepper", "ncrypt"),
	naming("key-named", "api-key", assigned, "a value assigned to a name with key or salt in it: an API, access, signing or encryption key, or what looks random", "key", "salt"),
	naming("auth-named", "authorization", assigned, "a value that looks random, assigned to a name that ends with auth", "auth"),
	naming("jwt-named", "token", assigned, "a value that looks random, assigned to a name that ends with jwt, bearer or pat", "jwt", "bearer", "_pat"),
})

// naming gives a rule whose keywords are names, or parts of them.
func naming(name, kind string, find func(s string, at, end int) (from, to int), finds string, names ...string) Rule {
	return Rule{Name: name, Kind: kind, Finds: finds, Keywords: names, Fold: true, find: find, generic: true}
}

func assigned(s string, at, end int) (int, int) { return assignment{}.find(s, at, end) }

func assignedInCJK(s string, at, end int) (int, int) {
	return assignment{particles: true}.find(s, at, end)
}

// The parts of an assignment are bounded, so that the window decides: name, blanks, and the bytes of a value that
// say whether it is a secret.
const longestName, longestTail, longestBlank, judged = 64, 40, 64, 128

// assignment finds the value that follows a keyword.
type assignment struct {
	particles bool // the particle that marks the topic of a Korean or Japanese sentence may stand for a colon
}

// name says how the name of an assigned value is written, which says where the value is.
type name struct {
	at    int  // where it begins
	flag  bool // --password
	tag   bool // <password>
	query bool // ?token=
	cell  bool // | API_TOKEN | … |
	call  bool // define("API_TOKEN", …), fill('#password', …)
}

// instances are last parts of the names of settings that say whose value it is.
var instances = words("value prod production staging dev development test live main default primary secondary current local")

// closing may stand between a name and its separator: config["password"] =, **Password**:, \"password\":.
const closing = `\"'` + "`]*"

func (a assignment) find(s string, at, end int) (from, to int) {
	if end < len(s) && (lower.has(s[end]) && s[end] != 's' && lower.has(s[end-1]|0x20) || upper.has(s[end]) && upper.has(s[end-1]) && s[end] != 'S') {
		return -1, -1 // only the beginning of a word
	}
	start := at - trailing(s[max(0, at-longestName):at], word)
	stop := end + word.run(clip(s[end:], longestTail))
	if stop < len(s) && s[stop] == '.' {
		if n := 1 + word.run(clip(s[stop+1:], longestTail)); stop+n < len(s) && strings.IndexByte("=: ", s[stop+n]) >= 0 && instances().has(s[stop+1:stop+n]) {
			stop += n // admin.password.prod=…
		}
	}
	if start > 0 && s[start-1] == ':' && uint(trailing(s[max(0, start-longestWord):start-1], digit)-1) > 4 && stop < len(s) && s[stop] == ':' && !strings.HasPrefix(s[stop:], ": ") || strings.HasSuffix(s[:start], "://") || strings.HasSuffix(s[:start], "checksum/") || strings.HasSuffix(s[:start], "::") && strings.HasPrefix(s[stop:], `"`) || strings.HasPrefix(s[stop:], "=") && endsDigest(s[:stop]) {
		return -1, -1 // arn:aws:secretsmanager:…:secret:…, the user in a URL, whose password has its own rule, and a digest
	}
	if start > 0 && s[start-1] == '\\' && (s[start] == '-' || s[start] == 'f') {
		return -1, -1 // the source of a manual page
	}
	n := nameAt(s, start, stop)
	value, ok := a.separator(s, stop, n)
	if !ok {
		return unjoined(s, start, stop)
	}
	if d := digit.run(s[value:]); d > 0 && value+d < len(s) && strings.IndexByte(",})] ", s[value+d]) >= 0 && s[at]|0x20 == 't' {
		return -1, -1 // a count of tokens
	}
	said := a.senseOf(s, start, stop)
	if said.rule == namedKey && said.how <= byChance && said.how != meta {
		if above := heading(s, start); above != "" {
			if in := senseOf(above); in.strong() || in.rule == namedToken || senseOf(above+"_key").how == byName {
				said.how = byName // encryption: key: …
			}
		} else if remark := strings.TrimLeft(lineAbove(s, start), " \t"); prefixOf(remark, "#", "//", ";") > 0 && named(remark) {
			said.how = byName // # the secret shared with …
		}
		if said.how == byKey && foldContains(s[max(0, start-2*far):min(len(s), start+2*far)], accounts) {
			said.how = byShape
		}
	}
	return site{text: s, start: start, stop: stop, value: value, name: n, sense: said}.find()
}

// accounts are parts of names that stand beside a key as a user stands beside a password.
var accounts = []string{"ssid", "encryption", "psk", "keyid", "key_id", "key-id", "bucket", "endpoint", "radius", "tacacs"}

// lineAbove returns the line above that of s[at].
func lineAbove(s string, at int) string {
	end := max(0, lineBegin(s, at)-1)
	return s[lineBegin(s, end):end]
}

// unjoined finds the value of a name that no colon or equals sign follows.
func unjoined(s string, start, stop int) (from, to int) {
	promising, ahead := look(clip(s[stop:], far))
	if from, to = -1, -1; promising || strings.HasPrefix(s[stop:], "(") {
		from, to = behind(s, start, stop)
	}
	begin := start
	if start > 1 && (s[start-1] == ' ' && (word.has(s[start-2]) || s[start-2] >= utf8.RuneSelf) || s[start-1] >= utf8.RuneSelf) {
		near := max(0, start-far)
		near += strings.LastIndexByte(s[near:start], '\n') + 1
		if _, strange := look(s[near:start]); strange > 0 {
			begin = near
		}
	}
	if from < 0 && begin < start {
		from, to = usedAs(s, start)
	}
	if from < 0 {
		from, to = printed(s, start, stop)
	}
	if from < 0 && (promising || ahead > 0 || begin < start) {
		from, to = lone(s, begin, start, stop, ahead)
	}
	return from, to
}

// endsDigest reports whether s ends with base64 that chance made, before what fills it up.
func endsDigest(s string) bool {
	n := trailing(s[max(0, len(s)-longestName):], base64|underscore|hyphen)
	return n >= leastRandom+leastRandom/2 && chance(s[len(s)-n:])
}

// nameAt says how the name s[start:stop] is written.
func nameAt(s string, start, stop int) name {
	n := name{at: start, flag: s[start] == '-'}
	if start == 0 {
		return n
	}
	before := s[max(0, start-longestWord):start]
	switch s[start-1] {
	case '<', '.', ':':
		far := s[max(0, start-longestName):start]
		far = far[:len(far)-trailing(far, dotted)]
		n.tag = strings.HasSuffix(far, "<") || strings.HasSuffix(far, ":") && strings.HasSuffix(far[:len(far)-1-trailing(far[:len(far)-1], word)], "<")
	}
	if strings.IndexByte("\"'\\", s[min(stop, len(s)-1)]) >= 0 {
		end := stop + leading(clip(s[stop:], 2), `\"'`) // <property name="password">
		n.tag = end > stop && end < len(s) && s[end] == '>' && strings.IndexByte("/#-", s[start-1]) < 0 && strings.IndexByte(s[max(0, start-longestName):start], '<') >= 0
	}
	n.query = stop < len(s) && s[stop] == '=' && parameters(before)
	if mark := strings.TrimRight(before[:len(before)-trailing(before, lower|upper|gap)], " `*"); strings.HasSuffix(mark, "|") || strings.HasSuffix(mark, "\n") {
		line := strings.TrimLeft(s[lineBegin(s, start):start], " \t#+-")
		n.cell = strings.HasPrefix(line, "|") || strings.Contains(s[max(0, start-usualWindow):start], "-+-") || strings.Contains(s[max(0, start-usualWindow):start], "-[ RECORD")
	}
	n.call = strings.IndexByte("\"'`\\#.]@=", s[start-1]) >= 0 && !strings.HasPrefix(s[stop:], "=") && called(s[max(0, start-longestTail):start])
	return n
}

// senseOf says what the name s[start:stop] says. What is only called key may have the word before it that tells which, and
// pass the one whose verb it is.
func (assignment) senseOf(s string, start, stop int) sense {
	found := senseOf(s[start:stop])
	if start == 0 || found.rule != namedKey && found.rule != namedToken && found != passSense {
		return found
	}
	before := s[max(0, start-1-longestWord) : start-1]
	before = before[len(before)-trailing(before, lower|upper):]
	switch joint := s[start-1]; {
	case joint != '.' && joint != ' ' || before == "" || s[start] == '-':
	case found == passSense && joint == ' ' && passes().has(before):
		return sense{}
	case found.how == byKey && besideKey().has(before) && !directive(s[lineBegin(s, start):start]):
		return sense{}
	case found.rule == namedKey && (found.how == byKey || found.how == byChance) && sealedKeys().has(before), found.rule == namedToken && joint == '.' && qualifiers().has(before):
		found.how = byName // api.key, Api Key
	}
	return found
}

// trailing returns how many bytes at the end of s are in the set.
func trailing(s string, set charset) int {
	n := 0
	for n < len(s) && set.has(s[len(s)-1-n]) {
		n++
	}
	return n
}
