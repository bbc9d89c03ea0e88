package redact_test

import (
	"strings"
	"testing"

	"journal/cmd/testkit/testutil"
	"journal/journal/redact"
)

// clean are texts without a secret: code, prose, data, and placeholders of examples.
var clean = []string{
	// Code.
	`password := os.Getenv("DB_PASSWORD1")`,
	"password = getpass.getpass()",
	"this.password = password;",
	"user.password = req.body.password2",
	"Password string `json:\"password,omitempty\"`",
	"func check(password string, token []byte) error {",
	"const token = await getToken(page1)",
	"token := lexer.NextToken()",
	`case "token": return tokenKind17`,
	"token: Token1,",
	"token: Option<String>,",
	"secret := mySecret_2",
	"apiKey: process.env.API_KEY_2,",
	"api_key=settings.OPENAI_API_KEY_V2,",
	`if token == nil || token.Kind != EOF12 {`,
	"let password: String;",
	"password: z.string().min(8),",
	`@Input() token: string | undefined;`,
	`{ token: "constant.language.escape", next: "start" }`,
	`<input type="password" name="pw1" id="password-field1">`,
	`autocomplete="current-password"`,
	`kubectl get secret my-app-tls-2 -o yaml`,
	"secretName: my-app-tls-2024",
	"secretKeyRef:\n  name: db-credentials-01\n  key: password",
	"cancellationToken: CancellationToken1234",
	`nextPageToken: "CAUQAA1234567890"`,
	"token_url = 'https://auth.test/oauth2/v2/token'",
	`"token_type": "Bearer12345"`,
	"passwordPolicy: minLength12345",
	`strings.Contains(s, "-----BEGIN RSA PRIVATE KEY-----") || strings.Contains(s, "-----END RSA PRIVATE KEY-----")`,
	"-----BEGIN CERTIFICATE-----\n" + mix(64) + "\n-----END CERTIFICATE-----",
	"-----BEGIN PUBLIC KEY-----\n" + mix(64) + "\n-----END PUBLIC KEY-----",
	"-----BEGIN PRIVATE KEY-----\nMII... (the key)\n-----END PRIVATE KEY-----",
	".sk-folding-cube-animation-delay { animation: x 2s }",
	"task-list-item-checkbox-0123456789",
	`hf_hub_download(repo_id="x", filename="y")`,
	"npm_config_registry_fallback_host_and_port_number_1",
	"map[string]string{\"secret\": secretValue1}",
	"X-Api-Key header is missing",
	"std::string password; // at least 8",
	`cmd.Env = append(cmd.Environ(), "PWD="+dir1.Path2)`,
	`url := base + "?token=" + url.QueryEscape(t1) + "&page=2"`,
	`args := []string{"password=", next1234, "-x"}`,
	"[\n  'ssh2_auth_password',\n  'ssh2_auth_pubkey_file',\n]",
	"dk.encryptionKey = ek.encryptionKey10",
	"REMOVE_ENCRYPTION_KEY_ALL_USERS      = 0xc0406619",
	"ABIAAQDAOEMAAAAADIBAAAAAAAA",
	"#define TOKEN_STRING_LITERAL 0x100000001",
	"password.length >= 123456789",
	"git.password::validate123456",

	// Another name stands before what looks like the heading of a list.
	"password:x # a:b\nfoo:bar",

	// Numbers and limits.
	`"max_tokens": 100000, "input_tokens": 1234567`,
	"token: 12345678",
	"TOKEN_BUDGET=2000000",
	"token: 2024-01-01T00:00:00Z",
	`"secret": "v1.24.17-rc.1"`,
	"docker run -u 1000:1000 image",
	"curl -u $USER:$PASS https://x.test",
	"curl -s https://x.test:8080/a | jq .x && docker run -u node:staff9 y",

	// Values that stand for secrets.
	"password=${DB_PASSWORD}",
	"PASSWORD=$DB_PASSWORD",
	"password: {{ .Values.password }}",
	"token: ${{ secrets.GITHUB_TOKEN }}",
	"API_KEY=<your-api-key>",
	"API_KEY=your-api-key-123",
	"token=xxxxxxxxxxxx",
	"password=%DB_PASSWORD1%",
	`"password=%[2]s_suffix1"`,
	"curl -s https://x.test && login -u bob:tr0mb0ne",
	"password: ********",
	"password=changeme123",
	"secret: op://vault/item/field1",
	"password: /run/secrets/db_password1",
	"password: null, secret: undefined",
	"gh" + "p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	"AKIA" + "IOSFODNN7EXAMPLE",
	"sk-" + "ant-...",
	"Authorization: Bearer <token>",
	"Authorization: Bearer ${TOKEN_123}",
	`"Authorization": "Bearer " + token1`,
	"postgres://app:${DB_PASS}@db/shop",
	"postgres://app:<password>@db/shop",
	"https://user:***@host/x",
	`fmt.Sprintf("postgres://%s:%s@%s/db", user, pw, host)`,
	"[redacted:password]: kept12345",
	"password: [redacted:github-token]",

	// Prose.
	"password: required",
	"Password: must have at least 8 characters.",
	"Secret: the sauce has tomatoes and 12 herbs.",
	"The secretary: Johnson1234",
	"Enter your password to continue. A token of my appreciation: flowers.",
	"The bearer of this letter_number_12345 is a friend.",
	"Authorization: required for admins only",
	"token based authentication, password based login, secret santa 2024",
	`"password": "Use 8 or more characters with 2 digits"`,
	"error: invalid password: authentication failed",
	"비밀번호: 필수 입력 항목입니다",
	"비밀번호는 8자 이상이어야 합니다",
	`"password": "비밀번호를 8자 이상 입력하세요"`,
	"암호화된 토큰을 사용합니다. 비밀번호를 잊으셨나요?",
	"パスワードは8文字以上で入力してください",
	"パスワード：必須項目です",
	"トークンの有効期限が切れました。秘密鍵を確認してください。",
	"密码必须至少包含8个字符",

	`{"password":"8자 이상의 비밀번호"}`, `password="請輸入8個字元"`, "password: 8文字以上", `password: "Обязательное поле"`, "PASSWORD=ここに入力8", `{"password": "（必須）8"}`,
	`{"password": "Contrase\u00f1a"}`, `{"password": "\ube44\ubc00\ubc88\ud638 8\uc790"}`, `{"secret":"\u003cyour secret\u003e"}`, `"password": "Mot de passe oubli\u00e9 ?"`,
	`password="${A}-${B}"`, `password="${A:-${DB_PASSWORD}}"`, "password=${DB_PASSWORD:-changeme}", "DB_PASSWORD=${DB_PASSWORD:-$POSTGRES_PASSWORD}", "password: ${env:DB_PASSWORD_2}",
	"DB_PASSWORD=${DB_PASSWORD:?set DB_PASSWORD first}", `"password": "${file:/run/secrets/db1}"`, "password: `${user.name}-${user.id}`", "token: ${project-name-2}", "PASSWORD=${PW:-/run/secrets/db_pw1}",
	`{"password":"••••••••"}`, "password: ●●●●●●●●", `{"secret":"——"}`, `placeholder="•••• 4242" password="●●●●"`, "token → next token", `{"password": "At least 8 characters – not “password1”"}`, "password: – none –",

	// What looks like the shapes that values stand in behind a name.
	"t(\"password\", \"Enter it\")", "validate('password', 'required')", "getSecret(\"prod/db\")", "| `password` | string | The password |",
	"git show-ref | grep token", "--- PASS: TestResolvesHEAD2 (0.01s)", "it is okay to pass IPv4-mapped addresses", "PASSWORD_RE = r'^(?=.*\\d).{12,64}$'",
	"password: {{ required \"db.password\" .Values.db.password | b64enc }}", "<string name=\"password\">Password</string>\n<string name=\"key\">Key</string>",
	"secrets:\n  db:\n    external: true\n", "kind: Secret\nmetadata:\n  name: db\n", "id,token_count\n1,2048\n", "sudo -u bob mkdir -p build/2024", "docker run -u root -p 8080:80 x",
	"show_password: toggle", "SSH_AUTH_SOCK=/run/user/1000/keyring/ssh", "password: Passwort", "credentials: 'same-origin'", "gpg --list-secret-keys --keyid-format LONG",

	// Identifiers and data.
	"commit 3f786850e387550fdab836ed7e6dc881de23001b",
	"sha256:" + low(64),
	"session 550e8400-e29b-41d4-a716-446655440000 started",
	"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"/usr/local/share/token/secret-store/password.go:12:34",
	"$JS.API.CONSUMER.MSG.NEXT.JOURNAL.rd_q7Yb2mK1",
	"_INBOX.Zp8Qe1xY2rT3uV4wB5nM6k.aB3dE5fG",
	"Nats-Msg-Id: 01JAZ8Q4X7N2M5P6R8S9T0V1W2-17",
	"http://localhost:3000/@scope/pkg",
	"ssh://git@github.com:22/owner/repo.git",
	"git@github.com:owner/repo.git",
	"https://example.com:8443/a?b=c@d",
	"toolu_01A09q90qw90lq917835lq9 and msg_01XFDUDYJgAACzvnptvVoYEL",
	"h1:ZKbq5kTFjOAQvPLY9e2VUZkGhpMJbRjNFNlBGbVlF0o=",
	"hash $2b$12$" + mix(53),
	"eyJhbGciOiJIUzI1NiJ9 is the header of a token",
	"SUAVE and SAAB are words; SOAP too",
	"FLASK_ENV=production AKIAFOO ASIA ghp_ glpat- xoxb-",
}

func TestCleanTextIsReturnedAsItIs(t *testing.T) {
	t.Parallel()
	for _, in := range clean {
		if got := redact.Text(in); got != in {
			t.Errorf("Text changed\n     %q\ninto %q", in, got)
		}
	}
	in := strings.Join(clean, "\n\n")
	if got := redact.Text(in); got != in {
		t.Errorf("Text changed the clean texts when they are joined")
	}
}

func TestCleanTextCostsNoAllocation(t *testing.T) {
	if testutil.Racing() {
		t.Skip("the race detector allocates")
	}
	for _, in := range clean {
		if low := strings.ToLower(in); strings.Contains(low, "authorization") || strings.Contains(low, "bearer ") || strings.Contains(low, "curl ") || strings.Contains(low, `\u`) {
			continue // expressions look at these, or an escape is decoded, which may allocate
		}
		if n := testing.AllocsPerRun(10, func() { redact.Text(in) }); n != 0 {
			t.Errorf("Text(%q) allocates %v times", in, n)
		}
	}
}
