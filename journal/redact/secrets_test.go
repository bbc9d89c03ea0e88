package redact_test

import (
	"strings"
	"testing"

	"journal/journal/redact"
)

// mix returns n letters and digits. The secrets of these tests are put together when the tests run, so that no scanner takes
// the repository for a leak.
func mix(n int) string { return cycle("A1b2C3d4E5f6G7h8J9k0", n) }

// low returns n hexadecimal digits, and high n capitals and digits of base32.
func low(n int) string  { return cycle("0a1b2c3d4e5f6789", n) }
func high(n int) string { return cycle("A2B3C4D5E6F7GH", n) }

func cycle(s string, n int) string { return strings.Repeat(s, n/len(s)+1)[:n] }

func pem(label, brk string) string {
	line := mix(64)
	return "-----BEGIN " + label + "-----" + brk + line + brk + line + brk + mix(30) + "==" + brk + "-----END " + label + "-----"
}

const uuid = "3b7c9d10-4e5f-4a6b-8c7d-" + "9e0f1a2b3c4d"

// secrets are texts in three parts: the text before a secret, the secret, and the text after it.
var secrets = []struct{ kind, before, secret, after string }{
	{"aws-access-key", "key id ", "AKIA" + high(16), ", region eu-west-1"},
	{"password", `{"password":"`, `sommerURLAUB\ud83d\udd11`, `"}`},
	{"password", "DB_PASSWORD=", `KdfjwLqzx\ud83d\udd11`, "\n"},
	// The only argument of a login or a hash, a value that a test printed, an unclosed brace.
	{"password", `login("`, "Kd93fjw82LqXz7", `")`},
	{"password", `service.authenticate("`, "Kd93fjw82Lq#Xz7", `")`},
	{"password", `bcrypt.hash("`, "Tr0ub4dor&3xyz", `")`},
	{"password", `hashpw(b"`, "Tr0ub4dor&3xyz#Kd93", `")`},
	{"password", `generate_password_hash("`, "Tr0ub4dor&3xyz#Kd93", `")`},
	{"password", `gh.authenticate("`, low(36), `")`},
	{"password", "E       assert '", "hunter22", "' == settings.password"},
	{"password", "E       AssertionError: assert '", "sommer2024", "' == user.password"},
	{"password", "DB_PASSWORD=", "{hunter2", "\n"},
	// A here-document in a shell's substitution.
	{"password", "DB_PASSWORD=$(cat <<'EOF'\n", "Kd93fjw82Lq", "\nEOF\n)\n./run\n"},
	// A block scalar of YAML, in a file of Windows, with paragraphs and with a comment.
	{"password", "db:\n  password: |-  # rotate it\n    ", "Kd93fjw82Lq", "\n  port: 1\n"},
	{"password", "db:\r\n  password: |\r\n    ", "Kd93fjw82Lq", "\r\n  port: 1\r\n"},
	{"password", "db:\n  password: >-\n    ", "Kd93fjw82Lq\n\n    Qx81zz-hunter22", "\n\n  port: 1\n"},
	{"password", "db:\n  password: |\n\n    ", "Kd93fjw82Lq", "\n  port: 1\n"},
	{"password", "- password: |\n    ", "Kd93fjw82Lq", "\n\n  image: maple\n- port: 1\n"},
	{"password", "users:\n  - password: |\n      ", "Kd93fjw82Lq", "\n    image: maple\n"},
	{"token", "ADMIN_TOKEN=", "{hunter2-Qx", "\n"},
	// A sign, a ligature or a byte outside of ASCII in a password is no prose.
	{"password", `{"password":"`, "Sommer€2024!xQ7", `"}`},
	{"password", `password="`, "Sommer€2024!xQ7", `"`},
	{"password", `password: "`, "hunter–2-Qx81zz", `"`},
	{"password", `password: "`, "hunter2™Qx81zz", `"`},
	{"password", `password: "`, "hunterﬁ2-Qx81zz", `"`},
	{"password", `password: '`, "Kd93•fjw82Lq🔑", `'`},
	{"password", `password: "`, "Kd93\xe9fjw82Lq", `"`},
	{"password", "export SMTP_PASSWORD='", "Kd93€fjw82Lq", "'"},
	{"password", "DB_PASSWORD=", "Kd93“fjw82Lq", "\nPORT=1\n"},
	{"password", "SMTP_PASSWORD=", "€Kd93fjw82Lq", "\n"},
	{"password", "db:\n  password: ", "Kd93€fjw82Lq", "  # — rotate\n"},
	{"password", "password: ", "hunter22", " — do not share it\n"},
	{"password", "user: bob │ DB_PASSWORD=", "hunter22", " │ port: 1\n"},
	{"password", "mysql -u root -p", "Kd93€fjw82Lq", " shop\n"},
	{"password", "the password of the database is ", "Kd93€fjw82Lq", ".\n"},
	{"password", "the password of the database is ", "Kd93fjw82Lq", "—keep it.\n"},
	{"password", "log in as bob with ", "hunter2Qx8", "’s machine\n"},
	// The default value of a variable, also of the second.
	{"password", `DB_PASSWORD="`, "${A}-${B:-correct-horse-battery-staple}", `"`},
	{"password", `DB_PASSWORD="`, "${B:-Kd93fjw82LqXz}", `"`},
	{"password", `DB_PASSWORD="`, "{{ .User }}-${B:-Kd93fjw82LqXz}", `"`},
	{"password", `password: "`, "${A:-${B:-hunter22}}", `"`},
	{"password", "DB_PASSWORD=", "${APP_PW-correct-horse-battery-staple}", "\n"},
	{"password", "DB_PASSWORD=", "${B:=hunter22}", "\n"},
	{"password", "spring.datasource.password=", "${db.main:Kd93fjw82LqXz}", "\n"},
	{"password", "environment:\n  POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:", "-hunter22", "}\n  PORT: 1\n"},
	// The letter that JSON escapes.
	{"password", `{"password": "`, `Kd93\u00e9fjw82Lq`, `"}`},
	{"password", `log: {"db_password":"`, `Kd93\ud83d\udd11fjw82Lq`, `"} in 12 ms`},
	{"password", `password='`, `Kd93\u20acfjw82Lq`, `'`},
	{"password", `DB_PASSWORD=`, `Kd93\u00e9fjw82Lq`, "\n"},
	// In JSON within a text the byte after an escape begins a line or a word.
	{"aws-access-key", `{"stdout":"here:\n`, "AKIA" + high(16), `\n"}`},
	// A literal within a literal.
	{"api-key", `bash -c "curl -H 'X-Api-Key: `, low(32), `' https://api.test/v1"`},
	{"token", `ssh host1 'curl -H "X-Auth-Token: `, uuid, `" https://api.test/v1'`},
	// JSON on several lines, or torn.
	{"cookie", "{\n  \"cookies\": {\n    \"session\": \"", mix(40), "\",\n    \"theme\": \"dark\"\n  }\n}"},
	{"cookie", `{"cookies":{"session":"`, mix(40), ""},
	{"api-key", "[\n  [\n    \"X-Api-Key\",\n    \"", mix(36), "\"\n  ]\n]"},
	{"authorization", "[\n  \"Authorization\",\n  \"Basic ", mix(36), "\"\n]"},
	// A percent sign in a password is none of a format.
	{"password", "Zugangsdaten: builder / ", "kW%sq7Rr^b2#Vn", "\n"},
	{"password", "Credentials: root / ", "Tq%0mB8&xLw3*Zd", "\n"},
	{"github-token", `"here:\\\\t`, "ghp_" + mix(36), `\\r"`},
	{"aws-access-key", `{"AccessKeyId":"`, "ASIA" + high(16), `"}`},
	{"aws-secret-key", "aws_secret_access_key = ", mix(19) + "/" + mix(20), "\n"},
	{"aws-secret-key", `"SecretAccessKey": "`, mix(30) + "+" + mix(9), `"`},
	{"aws-secret-key", "export AWS_SECRET_ACCESS_KEY=", "/" + mix(39), "\nexport X=1"},
	{"aws-bedrock-key", "use ", "ABSK" + mix(120), " now"},
	{"azure-key", "DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=", mix(86) + "==", ";EndpointSuffix=core.windows.net"},
	{"azure-key", "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=", mix(43) + "=", ""},
	{"azure-sas", "https://a.blob.core.windows.net/c?sv=2022-11-02&se=2030-01-01&sig=", mix(43) + "%3D", "&sp=r"},
	{"azure-client-secret", "login with ", "aB3" + "8Q~" + mix(34), " please"},
	{"google-api-key", "maps?key=", "AIza" + mix(35), "&v=3"},
	{"google-oauth-secret", `"id":1,"x":"`, "GOCSPX-" + mix(28), `"`},
	{"google-oauth-token", "got ", "ya29." + mix(60), "\n"},
	{"private-key", `{"type":"service_account","private_key":"`, pem("PRIVATE KEY", `\n`), `\n","client_email":"a@b"}`},
	{"github-token", "remote: ", "ghp_" + mix(36), " rejected"},
	{"github-token", "", "gho_" + mix(36), ""},
	{"github-token", "'", "ghu_" + mix(36), "'"},
	{"github-token", "GH=", "ghs_" + mix(36), "\n"},
	{"github-token", "(", "ghr_" + mix(76), ")"},
	{"github-token", "pat ", "github_pat_" + mix(22) + "_" + mix(59), "."},
	{"gitlab-token", "PRIVATE-TOKEN: ", "glpat-" + mix(20), "\r\n"},
	{"gitlab-token", "x ", "gldt-" + mix(20), " y"},
	{"gitlab-token", "register --with ", "glrt-" + mix(20), " --now"},
	{"service-token", "pw ", "ATBB" + mix(32), "\n"},
	{"atlassian-token", "jira ", "ATATT3" + mix(180) + "=" + low(8), "\n"},
	{"slack-token", "bot ", "xoxb-" + low(12) + "-" + mix(24), " joined"},
	{"slack-token", "user ", "xoxp-" + strings.Repeat("12345", 2) + "-" + mix(30), "\n"},
	{"slack-token", "app ", "xapp-1-A01-" + low(64), "\n"},
	{"webhook", "see https://hooks.slack.com/services/", "T01ABCDEF/B01ABCDEF/aBcDeFgHiJkLmNoPqRsTuVwX", ""}, // however it is filled
	{"webhook", "curl https://hooks.slack.com/services/", "T0" + high(8) + "/B0" + high(8) + "/" + mix(24), " -d x"},
	{"webhook", "POST https://discord.com/api/webhooks/", "123456789012345678/" + mix(68), "?wait=1"},
	{"telegram-token", "https://api.telegram.org/bot1", "23456789:AA" + mix(33), "/getMe"},
	{"stripe-key", "charge with ", "sk_" + "live_" + mix(24), "\n"},
	{"stripe-key", "charge with ", "rk_" + "live_" + mix(24), "\n"},
	{"stripe-key", "charge with ", "sk_" + "test_" + mix(24), "\n"},
	{"service-token", "sq ", "sq0atp-" + mix(22), "\n"},
	{"shopify-token", "shop ", "shpat_" + low(32), "\n"},
	{"twilio-key", "sid ", "SK" + low(32), "\n"},
	{"token", "TWILIO_AUTH_TOKEN=", low(32), "\n"},
	{"sendgrid-key", "mail ", "SG." + mix(22) + "." + mix(43), "\n"},
	{"mailgun-key", "api:", "key-" + low(32), "@api.mailgun.net"},
	{"mailchimp-key", "list ", low(32) + "-us14", "\n"},
	{"npm-token", "//npm.example.com/:x=", "npm_" + mix(36), "\n"},
	{"npm-token", "//npm.example.com/:_authToken=", uuid, "\n"},
	{"service-token", "twine ", "pypi-AgEIcHlwaS5vcmc" + mix(70), "\n"},
	{"service-token", ":key: ", "rubygems_" + low(48), "\n"},
	{"service-token", "login ", "dckr_pat_" + mix(27), "\n"},
	{"service-token", "do ", "dop_v1_" + low(64), "\n"},
	{"heroku-key", "hk ", "HRKU-" + uuid, "\n"},
	{"heroku-key", "HEROKU_API_KEY=", uuid, "\n"},
	{"api-key", "CLOUDFLARE_API_KEY=", low(37), "\n"},
	{"vault-token", "vault ", "hvs." + mix(90), "\n"},
	{"terraform-token", "tf ", mix(14) + ".atlasv1." + mix(67), "\n"},
	{"service-token", "dbx ", "dapi" + low(32), "\n"},
	{"service-token", "up --with ", "tskey-auth-" + mix(12) + "-" + mix(30), "\n"},
	{"openai-key", "try ", "sk-" + mix(48), " then"},
	{"openai-key", "try ", "sk-proj-" + mix(60) + "_" + mix(20), " then"},
	{"anthropic-key", "try ", "sk-ant-api03-" + mix(60) + "-" + mix(20) + "AA", " then"},
	{"huggingface-token", "hub ", "hf_" + mix(34), "\n"},
	{"service-token", "g ", "gsk_" + mix(52), "\n"},
	{"service-token", "Authorization: ", "lin_api_" + mix(40), "\n"},
	{"sentry-token", "sentry ", "sntrys_" + mix(80), "\n"},
	{"sentry-token", "sentry ", "sntryu_" + low(64), "\n"},
	{"service-token", "g ", "glsa_" + mix(32) + "_" + low(8), "\n"},
	{"nats-seed", "nsc ", "SUA" + high(55), "\n"},
	{"jwt", "cookie=", "eyJ" + mix(33) + ".eyJ" + mix(700) + "." + mix(43), "; path=/"},
	{"jwt", "jwe ", "eyJ" + mix(40) + ".." + mix(16) + "." + mix(90) + "." + mix(22), " end"},

	{"private-key", "key:\n", pem("RSA PRIVATE KEY", "\n"), "\nnext line\n"},
	{"private-key", "", pem("OPENSSH PRIVATE KEY", "\r\n"), "\r\n"},
	{"private-key", "text ", pem("ENCRYPTED PRIVATE KEY", `\\n`), `\\n`},
	{"private-key", "", strings.Replace(pem("PGP PRIVATE KEY BLOCK", "\n"), "-----\n", "-----\nVersion: GnuPG v2\n\n", 1), "\n"},
	{"private-key", "", strings.Replace(pem("RSA PRIVATE KEY", "\n"), "-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"+high(32)+"\n\n", 1), "\n"},
	{"private-key", "", pem("EC PRIVATE KEY", "\n+"), "\n"},
	{"private-key", "cut:\n", strings.TrimSuffix(pem("PRIVATE KEY", "\n"), "\n-----END PRIVATE KEY-----"), "\n"},
	{"private-key", "cut in a line: ", pem("PRIVATE KEY", "\n")[:100], ""},
	{"private-key", "cut: ", "-----BEGIN PRIVATE KEY-----\n" + mix(64) + "\n" + mix(64), "\nand then the build went on\n"},
	{"private-key", "", pem("USER NKEY SEED", "\n"), "\n"},
	{"private-key", "", "AGE-SECRET-KEY-1" + high(58), "\n"},

	{"private-key", "Private-Lines:", " 2\n" + mix(64) + "\n" + mix(40), "\nPrivate-MAC: 00\n"},
	{"private-key", "", pem("EC PRIVATE KEY", "\n  12\t"), "\n"},
	// Lines with the prefix of a log, a search, a comment; a key on one line.
	{"private-key", "2026-11-30T10:00:00.1234567Z ", pem("RSA PRIVATE KEY", "\n2026-11-30T10:00:00.7654321Z "), "\n"},
	{"private-key", "build\tRun x\t2026-11-30T10:00:00Z ", strings.TrimSuffix(pem("PRIVATE KEY", "\nbuild\tRun x\t2026-11-30T10:00:01Z "), "\nbuild\tRun x\t2026-11-30T10:00:01Z -----END PRIVATE KEY-----"), "\n"},
	{"private-key", "certs/app.pem:9:", pem("EC PRIVATE KEY", "\ncerts/app.pem:10:"), "\n"},
	{"private-key", "", "certs/app.pem:10:" + mix(64) + "\ncerts/app.pem:11:" + mix(30) + "==", "\ncerts/app.pem:12:-----END RSA PRIVATE KEY-----\n"},
	{"private-key", "# ", pem("OPENSSH PRIVATE KEY", "\n# "), "\n"},
	{"private-key", "DEPLOY=", pem("RSA PRIVATE KEY", " "), "\n"},
	{"private-key", "<p>", pem("PRIVATE KEY", "<br>\n"), "</p>\n"},
	{"password", "password:\t\u3000", "hunter22", "\n"},

	{"authorization", "Authorization: Bearer ", mix(40), "\r\nHost: x"},
	{"authorization", "Authorization: ", "kqzvxwjtprmnbdfg" + mix(20), "\r\nHost: x"}, // the first 16 bytes are no scheme
	{"authorization", "Authorization: ", "gbcnwojrgzdrewgn" + "v4W8whr", "\r\nHost: x"},
	{"authorization", `{"Authorization":"`, "correcthorsebatterystaplewindow", `"}`},
	{"authorization", "-H 'Authorization: Basic ", "dXNlcjpodW50" + "ZXIyMg==", "' https://x.test"},
	{"authorization", "authorization: token ", low(40), "\n"},
	{"authorization", `{"headers":{"Authorization":"Bearer `, mix(24), `"}}`},
	{"authorization", `{\"Authorization\": \"Bearer `, mix(24), `\"}`},
	{"bearer", "sent as bearer ", mix(32), " in the query"},
	{"password", "curl -u admin:", "s3same!", " https://x.test/api"},
	{"password", `curl -sSL --user "bob:`, "tr0mb0ne", `" https://x.test`},
	{"password", "curl https://x.test \\\n  -u bob:", "tr0mb0ne", "\n"},
	{"password", "mysql -h db -u root -p", "Tr0mbone", " shop"},
	{"password", "sshpass -p '", "tr0mb0ne", "' ssh host"},
	{"password", "docker login -u bob -p ", "tr0mb0ne", " registry.test"},
	{"password", "machine git.test login bob password ", "tr0mb0ne", "\n"},
	{"password", "postgres://app:", "s3same", "@db.test:5432/shop?sslmode=require"},
	{"password", "redis://:", "s3same", "@cache.test:6379/0"},
	{"password", "clone https://bob:", "a%40b%3Ac", "@git.test/x.git"},
	{"password", "amqp://bob:", "p@ss", "@mq.test"},

	{"password", "password=", "hunter22", "\n"},
	{"password", "password: ", "hunter22", "\n"},
	{"password", "Password: ", "12345678", "\n"},
	{"password", `"password": "`, "swordfish", `"`},
	{"password", `{\"password\":\"`, "sword-f1sh", `\",\"user\":\"bob\"}`},
	{"password", `{\\\"passwd\\\":\\\"`, "sword-f1sh", `\\\"}`},
	{"password", `"password": "`, `quo\"te9`, `", "next": 1`},
	{"password", "DB_PASSWORD=", "swordfish", "\n"},
	{"password", "MYSQL_PASS=", "s3same-open", "\n"},
	{"password", "login --password ", "hunter22", " --verbose"},
	{"password", "login --password='", "hunter22", "' --verbose"},
	{"password", `["login", "--password", "`, "hunter22", `"]`},
	{"password", "PGPASSWORD=", "hunter22", " psql -h db"},
	{"password", "Server=db;User Id=sa;Password=", "Str0ng!Pw", ";Encrypt=true"},
	{"password", `config["password"] = "`, "hunter22", `"`},
	{"password", "var password string = \"", "hunter22", "\""},
	{"password", "password: str = '", "hunter22", "'"},
	{"password", "<password>", "hunter22", "</password>"},
	{"password", "- **Password**: `", "hunter22", "`"},
	{"password", "pwd: ", "pa55+word", "\n"},
	{"password", "spring.datasource.password=", "pässwort9", "\n"},
	{"password", `log: password=`, "hunter22", `\nnext line`},
	{"password", "비밀번호: ", "hunter22", "\n"},
	{"password", "DB 비밀번호는 ", "hunter22", "입니다."},
	{"password", "패스워드=", "hunter22", " 로 접속"},
	{"password", "パスワード：", "hunter22", "\n"},
	{"password", "パスワードは「", "hunter22", "」です。"},
	{"password", "密码：", "hunter22", "。"},
	{"token", "토큰: ", mix(24), "\n"},
	{"api-key", "APIキー: ", mix(24), "\n"},
	{"secret", "clientSecret: \"", mix(24), "\""},
	{"secret", "CLIENT_SECRET=", "correct-horse-battery", "\n"},
	{"secret", `client_secret: '`, "qwErTyuIopAsdFghJkl", `'`},
	{"secret", "secret_key_base: ", low(64), "\n"},
	{"token", "?token=", "abcdefghijkl", "&page=2"},
	{"token", "access_token: ", uuid, "\n"},
	{"token", "token := \"", mix(20), "\""},
	{"token", "--token=", mix(20), " deploy"},
	{"token", "X-Auth-Token: ", low(40), "\n"},
	{"api-key", "X-Api-Key: ", mix(32), "\n"},
	{"api-key", "apiKey: '", mix(32), "',"},
	{"api-key", "OPENWEATHER_API_KEY=", low(32), "\n"},
	{"api-key", "API key: ", mix(32), "\n"},
	{"api-key", `signing_key = b"`, mix(32), `"`},

	{"github-token", "password=", "ghp_" + mix(36), "\n"},
	{"github-token", "https://x-access-token:", "ghs_" + mix(36), "@github.com/o/r.git"},
	{"aws-access-key", "한국어 본문 ", "AKIA" + high(16), " 입니다"},
	{"github-token", "\xff\xfe ", "ghp_" + mix(36), " \xc3\x28"},
	{"openai-key", `"hunk":"+key = \"`, "sk-" + mix(48), `\"\n"`},
	{"token", "token=", mix(5000), "\nend"},
	{"gitlab-token", "set ", "glpat-" + mix(20) + "...", " done"},

	{"password", "ALTER USER bob IDENTIFIED BY '", "tr0mb0ne", "'"},
	{"cookie", "curl -s -b 'theme=dark; sid=", mix(24), "; lang=ko' https://x.test"},
	{"cookie", ".x.test\tTRUE\t/\tTRUE\t1893456000\tsid\t", mix(24), "\n"},
	{"cookie", "< set-cookie: SESSION=", mix(24), "; Path=/; HttpOnly\r\n"},
	{"api-key", "form-data; name=\"api_key\"\r\n\r\n", mix(24), "\r\n--b--"},
	{"secret", "- name: DB_PASSWORD\n  value: ", "swordfish", "\n"},
	{"url-parameter", "https://x.test/cb?state=1&code=", mix(24), "&scope=a"},
	{"password", "https://x.test/?redirect=https%3A%2F%2Fy.test%3Fpassword%3D", "tr0mb0ne", "%26a%3Db"},
	{"password", "Database=x;User Id=sa;Password=", "blue-garden9", ";Encrypt=true"},
	{"password", "define('DB_PASSWORD', '", "hunter22", "');"},
	{"password", "| DB_PASSWORD | ", "hunter22", " |"},
	{"password", "my password is ", "hunter22", ", use it"},
	{"password", "db:\n  host: a\n  password: ", "four random plain words", "\n  port: 1\n"},
	{"password", "db:\n  host: a\n  password: ", "swordfish", "\n  port: 1\n"},
	{"password", `passphrase = "`, "four random plain words", `"`},
	{"password", "Пароль: ", "hunter22", "\n"},
	{"password", "senha=", "hunter22", "\n"},
	{"api-key", "set -x API_KEY ", mix(24), "; run"},
	{"api-key", "STRIPE_KEY=", mix(24), "\n"},
	{"authorization", `"auth": "`, mix(24), `"`},
	{"credential", "SERVICE_CREDENTIAL=", "hunter22", "\n"},
	{"private-key", "  ", "25\t" + mix(64) + "\n  26\t" + mix(30) + "==", "\n  27\t-----END RSA PRIVATE KEY-----\n"},
	{"private-key", "", mix(30) + "==", "\n-----END PRIVATE KEY-----\n"},
	{"private-key", "", "-----BEGIN PRIVATE KEY-----\n" + mix(64) + "\n" + mix(40), "… [truncated]"},
	{"private-key", "tls.key: ", "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t" + mix(60), "\n"},
	{"github-token", "x ", "ghp_" + mix(10) + "\u200b" + mix(26), " y"},

	// Behind a name that neither a colon nor an equals sign joins to its value.
	{"password", "user.setPassword(\"", "swordfish9", "\");"},
	{"password", "page.fill('#password', '", "hunter22", "')"},
	{"password", "const p = process.env.DB_PASSWORD || '", "hunter22", "';"},
	{"password", "#define WIFI_PASSWORD \"", "hunter22", "\""},
	{"password", "ALTER USER app WITH PASSWORD '", "hunter22", "';"},
	{"password", "req.SetBasicAuth(\"bob\", \"", "hunter22", "\")"},
	{"password", "<property name=\"db.password\">", "hunter22", "</property>"},
	{"token", "<key>ApiToken</key>\n<string>", mix(30), "</string>"},
	{"password", "variable \"db_password\" {\n  type = string\n  default = \"", "hunter22", "\"\n}"},
	{"secret", "webhook_secret <- \"", "hunter22", "\""},
	{"password", "the password of the database is ", "hunter22", "."},
	{"token", "API_TOKEN      ", mix(30), "\nPORT  80"},
	{"password", "password: |\n  ", "hunter22", "\nport: 80\n"},
	{"password", "PASSWORDS = ['", "hunter22", "']\n"},
	// In sections, manifests and columns.
	{"secret", "apiVersion: v1\ndata:\n  uri: ", mix(24) + "=", "\nkind: Secret\n"},
	{"password", "id,user,password\n1,bob,", "hunter22", "\n"},
	{"password", "INSERT INTO users (name, password) VALUES ('bob', '", "hunter22", "');"},
	// Among the arguments of commands.
	{"password", "redis-cli -h r -a ", "hunter22", " ping"},
	{"password", "7z a -p", "hunter22", " out.7z dir"},
	{"password", "htpasswd -bc .htpasswd admin ", "hunter22", "\n"},
	{"password", "local-user bob password irreversible-cipher ", "hunter22xyz", "\n"},
	{"password", "matkhau: ", "12345678", ", db: x"}, // digits, and no count of tokens
	{"password", "echo '", "hunter22", "' | sudo -S true"},
	{"password", "kubectl create secret generic db --from-literal=uri=", "hunter22", ""},
	{"token", "cargo login ", mix(32), ""},
	{"password", "db.Open(\"root:", "hunter22", "@tcp(127.0.0.1:3306)/x\")"},
	{"password", "https://", mix(40), "@github.com/a/b.git"},
	// Across the end of a line, and behind line numbers.
	{"service-token", "use ", "pcsk_" + mix(40), " now"},
}

