package redact

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

// This file decides what a name says about its value.

// sense is what a name says about the value that it names.
type sense struct {
	rule *Rule // whose kind the mark shows; nil: the name says nothing of a secret
	how  test
}

// test is how a value is judged that has a telling name.
type test uint8

const (
	unnamed   test = iota
	meta           // the name is about a secret, as token_url is, or about what stands beside one, as user is
	byDigits       // a short number: one-time codes
	byKey          // as byChance, but neither what has words in it nor a UUID: keys of caches, stores and tables
	byChance       // only what looks made by a machine, and has at least leastRandom bytes
	byToken        // what is neither a number nor a short word nor a name in code
	byShape        // what is not a word, a name in code, or prose
	byPass         // as byShape, and long words and phrases: pass is also what tests do
	byCookies      // NAME=VALUE; …, each by its own name
	byCookie       // one cookie's value
	byScheme       // the value of an Authorization header
	byName         // the name alone decides
)

// holds reports whether what stands below a name of this sense may be secret under any name of its own.
func (s sense) holds() bool {
	return s.how == byName || s.how == byShape || s.how == byCookies || s.how == byChance || s.how == byToken
}

// passSense is that of the word pass, which is also what tests do.
var passSense = sense{namedPassword, byPass}

// Rules of values that have a name and no keyword beside them. They do not look into texts.
var (
	namedPassword   = &Rule{Kind: "password", generic: true}
	namedSecret     = &Rule{Kind: "secret", generic: true}
	namedCredential = &Rule{Kind: "credential", generic: true}
	namedToken      = &Rule{Kind: "token", generic: true}
	namedKey        = &Rule{Kind: "api-key", generic: true}
	namedAuth       = &Rule{Kind: "authorization", generic: true}
	namedCookie     = &Rule{Kind: "cookie", generic: true}
	namedCode       = &Rule{Kind: "one-time-code", generic: true}
)

// telling says what a word of a name, in lower case, says about a secret. Words of other languages are spelled without the
// marks of their letters too, as names in code are.
var telling = sync.OnceValue(func() map[string]sense {
	m := make(map[string]sense)
	for words, says := range map[string]sense{
		"password passwd passphrase passcode pwd pw psw pswd psk passwort kennwort passord wachtwoord contrasena contrasenya senha motdepasse mdp parola parolas sifres parol sifre haslo heslo jelszo salasana losenord adgangskode adgangskoden passordet matkhau sandi passe lozinka geslo clave contrasinal parool kodeord zaporka fjalekalimi requirepass masterauth mnemonic passw passwrd pword passwrt userpw wachtwoorden motpasse codepin contrasenia katasandi lykilord slaptazodis parole unlockcode wpapsk sharedkey keystorepass storepass keypass salasanat kodenavn passcodes senhas zugangscode codeword hasla paroola fjalekalim pasahitza": {namedPassword, byName},
		"pass":                          passSense,
		"passwords passwds passphrases": {namedPassword, byShape},
		"secret":                        {namedSecret, byName},
		"secrets":                       {namedSecret, byShape},
		"pepper":                        {namedSecret, byToken},
		"credential cred":               {namedCredential, byName},
		"credentials creds":             {namedCredential, byShape},
		"seed verifier encrypt":         {namedSecret, byChance},
		"token":                         {namedToken, byToken},
		"authtok jeton jetons zeton":    {namedToken, byToken},
		"tokens jwt bearer pat sas":     {namedToken, byChance},
		"key keys salt chave chaves chiave llave sleutel nyckel klucz avain nokkel anahtar kunci klic": {namedKey, byKey},
		"apikey authkey secretkey accesskey passwordsalt hashsalt":                                     {namedKey, byName},
		"apikeys passkey":                       {namedKey, byChance},
		"auth oauth authn":                      {namedAuth, byChance},
		"authorization authorisation":           {namedAuth, byScheme},
		"cookie cookies setcookie":              {namedCookie, byCookies},
		"otp totp pin mfa pincode tan puk pins": {namedCode, byDigits},
	} {
		for w := range strings.FieldsSeq(words) {
			m[w] = says
		}
	}
	return m
})

