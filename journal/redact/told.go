package redact

import "strings"

// Secrets that sentences tell without a colon: "log in with admin / …", "use … as the password".
var _ = declare([]Rule{
	{Name: "user-and-password", Kind: "password", Finds: "the password behind a user and a slash in a sentence about an account: log in with admin / …", Keywords: []string{" / ", " with ", " using "}, find: toldToLogIn, generic: true},
	{Name: "login-pair", Kind: "password", Finds: "the password behind a user and a colon or a slash: default login: admin:…", Keywords: []string{"login", "credentials", "creds", "logon", "admin", "root", "log in with", "로그인", "계정", "접속", "アカウント", "账号", "zugangsdaten"}, Fold: true, generic: true, find: loginPair},
	{Name: "mnemonic", Kind: "mnemonic", Finds: "the words of a wallet's seed: mnemonic: … of 12 to 24 words", Keywords: []string{"mnemonic", "phrase", "words", "seed"}, Fold: true, find: seedWords, generic: true},
	{Name: "unseal-key", Kind: "unseal-key", Finds: "a key that unseals a vault: Unseal Key 1: …", Keywords: []string{"nseal key"}, Fold: true, generic: true, pattern: `(?i:nseal key)(?: \d+| \([^)]*\))*: +([\w+/=-]{20,})`, check: chance},
})

// logins are words of a sentence that tells how to log in.
var logins = []string{"login", "log in", "logon", "sign in", "signin", "account", "cred", "username", "user ", "admin", "wifi", "root", "zugangsdaten", "계정", "접속", "로그인", "아이디", "账号", "账户", "帐号", "登录", "アカウント", "ログイン", "konto", "cuenta", "compte"}

func toldToLogIn(s string, at, end int) (int, int) {
	const far = 64
	user := trailing(s[max(0, at-longestName):at], dotted) + strings.Count(s[max(0, at-2):at], "`")
	head := s[lineBegin(s, at):at]
	head = head[max(0, len(head)-far):]
	if s[at+1] != '/' {
		if !foldContains(head, logins[:6]) {
			return -1, -1
		}
		return sentenceWord(s, end)
	}
	if user < 2 || len(head) <= user || head[len(head)-user-1] == '/' || !foldContains(head[:len(head)-user], logins) {
		return -1, -1
	}
	return sentenceWord(s, end)
}

// loginPair finds the password behind a user, with nothing but a colon or a verb between the two and what announces them.
func loginPair(s string, at, end int) (int, int) {
	if end+1 < len(s) && (s[end] == ':' || s[end] == '/') && s[end+1] != ' ' {
		return sentenceWord(s, end+1) // admin:…
	}
	for _, glue := range [...]string{" 정보", "은", "는", "は", " is", " are", ":", "："} {
		if strings.HasPrefix(s[end:], glue) {
			end += len(glue)
		}
	}
	i := end + blanks(s[end:])
	user := (dotted).run(s[i:])
	if i == end || user < 2 || i+user == len(s) || s[i+user] != ':' && s[i+user] != '/' {
		return -1, -1
	}
	return sentenceWord(s, i+user+1)
}

// sentenceWord returns the word of a sentence at from when it is one that somebody chose as a password.
func sentenceWord(s string, from int) (int, int) {
	q, width := opening(s[from:])
	from += width
	to := from + indexOr(s[from:], " \t\r\n\"'`\\")
	if q.close != "" {
		to = from + q.value(s[from:])
	}
	if i := strings.IndexFunc(s[from:to], wide); i >= 0 {
		to = from + i
	}
	if q.close == "" {
		to = from + len(strings.TrimRight(s[from:to], ".,;:!?)"))
	}
	if i := strings.IndexByte(s[from:to], '='); i > 0 && named(s[from:from+i]) {
		return -1, -1 // an assignment, whose name stays
	}
	if v := clip(s[from:to], judged); v == "" || !(sense{namedPassword, byName}).sure(v) && !chosenWord(v) || pathlike(v) || v[0] == '-' || v[0] == '*' && selector(v) {
		return -1, -1
	}
	return from, to
}

// chosenWord reports whether v is a word as somebody joins them for a password: three or more that capitals or signs part, or so
// many letters as no word of a sentence has.
func chosenWord(v string) bool {
	if harmless(v) || len(v) < longWord || !letters.only(v) || lower.in(v) == 0 || strings.Contains(v, ".") {
		return false
	}
	humps := 1
	for i := 1; i < len(v); i++ {
		if upper.has(v[i]) && lower.has(v[i-1]) || !alnum.has(v[i]) {
			humps++
		}
	}
	const longestOfALanguage = 15
	return humps > 2 || humps == 1 && len(v) >= longestOfALanguage
}

// usedAs finds the word before "as the password", whose name begins at start.
func usedAs(s string, start int) (int, int) {
	at := strings.TrimRight(s[max(0, start-longestTail):start], " ")
	for _, article := range [...]string{" the", " my", " your", " its", " admin", " root", " api"} {
		at = strings.TrimRight(strings.TrimSuffix(at, article), " ")
	}
	if !strings.HasSuffix(at, " as") {
		return -1, -1
	}
	end := max(0, start-longestTail) + len(at) - len(" as")
	from := max(strings.LastIndexAny(s[:end], " \t\r\n")+1, end-usualWindow/2)
	v := strings.Trim(s[from:end], "`\"'")
	if v == "" {
		return -1, -1
	}
	from += strings.Index(s[from:end], v)
	if f, to := sentenceWord(s[:from+len(v)], from); f >= 0 {
		return f, max(to, from+len(v))
	}
	return -1, -1
}

// seedWords finds 12, 15, 18, 21 or 24 words in small letters that nothing but single blanks part.
func seedWords(s string, _, end int) (int, int) {
	i := end + leading(clip(s[end:], longestBlank), " \t\r\n:=\"'`*")
	for _, verb := range [...]string{"is", "are", "was", "were"} {
		if rest, ok := strings.CutPrefix(s[i:], verb); ok {
			i = len(s) - len(strings.TrimLeft(rest, " :\n\"'`"))
		}
	}
	n := 0
	to := i
	for at := i; ; {
		w := lower.run(s[at:])
		if w < 3 || w > 8 {
			break
		}
		n++
		to = at + w
		if to == len(s) || s[to] != ' ' {
			break
		}
		at = to + 1
	}
	if n < 12 || n%3 != 0 || n > 24 {
		return -1, -1
	}
	return i, to
}
