package redact

import (
	"strings"
	"unicode/utf8"
)

// The rules of this family know a secret only by the name it is given: "password: …", API_KEY=…, "clientSecret":"…",
// --token …. They stand in ordinary text more often than all others, so they are scanned by hand, without an expression.
var assignments = [...]Rule{
	{
		Name: "password-assignment", Kind: "password", Finds: "a value assigned to a name with password, passwd, pwd or passphrase in it",
		Keywords: []string{"password", "passwd", "passphrase", "passcode", "pwd", "_pass"}, Fold: true,
		find: passwordNamed, generic: true,
	},
	{
		Name: "password-assignment-cjk", Kind: "password", Finds: "a password named in Korean, Japanese or Chinese",
		Keywords: []string{"비밀번호", "패스워드", "비번", "암호", "パスワード", "パスフレーズ", "暗証番号", "密码", "密碼", "口令"},
		find:     passwordNamedInCJK, generic: true,
	},
	{
		Name: "secret-assignment", Kind: "secret", Finds: "a value assigned to a name with secret in it",
		Keywords: []string{"secret"}, Fold: true, find: secretNamed, generic: true,
	},
	{
		Name: "secret-assignment-cjk", Kind: "secret", Finds: "a secret named in Korean, Japanese or Chinese",
		Keywords: []string{"시크릿", "비밀키", "비밀 키", "シークレット", "秘密鍵", "密钥", "密鑰"},
		find:     secretNamedInCJK, generic: true,
	},
	{
		Name: "token-assignment", Kind: "token", Finds: "a value assigned to a name with token in it",
		Keywords: []string{"token"}, Fold: true, find: randomNamed, generic: true,
	},
	{
		Name: "token-assignment-cjk", Kind: "token", Finds: "a token named in Korean, Japanese or Chinese",
		Keywords: []string{"토큰", "トークン", "令牌"}, find: secretNamedInCJK, generic: true,
	},
	{
		Name: "key-assignment", Kind: "api-key", Finds: "a value assigned to an API, access, signing or encryption key",
		Keywords: []string{
			"api_key", "apikey", "api-key", "api key", "access_key", "accesskey", "access-key", "auth_key", "authkey", "auth-key",
			"private_key", "privatekey", "private-key", "account_key", "accountkey", "signing_key", "signingkey", "signing-key",
			"encryption_key", "encryptionkey", "encryption-key", "master_key", "master-key", "subscription-key",
		}, Fold: true,
		find: randomNamed, generic: true,
	},
	{
		Name: "key-assignment-cjk", Kind: "api-key", Finds: "an API or access key named in Korean, Japanese or Chinese",
		Keywords: []string{"API 키", "API키", "액세스 키", "액세스키", "APIキー", "API キー", "アクセスキー"},
		find:     secretNamedInCJK, generic: true,
	},
	{
		Name: "password-named", Kind: "password", Finds: "a value assigned to a name that ends with pass or pw, or that is a password's in another language",
		Keywords: []string{
			// Parts that are seldom in other words, which lead to contrasena, senha, parola, haslo, heslo, kennwort, and so on.
			"pass", "psk", "pswd", "passwort", "passord", "passe", "rasena", "raseña", "rasenya", "nha", "arola", "sifre", "aslo",
			"eslo", "jelszo", "asana", "enord", "adgangskode", "lozinka", "sandi", "tkhau", "wachtwoord", "nnwort",
			"пароль", "Пароль", "ПАРОЛЬ", "lösenord", "şifre", "Şifre", "hasło", "jelszó", "mật khẩu", "κωδικός", "סיסמה",
		}, Fold: true,
		find: byItsName, generic: true,
	},
	{
		Name: "pw-named", Kind: "password", Finds: "a value assigned to a name that ends with pw",
		Keywords: []string{"pw=", "pw:", `pw"`, "pw'", `pw\`, "pw "}, Fold: true, generic: true,
		find: func(s string, at, _ int) (int, int) { return byItsName(s, at, at+len("pw")) },
	},
	{
		Name: "code-named", Kind: "one-time-code", Finds: "a number of 4 to 8 digits assigned to a name that ends with otp, totp or pin",
		Keywords: []string{`"pin`, "'pin", "_pin", `"otp`, "'otp", "_otp", "otp="}, Fold: true, find: codeNamed, generic: true,
	},
	{
		Name: "credential-named", Kind: "credential", Finds: "a value assigned to a name that ends with credential or cred",
		Keywords: []string{"cred", "creds", "credential", "credentials"}, Fold: true, find: byItsName, generic: true,
	},
	{
		Name: "key-named", Kind: "api-key", Finds: "a value that looks random, assigned to a name that ends with key",
		Keywords: []string{"key"}, Fold: true, find: byItsName, generic: true,
	},
	{
		Name: "auth-named", Kind: "authorization", Finds: "a value that looks random, assigned to a name that ends with auth",
		Keywords: []string{"auth"}, Fold: true, find: byItsName, generic: true,
	},
	{
		Name: "jwt-named", Kind: "token", Finds: "a value that looks random, assigned to a name that ends with jwt or bearer",
		Keywords: []string{"jwt", "bearer"}, Fold: true, find: byItsName, generic: true,
	},
}

var _ = declare(assignments[:])

func passwordNamed(s string, at, end int) (int, int) {
	return assignment{loose: true}.find(s, at, end)
}

func passwordNamedInCJK(s string, at, end int) (int, int) {
	return assignment{loose: true, particles: true}.find(s, at, end)
}

func secretNamed(s string, at, end int) (int, int) {
	return assignment{}.find(s, at, end)
}

func randomNamed(s string, at, end int) (int, int) {
	return assignment{weak: true}.find(s, at, end)
}

func secretNamedInCJK(s string, at, end int) (int, int) {
	return assignment{particles: true}.find(s, at, end)
}

// byItsName finds the value of a name that senseOf knows and that ends with the keyword.
func byItsName(s string, at, end int) (int, int) {
	if end < len(s) && lower.has(s[end]) && s[end] != 's' || end < len(s) && upper.has(s[end]) && upper.has(s[end-1]) {
		return -1, -1 // only the beginning of a word
	}
	return assignment{senses: true}.find(s, at, end)
}

// codeNamed finds the code after a name that ends with otp or pin; the keyword has a byte beside it.
func codeNamed(s string, at, end int) (int, int) {
	if s[end-1] == '=' {
		return byItsName(s, at, end-1)
	}
	return byItsName(s, at+1, end)
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
	loose     bool // passwords are made by people: shorter, all letters or all digits
	weak      bool // what is named so is a secret only if it looks random
	senses    bool // the whole name is looked at, and sense says what it says
	sense     sense
	particles bool // the particle that marks the topic of a Korean or Japanese sentence may stand for a colon
}

// name says how the name of an assigned value is written, which says how much its value may look like code or prose.
type name struct {
	flag  bool // --password
	tag   bool // <password>
	query bool // ?token=
	env   bool // API_TOKEN= without blanks
	cell  bool // | API_TOKEN | … |
	call  bool // define("API_TOKEN", …), fill('#password', …)
	set   bool // set -x API_TOKEN …, config set API_TOKEN …
	said  bool // the password is …, log in with the password …
	long  bool // of more than one word: app_secret
	pair  bool // an argument PASSWORD=… of a command, or one of several such words
	// entry is a member "password": …, or a line of a file that consists of such lines: the name alone decides there.
	entry bool
}

// closing may stand between a name and its separator: config["password"] =, **Password**:, \"password\":.
const closing = `\"'` + "`]*"

func (a assignment) find(s string, at, end int) (from, to int) {
	start := at
	for start > 0 && at-start < longestName && word.has(s[start-1]) {
		start--
	}
	stop := end + word.run(clip(s[end:], longestTail))
	if a.senses {
		if a.sense = a.senseOf(s, start, stop); a.sense.rule == nil {
			return -1, -1
		}
		a.loose, a.weak = a.sense.how == byName || a.sense.how == byShape || a.sense.how == byPass, a.sense.how == byChance || a.sense.how == byKey
	} else if !secretName(s[start:at], s[end-1], s[end:stop]) {
		return -1, -1
	}
	if start > 0 && s[start-1] == ':' && stop < len(s) && s[stop] == ':' {
		return -1, -1 // arn:aws:secretsmanager:…:secret:…
	}
	if strings.HasSuffix(s[:start], "://") {
		return -1, -1 // the user in a URL, whose password has its own rule
	}
	n := name{flag: s[start] == '-', long: stop-start > len("passphrase") || strings.ContainsAny(s[start:stop], "_")}
	if start > 0 {
		before := s[max(0, start-longestWord):start]
		n.tag = before[len(before)-1] == '<'
		if end := stop + leading(clip(s[stop:], 2), `\"'`); end > stop && end < len(s) && s[end] == '>' && strings.IndexByte(s[max(0, start-longestName):start], '<') >= 0 {
			n.tag = true // <property name="password">
		}
		n.query = stop < len(s) && s[stop] == '=' && parameters(before)
		n.cell = strings.HasSuffix(strings.TrimRight(before, " `*"), "|")
		n.call = !strings.HasPrefix(s[stop:], "=") && called(s[max(0, start-longestTail):start])
		n.set = strings.Contains(before[max(0, len(before)-len("set -Ux ")):], "set -") || strings.HasSuffix(before, "set ") && strings.ContainsAny(s[start:stop], "_-")
		n.said = a.loose && told(before, s[stop:])
	}
	value, ok := a.separator(s, stop, n)
	if !ok {
		if last := s[stop-1] | 0x20; last == 's' && stop == end+1 {
			return -1, -1
		}
		return behind(s, start, stop)
	}
	encoded := strings.HasPrefix(s[stop:], "%3") // a parameter within one
	n.env = (n.set || stop+1 == value && s[stop] == '=') && lower.in(s[start:stop]) == 0

	from = value + constructor(s[value:])
	q, width := opening(s[from:])
	from += width
	if block, end := blockScalar(s, start, from); block >= 0 && q.close == "" {
		if senseOf(s[start:stop]).tells(clip(s[block:end], judged)) {
			return block, end
		}
		return -1, -1
	}
	plural, listed := !a.senses && stop == end+1 && s[end]|0x20 == 's', false
	if _, width := opening(s[min(len(s), from+1):]); q.close == "" && strings.HasPrefix(s[from:], "[") && width > 0 {
		from, listed = from+1, true
		q, width = opening(s[from:])
		from += width
	}
	if plural && !listed {
		return -1, -1
	}
	switch {
	case n.tag:
		if strings.HasPrefix(s[from:], cdata) {
			from += len(cdata)
			return judgedElement(s, from, from+indexOr(s[from:], "]\r\n"), senseOf(s[start:stop]))
		}
		to = from + indexOr(s[from:], "<\r\n")
		if !strings.HasPrefix(s[to:], "</") {
			return -1, -1 // <password> stands for one
		}
	case q.close != "":
		to = from + q.run(s[from:])
		if listed {
			// The literals of a list, from the first to the last on its line.
			if line := clip(s[to:], usualWindow); true {
				line = line[:indexOr(line, "]\r\n")]
				if i := strings.LastIndex(line, q.close); i > 0 {
					to += i
				}
			}
		}
		if joined(s[from:to], to < len(s) && strings.HasPrefix(s[to:], q.close)) {
			return -1, -1
		}
	case encoded:
		to = from + indexOr(s[from:from+bareRun(s[from:])], "%")
	default:
		to = from + bareRun(s[from:])
	}
	n.query = n.query || q.close == "" && s[value-1] == '=' && to < len(s) && s[to] == '&'
	n.pair = q.close == "" && (argumentPair(s, start, stop, value, to) || quotedPair(s, start, to))
	if n.call && q.close == "" {
		return behind(s, start, stop)
	}
	if n.cell && q.close == "" && !strings.HasPrefix(strings.TrimLeft(s[to:], " `"), "|") {
		return -1, -1
	}
	if q.close == "" && !n.tag && !a.weak {
		if end := to + indexOr(clip(s[to:], judged), "\r\n"); end > to && s[to] == ' ' && phrase(s[from:end]) && configLine(s, start, value, end) {
			return from, end
		}
	}
	if a.sense.how == byShape && !a.sense.tells(clip(s[from:to], judged)) {
		return -1, -1
	}
	n.entry = member(s, start, stop, value) && q.close != "" || q.close == "" && !n.tag && configLine(s, start, value, to)
	if a.sense == passSense && strings.EqualFold(strings.Trim(s[start:stop], "-_"), "pass") && !strings.HasPrefix(s[start:], "--") && !(lower.has(s[start]) && made(clip(s[from:to], judged))) && (n.flag || n.cell || q.close == "" && !n.entry && s[value-1] != '=') {
		return -1, -1 // PASS: TestX
	}
	if !a.plausible(clip(s[from:to], judged), n, n.tag || q.close != "") {
		if n.said || q.close == "" && (from == to || strings.ContainsAny(s[from:to], "({[")) {
			return behind(s, start, stop)
		}
		return -1, -1
	}
	return from, to
}

// senseOf says what the name s[start:stop] says. What is only called key may have the word before it that tells which.
func (assignment) senseOf(s string, start, stop int) sense {
	found := senseOf(s[start:stop])
	if found.how == byKey && start > 0 && s[start-1] == '.' {
		before := s[max(0, start-1-longestWord) : start-1]
		if asideKey().has(before[len(before)-trailing(before, lower|upper):]) {
			found.how = byChance // api.key
		}
	}
	if found.rule == namedKey && start > 0 && s[start-1] == ' ' {
		before := s[max(0, start-1-longestWord) : start-1]
		if besideKey().has(before[len(before)-trailing(before, lower|upper):]) {
			return sense{}
		}
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

// passSense is that of the word pass, which is also what tests do.
var passSense = sense{namedPassword, byPass}

// secretName reports whether a keyword that ends with the byte last names a secret inside the name head+keyword+tail. It does
// not when it is only the beginning of a word (tokens, secretary) or when the name is about a secret.
func secretName(head string, last byte, tail string) bool {
	if tail != "" && tail != "s" && tail != "S" {
		c := tail[0]
		if lower.has(c) || upper.has(c) && !lower.has(last) || about().has(lastWord(tail)) {
			return false
		}
	}
	return !beside().has(lastWord(head)) && !asking().has(head[:wordLen(head)])
}

// wordLen returns the length of the first word of what stands before a keyword in a name.
func wordLen(head string) int {
	if head == "" || !(lower | upper).has(head[0]) {
		return 0
	}
	return wordRun(head)
}

// separator returns where the value begins that belongs to the name that ends at i.
func (a assignment) separator(s string, i int, n name) (value int, ok bool) {
	if t := annotated(s[i:]); t > 0 {
		return i + t, true
	}
	i += leading(clip(s[i:], 8), closing)
	b := blanks(s[i:])
	i += b
	rest := s[i:]
	switch {
	case strings.HasPrefix(rest, "::"):
		return 0, false
	case n.tag && strings.HasPrefix(rest, ">"):
		return i + 1, true
	case n.flag && strings.HasPrefix(rest, ","):
		// ["--password", "…"]
	case n.said:
		for _, verb := range [...]string{"is ", "was "} {
			if strings.HasPrefix(rest, verb) {
				return i + len(verb), true
			}
		}
		return i, b > 0
	case n.set && b > 0:
		return i, true
	case n.flag && b > 0 && !strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, ":"):
		return i, true
	}
	w := 0
	for _, sep := range [...]string{"===", "==", "=>", ":=", "=", ":", "：", "＝", "%3D", "%3d"} {
		if strings.HasPrefix(rest, sep) {
			w = len(sep)
			break
		}
	}
	if w == 0 && (n.flag || n.call) && strings.HasPrefix(rest, ",") || w == 0 && n.cell && strings.HasPrefix(rest, "|") {
		w = 1
	}
	if w == 0 && a.particles {
		for _, p := range [...]string{"는", "은", "は"} {
			if strings.HasPrefix(rest, p) {
				w = len(p)
				break
			}
		}
	}
	if w == 0 {
		return 0, false
	}
	i += w
	if strings.HasPrefix(s[i:], "**") {
		i += len("**")
	}
	return i + blanks(s[i:]), true
}

// stringTypes are the types that stand between a name and its value in Go, Python, Rust, Swift and the like.
var stringTypes = [...]string{"string", "String", "str", "&str", "&'static str", "SecretStr", "[]byte", "std::string"}

// annotated returns the width of a type and the equals sign after it, with the blanks around them: ": str = ".
func annotated(s string) int {
	i := blanks(s)
	if strings.HasPrefix(s[i:], ":") {
		i++
		i += blanks(s[i:])
	}
	for _, t := range stringTypes {
		if !strings.HasPrefix(s[i:], t) {
			continue
		}
		j := i + len(t)
		j += blanks(s[j:])
		if strings.HasPrefix(s[j:], "=") && i > 0 {
			j++
			return j + blanks(s[j:])
		}
	}
	return 0
}

// called reports whether what stands before a name shows that it is the first argument of a call, alone or in a selector:
// define("API_TOKEN", fill('input[name="password"].
func called(before string) bool {
	i := strings.LastIndexByte(before, '(')
	for i >= 0 && i+1 < len(before) && before[i+1] == ' ' {
		i++ // define( 'API_TOKEN'
	}
	if i < 0 || i+1 == len(before) || strings.IndexByte("\"'`\\", before[i+1]) < 0 {
		return false
	}
	return strings.Trim(before[i+1:], `abcdefghijklmnopqrstuvwxyz#.[]="'-_@/*\`+"`") == ""
}

// argumentPair reports whether NAME=value is a word of a command or of a connection string, and not an assignment in code.
func argumentPair(s string, start, stop, value, to int) bool {
	if start == 0 || value != stop+1 || s[stop] != '=' || to < len(s) && strings.IndexByte(" \t\r\n\"'\\", s[to]) < 0 {
		return false
	}
	switch s[start-1] {
	case '"', '\'', '=':
		return true
	case ' ':
		before := strings.TrimRight(s[max(0, start-longestTail):start], " ")
		return before != "" && (alnum.has(before[len(before)-1]) || strings.IndexByte("\"'/%=+-_.", before[len(before)-1]) >= 0)
	}
	return false
}

// quotedPair reports whether NAME: value is all that stands between two quotes, as the argument for a header.
func quotedPair(s string, start, to int) bool {
	return start > 1 && to < len(s) && strings.IndexByte(`"'`, s[to]) >= 0 && s[start-1] == s[to] && strings.IndexByte(" =(", s[start-2]) >= 0
}

const cdata = "<![CDATA["

// judgedElement returns s[from:to], the text of an element, when it is a secret.
func judgedElement(s string, from, to int, said sense) (int, int) {
	if !said.tells(clip(s[from:to], judged)) {
		return -1, -1
	}
	return from, to
}

// blockScalar returns where the lines below a name are that YAML takes for its value: "secret: |". The value stands at from.
func blockScalar(s string, start, from int) (first, end int) {
	if from == len(s) || s[from] != '|' && s[from] != '>' {
		return -1, -1
	}
	i := from + 1 + leading(clip(s[from+1:], 3), "+-123456789")
	i += gap.run(s[i:])
	if i == len(s) || s[i] != '\n' {
		return -1, -1
	}
	indent := gap.run(s[lineBegin(s, start):])
	first = -1
	for i < len(s) {
		i++
		line := s[i : i+indexOr(s[i:], "\r\n")]
		n := gap.run(line)
		if n <= indent || n == len(line) {
			break
		}
		if first < 0 {
			first = i + n
		}
		i += len(line)
		end = i
		if i < len(s) && s[i] == '\r' {
			i++
		}
	}
	if first < 0 {
		return -1, -1
	}
	return first, end
}

// constructors stand before a quoted literal without changing what it says.
var constructors = [...]string{"[]byte(", "String::from(", "SecretStr(", "b", "r", "f", "u", "@", "L"}

// constructor returns the width of a constructor at the start of s that a quote follows.
func constructor(s string) int {
	for _, c := range constructors {
		if strings.HasPrefix(s, c) && len(s) > len(c) && (s[len(c)] == '"' || s[len(c)] == '\'') {
			return len(c)
		}
	}
	return 0
}

// quote is what surrounds a value. The zero value means nothing does.
type quote struct {
	close   string
	escapes int // backslashes before each quote: text that is a string inside of JSON has one, inside of two strings three
}

// opening returns the quote at the start of s and its width.
func opening(s string) (q quote, width int) {
	for width < len(s) && width < 15 && s[width] == '\\' {
		width++
	}
	for _, pair := range [...][2]string{{`"""`, `"""`}, {"'''", "'''"}, {`"`, `"`}, {`'`, `'`}, {"`", "`"}, {"“", "”"}, {"‘", "’"}, {"「", "」"}, {"『", "』"}} {
		if strings.HasPrefix(s[width:], pair[0]) {
			return quote{close: pair[1], escapes: width}, width + len(pair[0])
		}
	}
	return quote{}, 0
}

// run returns the length of the value at the start of s, up to the closing quote or the end of the line.
func (q quote) run(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n', c == '\r', strings.HasPrefix(s[i:], q.close):
			return i
		case c == '\\':
			n := 1
			for i+n < len(s) && s[i+n] == '\\' {
				n++
			}
			if strings.HasPrefix(s[i+n:], q.close) {
				switch {
				case q.escapes > 0 && n <= q.escapes:
					return i
				case q.escapes == 0 && n%2 == 0:
					return i + n
				}
				n++
			}
			i += n - 1
		}
	}
	return len(s)
}

// joined reports whether what follows a quote shows that the quote did not open a value but closed the text before it:
// "PWD="+dir) and ["token=", next].
func joined(v string, closed bool) bool {
	if v == "" {
		return false
	}
	switch v[0] {
	case ' ', '\t', ',', ';', ')', '}':
		return true
	case '+':
		return !closed || v[len(v)-1] == '+'
	}
	return false
}

// bareRun returns the length of the unquoted value at the start of s. An escaped line break or quote ends it, since the text
// may be a string inside of JSON, and so does a letter of a script in which no passwords are written.
func bareRun(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case stop.has(c), c == '\\' && i+1 < len(s) && strings.IndexByte(`nrt"'\`, s[i+1]) >= 0:
			return i
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r >= firstWide {
				return i
			}
			i += n
		}
	}
	return len(s)
}

// firstWide is the first rune, a Hangul letter, after those of the alphabets that passwords are written in. The rune that
// stands for invalid bytes lies after it too.
const firstWide = 0x1100

// blanks returns the width of the blanks at the start of s, at most longestBlank.
func blanks(s string) int {
	n := 0
	for n < longestBlank {
		switch {
		case n < len(s) && gap.has(s[n]):
			n++
		case strings.HasPrefix(s[n:], "\u3000"):
			n += len("\u3000")
		default:
			return n
		}
	}
	return n
}

// indexOr returns where the first of the bytes of set stands in s, or len(s).
func indexOr(s, set string) int {
	if i := strings.IndexAny(s, set); i >= 0 {
		return i
	}
	return len(s)
}

// lineBegin returns where the line of s[at] begins, or a place within it when that is further than the usual window.
func lineBegin(s string, at int) int {
	near := max(0, at-usualWindow)
	return near + strings.LastIndexByte(s[near:at], '\n') + 1
}

// leading returns how many bytes at the start of s are among those of set.
func leading(s, set string) int { return len(s) - len(strings.TrimLeft(s, set)) }

func clip(s string, n int) string { return s[:min(n, len(s))] }