// endings are words that tell also where others are joined to them: dbpassword, authtoken.
var endings = strings.Fields("password passwd passphrase passcode passwort kennwort contrasena wachtwoord pass pwd pw secret token authtok apikey credential credentials authkey secretkey accesskey key")

// written are names in alphabets and spellings that are not ASCII.
var written = [...]struct {
	sense
	parts []string
}{
	{sense{namedPassword, byName}, []string{"비밀번호", "패스워드", "비번", "암호", "パスワード", "パスフレーズ", "暗証番号", "暗証フレーズ", "合言葉", "密码", "密碼", "口令", "contraseña", "contrasenya", "lösenord", "şifre", "hasło", "jelszó", "mật khẩu", "mật_khẩu", "κωδικός", "סיסמה", "كلمة المرور", "كلمة السر", "hasłem", "كلمة_المرور", "पासवर्ड", "รหัสผ่าน", "пин-код", "код доступа", "비밀 번호", "핀번호", "通行码", "パスコード", "şifrə", "parolă", "парол"}},
	{sense{namedSecret, byName}, []string{"시크릿", "비밀키", "비밀 키", "シークレット", "秘密鍵", "密钥", "密鑰", "секрет", "geheim"}},
	{sense{namedToken, byToken}, []string{"토큰", "トークン", "令牌", "токен", "jeton d"}},
	{sense{namedKey, byName}, []string{"증키", "증 키", "서비스키", "서비스 키", "api 키", "api키", "api_키", "액세스 키", "액세스키", "apiキー", "api キー", "アクセスキー", "ключ", "schlüssel", "clé_api", "clé api", "clé d'api", "clé secrète", "clé d'accès", "clé privée", "clé wi", "clé réseau", "clé de sécurité", "인증 키", "화키", "화 키", "유키", "유 키", "안 키", "안키", "크 키", "크키", "化キー", "ティキー", "ワークキー", "共有キー", "号キー", "共有鍵", "号鍵", "私钥", "私鑰", "접근 키", "접근키", "개인키", "개인 키", "証キー", "証 キー", "アクセス鍵", "署名鍵", "秘钥", "秘鑰", "授权码", "κλειδί"}},
}

// besideKey are first words of names whose second half is only called key: primary_key, cacheKey.
var besideKey = words(`alternate answer arrow batch bucket cache cell column composite config cursor dedup dedupe deduplication dict document edge event exclusive feature field file filter flag foreign group hash host hot idempotency idempotence image index issue item job json label layout lookup map menu message metric modifier natural node object option page parent partition path plugin primary project prop property public publishable pub query queue range record ref registry repository resource restore return routing row search section sequence setting settings short shortcut shm slot sort source state step style gpg pgp surrogate tab table tag target task test theme translation trace tree unique verify video view widget i18n s3 sync known cached dependency build recv start end last next evaluated site`)

// longestSense bounds the names that are looked at: what is longer is a text.
const longestSense = 96

// senseOf says what a name says. Names are words in any of the usual spellings: dbPassword, DB_PASSWORD, db.password,
// X-Api-Key, "API key".
func senseOf(name string) sense {
	name = visible(name)
	if len(name) < 2 || len(name) > longestSense || strings.Contains(name, markOpen) {
		return sense{} // too short, or a text
	}
	var found sense
	before, last := "", ""      // the word before the telling one, and the last of all
	after, ascii := false, true // words follow the telling one
	for i := 0; i < len(name); i++ {
		if c := name[i]; !(lower | upper).has(c) {
			if strings.IndexByte("\n=,\"{", c) >= 0 {
				return sense{} // no name
			}
			ascii = ascii && c < utf8.RuneSelf
			continue
		}
		w := name[i : i+wordRun(name[i:])]
		s := wordSense(w)
		if s.rule != nil && (found.how <= s.how || after || s.rule == namedKey && found.rule == namedAuth) {
			found, before = s, last
		} else if found.rule == nil {
			before = last
		}
		last, after = w, s.rule == nil
		i += len(w) - 1
	}
	if !ascii {
		if s := writtenSense(name); s.rule != nil {
			return s
		}
	}
	if found.rule != nil && foldContains(clip(name, len("hide_")), []string{"show_", "has_", "hide_", "use_", "is_", "exist", "publi"}) {
		return sense{how: meta}
	}
	return found.among(before, last, after)
}