// Secrets of a text that is JSON within JSON, or has other escapes, are removed by the view without escapes.
func TestSecretsInEscapedJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, before, secret, after string }{
		{"cookie", `{"y":"{\"x\":\"{\\\"cookies\\\":{\\\"session\\\":\\\"`, mix(40), `\\\"}}\"}"}`},
		{"cookie", `"{\"cookies\":{\"session\":\"`, mix(40), `\"}}"`},
		{"cookie", `"\"{\\\"cookies\\\":{\\\"session\\\":\\\"`, mix(40), `\\\"}}\""`},
		{"url-parameter", `{"url":"https://api.test/v1?page=2\u0026X-Amz-Signature=`, low(64), `"}`},
		{"password", `{"plist":"\u003ckey\u003epasswd\u003c/key\u003e\u003cstring\u003e`, "kWsq7Rr-b2#Vn", `\u003c/string\u003e"}`},
		{"private-key", `log: {\"kty\":\"EC\",\"d\":\"`, mix(43), `\"} end`},
		{"password", `"Use the password:\r\n\r\n`, "kWsq7Rr-b2#Vn", `\r\n"`},
	} {
		if got, want := redact.Text(c.before+c.secret+c.after), c.before+"[redacted:"+c.kind+"]"+c.after; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestSecretsAreReplaced(t *testing.T) {
	t.Parallel()
	for _, c := range secrets {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			in := c.before + c.secret + c.after
			want := c.before + "[redacted:" + c.kind + "]" + c.after
			got := redact.Text(in)
			if got != want {
				t.Errorf("Text(%q)\n got %q\nwant %q", in, got, want)
			}
			if again := redact.Text(got); again != got {
				t.Errorf("redacting again changed\n     %q\ninto %q", got, again)
			}
			if n := redact.Count(got); n != 1 {
				t.Errorf("Count(%q) = %d, want 1", got, n)
			}
		})
	}
}

