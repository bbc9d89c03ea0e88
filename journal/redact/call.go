package redact

import "strings"

// Functions that are given a secret as their last argument, after a user or what is signed.
var _ = declare([]Rule{
	{Name: "login-call", Kind: "password", Finds: "the password in a call that logs in: SetBasicAuth(user, …), auth=(user, …), getConnection(url, user, …)", Keywords: []string{"uth(", "uth=(", "ogin(", "signin(", "nection(", "nect(", "edentials(", "edential(", "uthenticate(", ".sign(", ".verify(", "hmac(", "hmac.new(", "s.basic(", "fernet(", "aes.new(", "cipher(", "cipheriv(", ".encrypt(", ".decrypt(", "bcrypt(", "store.load("}, Fold: true, find: lastArgument, check: password, generic: true},
	{Name: "client-call", Kind: "token", Finds: "a long random argument of what makes a client, a wallet or a bot: Client('…'), new Wallet('…'), bot.run('…')", Keywords: []string{`t("`, "t('", `h("`, "h('", `n("`, "n('", "w('", `w("`, `e("`, "e('", "i('", `i("`, `r("`, "r('"}, find: clientArgument, generic: true},
})

// lastArgument finds the last argument of several when it is a literal. A URL, a path and a name in code are none that a
// login is given.
func lastArgument(s string, _, end int) (from, to int) {
	args := arguments(s, end)
	for i := len(args) - 1; i >= 0 && (len(args) > 1 || s[end-2] == 't'); i-- {
		if from, to = args[i].literal(s); from >= 0 {
			return from, to
		}
	}
	return -1, -1
}

// clientArgument finds the last argument that is long and random: ids of accounts stand before it.
func clientArgument(s string, at, end int) (from, to int) {
	const least, leastHex = 20, 32
	if quoted := end + indexOr(s[end:], "\"'\n"); !foldContains(s[max(0, at-longestWord):at+1], clients) || quoted-end < least && strings.IndexByte(clip(s[quoted:], least), ',') < 0 {
		return -1, -1
	}
	all := arguments(s, end-1)
	for i := len(all) - 1; i >= 0; i-- {
		from, to := all[i].literal(s)
		if from >= 0 && to-from >= least && s[from] != '/' && digit.in(s[from:to]) > 0 && (to-from >= leastHex || upper.in(s[from:to]) > 0) && chance(clip(s[from:to], judged)) && !uuidLike(s[from:to]) && fields(s[from:to]) == 1 {
			return from, to
		}
	}
	return -1, -1
}

// clients are what the functions are called that are given a key.
var clients = []string{"client", "wallet", "search", "bot.run", ".login", "client.new", "stripe", "twilio", "openai", "api", "sdk", "provider", "service", "signer", "pusher", "slack", "discord", "telegram", "anthropic", "configure", "initialize"}

// password reports whether the argument of a login is one.
func password(v string) bool { return (made(v) || chosenWord(v)) && !harmless(v) }

// arg is an argument of a call: s[from:to].
type arg struct{ from, to int }

func (a arg) literal(s string) (from, to int) {
	from, to = literalAt(s[:min(a.to+1, len(s))], a.from)
	if from >= 0 && reference(s[from:to]) {
		return -1, -1
	}
	return from, to
}

// arguments returns the arguments that follow an opening parenthesis, as far as they stand on a few lines.
func arguments(s string, at int) (all []arg) {
	const most = 256
	s = clip(s, at+most)
	depth := 0
	from := at + leading(s[at:], " \t\r\n")
	for i := from; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\'' || c == '`':
			q, width := opening(s[i:])
			i += width + q.run(s[i+width:])
		case c == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\''):
			q, width := opening(s[i:])
			i += width + q.run(s[i+width:]) + 1
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0 && depth > 0:
			depth--
		case c == ',' && depth == 0, c == ')':
			all = append(all, arg{from, i})
			if c == ')' {
				return all
			}
			from = i + 1 + leading(s[i+1:], " \t\r\n")
		case c == ';':
			return nil
		}
	}
	return nil
}