// among is what a word of this sense says in a name: before is the word before it, last the last word of the name, and after
// says that words follow it.
func (s sense) among(before, last string, after bool) sense {
	switch {
	case s.rule == nil && strings.EqualFold(strings.TrimRight(last, "sS"), "code") && recovery().has(before):
		return sense{namedCode, byShape}
	case s.rule == nil:
	case after && about().has(last), s.rule == namedToken && beside().has(before), s.rule == namedKey && s.how == byKey && !strings.EqualFold(last, "salt") && besideKey().has(before):
		return sense{how: meta}
	case s.rule == namedToken && s.how == byToken && before != "":
		s.how = byName
	case s.how == byPass && (before != "" || after), s.how == byKey && (after && sealing().has(last) || sealedKeys().has(before)):
		s.how = byName
	case s.how == byKey && before != "":
		s.how = byChance
	}
	return s
}

// wordRun returns the length of the word that s, which begins with a letter, begins with. A small letter and a capital part
// words, and so do the last two of several capitals before a small letter.
func wordRun(s string) int {
	n := 1
	for ; n < len(s) && (lower | upper).has(s[n]); n++ {
		switch before := s[:n]; {
		case lower.has(s[n]) && len(upper.tail(before)) > 1 && !(n+1 == len(s) && s[n] == 's'):
			return n - 1
		case upper.has(s[n]) && lower.has(s[n-1]):
			return n
		}
	}
	return n
}

// wordSense says what one word says.
func wordSense(word string) sense {
	var buf [longestSense]byte
	w := fold(buf[:0], word)
	if s := telling()[string(w)]; s.rule != nil {
		return s
	}
	const shortest = 6
	for _, e := range endings {
		if len(w) >= max(shortest, len(e)) && string(w[len(w)-len(e):]) == e {
			if e == "pass" && (passing()[string(w)] || bytes.HasSuffix(w, []byte("compass"))) {
				return sense{}
			}
			return telling()[e]
		}
	}
	return sense{}
}

// sealedKeys are words before key that say it is secret.
var sealedKeys = words(`jwt hash access account admin api application app auth authentication crypt crypto decryption deploy encryption hmac license master preshared private recovery root secret secure shared signature signing subscription webhook in nonce session cookie wpa wifi wep psk functions consumer enrollment licence seed wallet spend provisioning tunnel ingest payment payments firebase heroku cloudflare huggingface anthropic cohere groq sentry datadog newrelic grafana pagerduty linear notion airtable twitch spotify dropbox shopify paypal braintree square plaid mailgun mailchimp brevo postmark sparkpost resend algolia pinecone supabase vercel netlify render railway fly digitalocean linode vultr hetzner scaleway ovh naver kakao line telegram discord zoom jira confluence bitbucket npm nuget rubygems pypi circleci travis buildkite snyk sonar codecov rollbar bugsnag segment mixpanel amplitude intercom zendesk freshdesk hubspot salesforce tmdb omdb openweather weather alphavantage finnhub etherscan infura alchemy aws azure datadog github gitlab google maps mistral openai sendgrid slack stripe twilio vendor`)

// sealing are words behind key, or behind the word for it in other languages, that say it is secret.
var sealing = words("api secreta segreta privada privata secret secrete acceso acesso acces accesso api-ul jwt hmac material")

// qualifiers are words before the dot of a name that is only called token which say whose it is.
var qualifiers = words("access api app auth bearer bot client refresh secret service session")

// passes are words before pass that say it is one of several rounds, what tests do, or none.
var passes = words("proxy fastcgi uwsgi scgi grpc memcached by first last next one per render second shader single sub third multi num all did does not still builds checks jobs linters lints specs suites tests")

// passing are words that end with pass and are about no password.
var passing = words(`askpass buypass minipass bypass compass encompass overpass surpass trespass underpass lastpass keepass onepass firstpass nextpass multipass renderpass singlepass subpass sidepass`)

// recovery are words before code that tell which codes are as good as a password.
var recovery = words("recovery backup scratch rescue emergency")

func writtenSense(name string) sense {
	name = strings.ToLower(name)
	for _, l := range written {
		for _, p := range l.parts {
			if strings.Contains(name, p) {
				return l.sense
			}
		}
	}
	return sense{}
}