// A file that a tool shows with the numbers of its lines is read without them.
func TestNumberedLines(t *testing.T) {
	t.Parallel()
	in := "     1→[db]\n     2→user = bob\n     3→password = swordfish\n     4→port = 1\n"
	if got, want := redact.Text(in), strings.Replace(in, "swordfish", "[redacted:password]", 1); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// An object of cookies that is not closed ends with an empty line.
func TestCookiesOfACutText(t *testing.T) {
	t.Parallel()
	in := `{"cookies":{"session":"` + mix(40) + "\n\n\"token_type\": \"Bearer12345\""
	if got, want := redact.Text(in), strings.Replace(in, mix(40), "[redacted:cookie]", 1); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// The lines around a secret do not widen it: neither to the arguments of a command, nor to a row that an empty line parts from
// what looks like a heading.
func TestLinesAroundASecret(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"user.password = req.body.password2\n\nPGPASSWORD=hunter22 psql -h db\n\npassword := os.Getenv(\"DB_PASSWORD1\")",
		"token based authentication, password based login, secret santa 2024\n\n{\"a\":\"b\",\"password\":\"hunter22\",\"client_email\":\"a@b\"}\n",
		"INSERT INTO users (name, password) VALUES ('bob', 'hunter22');\n\ncmd.Env = append(cmd.Environ(), \"PWD=\"+dir1.Path2)",
		// What an empty line parts from a sentence about an account, and code behind what only begins with a brace.
		"패스워드=hunter22 로 접속\n\nsha256:0a1b2c3d4e5f67890a1b2c3d4e5f67890a1b2c3d4e5f67890a1b2c3d4e5f6789",
		"{ token: \"a.b\", next: \"start\" }\n\nlog: password=hunter22\\nnext line\n\ncmd.Env = append(cmd.Environ(), \"PWD=\"+dir1.Path2)",
		"패스워드=hunter22 로 접속\n\nsha256:0a1b2c3d4e5f67890a1b2c3d4e5f67890a1b2c3d4e5f67890a1b2c3d4e5f6789",
		"{ token: \"a.b\", next: \"start\" }\n\nlog: password=hunter22\\nnext line\n\ncmd.Env = append(cmd.Environ(), \"PWD=\"+dir1.Path2)",
	} {
		if got, want := redact.Text(in), strings.Replace(in, "hunter22", "[redacted:password]", 1); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestEverySecretOfATextIsReplaced(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	for _, c := range secrets {
		in.WriteString("\n\n" + c.before + c.secret + c.after + "\n\n")
	}
	got := redact.Text(in.String())
	for _, c := range secrets {
		if strings.Contains(got, c.before+c.secret+c.after) {
			t.Errorf("%s is left in the text: %q", c.kind, c.before+c.secret+c.after)
		}
	}
	if n := redact.Count(got); n < len(secrets) {
		t.Errorf("%d marks for %d secrets", n, len(secrets))
	}
}

func TestOverlappingSecretsLeaveNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`password="before ` + "ghp_" + mix(36) + `"`, `password="[redacted:github-token]"`},
		{"AKIA" + high(16) + "ghp_" + mix(36), "[redacted:aws-access-key][redacted:github-token]"},
		{"token=" + mix(8) + "?password=" + mix(12), "token=[redacted:password]"},
		{"Bearer " + "sk-ant-" + mix(40), "Bearer [redacted:anthropic-key]"},
	} {
		if got := redact.Text(c.in); got != c.want {
			t.Errorf("Text(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}
