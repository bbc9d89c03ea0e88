package redact

import "strings"

// Functions that are given a secret, after a user or what is signed.
var _ = declare([]Rule{
	{Name: "login-call", Kind: "password", Finds: "the password in a call that logs in, signs or encrypts: SetBasicAuth(user, …), auth=(user, …), getConnection(url, user, …)", Keywords: []string{"uth(", "uth=(", "uth = (", "ogin(", "signin(", "nection(", "nect(", "edentials(", "edential(", "edential]::new(", "uthenticate(", ".sign(", ".verify(", "hmac(", "hmac.new(", "s.basic(", "h.basic(", "fernet(", "aes.new(", "cipher(", "cipheriv(", "crypt(", "bcrypt(", "re.load(", "begin(", "pdo(", "jwt.encode(", "hash(", "hashsync(", "hashpw(", "passwordtoken(", "elize(", "mysqli(", "bind_s(", "authprovider(", "ticv4(", "signedstring(", "hexdigest(", "ftp(", "cookieparser(", "superuser(", "dpassword(", "jwt.decode("}, Fold: true, find: callArgument, generic: true},
	{Name: "client-call", Kind: "token", Finds: "a long random argument of what makes a client, a wallet or a bot: Client('…'), new Wallet('…'), bot.run('…')", Keywords: []string{`t("`, "t('", `h("`, "h('", `n("`, "n('", "w('", `w("`, `e("`, "e('", "i('", `i("`, `r("`, "r('", `2("`, "2('", "t(\n", "h(\n", `b("`, "b('", `l("`, "l('", `)("`, ")('", "lio('", `lio("`, `graf("`, "graf('"}, find: callArgument, generic: true},
})

// callArgument finds the last argument that is a secret: of a call that logs in a literal that looks like a password, which a
// user stands before, of a client's a long random one.
func callArgument(s string, at, end int) (from, to int) {
	open := at + strings.LastIndexByte(s[at:end], '(') + 1
	login := open == end
	if !login && !foldContains(s[max(0, at-longestWord):open], clients) {
		return -1, -1
	}
	args := arguments(s, open)
	for i := len(args) - 1; i >= 0; i-- {
		if from, to = args[i].literal(s); from < 0 {
			continue
		}
		if v := clip(s[from:to], judged); login && (len(args) > 1 || s[open-2]|0x20 == 't' || len(v) >= longWord && !hex.only(v) && unmistakablePassword(v)) && password(v) || !login && (machineKey(v) || len(v) >= longWord && v[0] != '/' && !uuidLike(v) && !pathlike(v) && (mingled(v) && !phrase(v) || hex.only(v) && chance(v))) {
			return from, to
		}
	}
	return -1, -1
}

// machineKey reports whether v is a key as services make them, and no id.
func machineKey(v string) bool {
	const least, leastHex = 20, 32
	return len(v) >= least && digit.in(v) > 0 && (len(v) >= leastHex || upper.in(v) > 0) && chance(v) && !uuidLike(v) && v[0] != '/'
}

// clients are what the functions are called that are given a key.
var clients = []string{"client", "wallet", "search", "bot.run", ".login", "client.new", "stripe", "twilio", "openai", "api", "sdk", "provider", "service", "signer", "pusher", "slack", "discord", "telegram", "anthropic", "configure", "initialize", "github", "gitlab", "octokit", "mailgun", "algolia", "mistral", "groq", "cohere", "replicate", "pinecone", "sendgrid", "postmark", "resend", "vonage", "nexmo", "plivo", "supabase", "telebot", "notion", "airtable", "dropbox", "linear", "sentry", "posthog", "mixpanel", "cloudinary", "ethers", "deepl", "tweepy", "spotipy", "shodan", "linode", "netlify", "vercel", "braintree", "razorpay", "paypal"}

// password reports whether the argument of a login is one.
func password(v string) bool { return (made(v) || chosenWord(v)) && !harmless(v) && !pathlike(v) }

// unmistakablePassword is password for what less than a login announces.
func unmistakablePassword(v string) bool {
	return (mingled(v) || chosenWord(v) || chance(v)) && password(v)
}

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
		}
	}
	return nil
}
