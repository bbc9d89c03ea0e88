package redact_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"journal/journal/redact"
)

// harmlessValues are forms of values that are no secrets whatever their names are. §s§ and the like are names, see styled.
var harmlessValues = []string{
	"", "true", "false", "null", "None", "nil", "undefined", "~", "yes", "no", "<your-§k§>", "<§S§>", "xxxxxxxx", "XXXXXXXX", "changeme", "CHANGE_ME", "********", "...",
	"${§S§}", "$§S§", "${§S§:-}", "${env:§S§}", "{{ .Values.§c§ }}", "{{ §s§ }}", "${{ secrets.§S§ }}", "%(§s§)s", "process.env.§S§", "os.Getenv(§S§)",
	"vault://kv/§k§", "op://vault/§k§/value", "!Ref §c§", "ENC[AES256_GCM,data:§x§,type:str]", "[redacted:password]", "your-§k§-here", "your_§s§", "REPLACE_ME", "TODO", "<redacted>", "***",
	"%§S§%", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:§k§", "ssm:/app/§s§", "secret://§k§", "(none)", "<none>", "<nil>", "REDACTED", "[hidden]", "••••••••",
	"var.§s§", "$(cat /run/secrets/§s§)", "@@§S§@@", "{§s§}", "placeholder", "required", "optional", "(sensitive value)", "<sensitive>", "<set>", "not set",
}

// harmlessLines are where they stand.
var harmlessLines = []string{
	"§S§=§V§\n", "PORT=1\n§S§=§V§\nTZ=UTC\n", "export §S§=\"§V§\"\n", "db:\n  §s§: §V§\n  port: 1\n", "§c§: \"§V§\"\n", "{\"§c§\": \"§V§\", \"port\": 1}\n", "§s§ = \"§V§\"\n",
	"§d§=§V§\n", "<§c§>§V§</§c§>\n", "| §s§ | §V§ |\n", "X-§H§: §V§\n", "tool --§k§=\"§V§\" --verbose\n", "  §s§ = §V§\n", "- §S§=§V§\n", "§T§: §V§\n", "§s§: \"§V§\" # see the manual\n",
}

// harmlessTexts are what only looks as if it held a secret: §n§ is a number, §h§ an id, §H1§ a digest, §w§ a word,
// §x§ letters and digits.
var harmlessTexts = []string{
	// Numbers that count or measure, and names about a secret.
	"max_tokens: §n§\n", "\"token_count\": §n§,\n", "password_length = §n§\n", "TOKEN_TTL=§n§\n", "access_token_ttl=3600\n", "\"secret_version\": §n§\n", "password_min_length: 12\n",
	"token_type: bearer\n", "tokenUrl: https://a.test/oauth/token\n", "PASSWORD_FILE=/run/secrets/§w§\n", "password_hash_algorithm: argon2id\n", "secret_name: §w§-tls-§n§\n",
	"key_id: §h§\n", "secretName: §w§-§n§\n", "\"keyVersion\": \"§n§\"\n", "api_key_header: X-Api-Key\n", "password_field: user_pwd\n", "passwordResetUrl: https://a.test/reset\n",
	"api_key_enabled: true\n", "token_expires_at: 2026-11-22T10:00:00Z\n", "keyboard: us\n", "monkey: business-§n§\n", "author: bob-§n§\n", "primary_key: user_id_§n§\n", "foreign_key: order_§n§\n",
	"sort_key: created_at_§n§\n", "cache_key: page-§n§-§w§\n", "partition_key=tenant_§n§\n", "PUBLIC_KEY=ssh-ed25519-§w§\n", "ssh_key_path: ~/.ssh/id_ed25519\n", "private_key_path = \"/etc/ssl/§w§.pem\"\n",
	"tokenizer: cl100k_base\n", "next_page_token: CAUQ§n§\n", "idempotency_key: §h§\n", "passthrough: enabled-§n§\n", "bypass: §w§-§n§\n", "compass_direction: north-§n§\n",

	// Digests and ids.
	"commit §H1§\nAuthor: Bob <bob@a.test>\n", "sha256:§H1§§H1§\n", "etag: \"§h§\"\n", "request_id=§h§ status=200\n", "trace §h§ span §n§\n", "§H1§  dist/app-§n§.tar.gz\n", "uuid: §u§\n",
	"index 3f78685..b6e17af 100644\n", "image: registry.test/app@sha256:§H1§§h§\n", "integrity sha512-§x§§x§==\n", "\"resolved\": \"https://packages.test/a/-/a-1.0.0.tgz#§H1§\"\n",
	"\"id\":\"msg_§x§\",\"type\":\"message\"\n", "\"tool_use_id\":\"toolu_§x§\"\n", "github.com/a/b v1.2.§n§ h1:§x§§x§=\n", "Deployment §u§ finished in 12s\n", "fingerprint: SHA256:§x§§x§\n",
	"object §H1§ tree §H1§ parent §H1§\n", "X-Request-Id: §u§\n", "CF-RAY: §h§-FRA\n", "session §u§ started\n", "checksum = \"§H1§§h§\"\n", "md5: §h§\n", "docker run app:§H1§\n", "layer §h§ pushed\n",

	// Code of several languages.
	"\tpassword := os.Getenv(\"§S§\")\n", "\tif user.Password == \"\" {\n\t\treturn errNoPassword\n\t}\n", "\treturn &Config{Token: token, Secret: opts.Secret, Password: cfg.DB.Password}\n",
	"type Config struct {\n\tPassword string `json:\"password\"`\n\tAPIKey   string `yaml:\"api_key\"`\n}\n", "func (c *Client) SetPassword(password string) error {\n", "const token = req.headers.authorization;\n",
	"    self.password = password\n    self.token = token or self.default_token\n", "def login(user: str, password: str, token: Optional[str] = None) -> bool:\n", "password = getpass.getpass(\"Password: \")\n",
	"token = jwt.encode(payload, settings.SECRET_KEY, algorithm=\"HS256\")\n", "let secret = env::var(\"§S§\").expect(\"§S§ is not set\");\n", "pub struct Login { password: SecretString, token: Option<Token> }\n",
	"private String password;\nprivate final Token token = new Token();\n", "public string Password { get; set; }\n", "String secret = config.getString(\"app.secret\");\n", "$password = $_POST['password'];\n",
	"password: hashed_password,\n", "interface Props { token: string; password?: string | null; apiKey: ApiKey }\n", "const { password, token, apiKey } = props;\n", "password: Joi.string().min(8).required(),\n",
	"  secret: process.env.JWT_SECRET || '',\n", "password: bcrypt.hashSync(password, 10),\n", "token = response.json()[\"access_token\"]\n", "api_key = self._get_api_key(provider)\n",
	"var token = lexer.next(); if (token.kind === TokenKind.Identifier) return token.value;\n", "case Token.KEYWORD_§w§: return TokenType.Keyword;\n", "    password_hash = Column(String(128), nullable=False)\n",
	"password = forms.CharField(widget=forms.PasswordInput)\n", "token: &'a Token<'a>,\n", "secret: Vec<u8>,\n", "auth: AuthConfig::default(),\n", "key: KeyOf<T>,\n", "(token) => token.length > 0 && validate(token)\n",
	"cfg.Token = flags.String(\"token\", \"\", \"the token to use\")\n", "cmd.Flags().StringVar(&o.password, \"password\", \"\", \"password of the user\")\n", "if (password !== confirmPassword) { setError('password', 'no match'); }\n",
	"expect(screen.getByLabelText('Password')).toBeInTheDocument();\n", "<input type=\"password\" name=\"password\" placeholder=\"Password\" />\n", "<Label htmlFor=\"token\">Access token</Label>\n",
	"CREATE TABLE users (id INT, password VARCHAR(255) NOT NULL, api_key TEXT);\n", "SELECT token, expires_at FROM tokens WHERE token = $1;\n", "password = models.CharField(max_length=128)\n",
	"val password: String = intent.getStringExtra(KEY_PASSWORD)\n", "guard let token = keychain.token else { return nil }\n", "attr_accessor :password, :token\n", "has_secure_password validations: false\n",
	"    token = tokens[index + 1]\n    secret = derive(seed, salt)\n", "const apiKey = config.get('api.key');\n", "Token token = parser.nextToken();\n", "char *password = NULL;\nsize_t token_len = 0;\n",
	"static const struct token keywords[] = { { \"if\", TOK_IF }, { \"for\", TOK_FOR } };\n", "assert token == \"expected\"\n", "t.Run(\"password is required\", func(t *testing.T) {\n",
	"import { Secret, Token } from './auth/token';\n", "from app.secrets import get_secret, SecretStore\n", "password=password, token=token, secret=self.secret\n", "raise ValueError(f\"bad token: {token!r}\")\n",

	// Documentation, sentences, messages.
	"The password must be at least 12 characters long.\n", "password: must be strong\n", "Password: at least 8 characters, one digit\n", "- `password`: the password of the user\n", "Use the token to call the API; see the docs.\n",
	"| `token` | string | The token of the caller |\n", "| password | required | at least 8 |\n", "Token: a unit of text that the model reads.\n", "Set `API_KEY` to your key before you start.\n", "A secret is stored by its name.\n",
	"error: invalid password for user §w§\n", "warning: token expired at 10:22\n", "FATAL: password authentication failed for user \"§w§\"\n", "Error: secret \"§w§-tls\" not found\n", "token refresh failed: timeout after 30s\n",
	"비밀번호는 12자 이상이어야 합니다.\n", "비밀번호: 필수\n", "토큰: 인증에 쓰는 문자열\n", "パスワードは必須です。\n", "密码：必填\n", "Das Passwort ist zu kurz.\n", "El token ha caducado.\n", "비밀번호를 변경하려면 설정을 여세요.\n",
	"He said the password is a word that nobody knows.\n", "Use a password manager.\n", "The secret of good bread: time.\n", "Key: value pairs are separated by commas.\n", "Auth: see section 3\n", "API key: ask the team lead\n",
	"Password reset: click the link\n", "Login with your GitHub account / SSO\n", "the password is stored hashed\n", "token is invalid or expired\n", "Enter passphrase (empty for no passphrase): \n", "[sudo] password for bob: \n",
	"Password for 'https://bob@git.test': \n", "Changing password for bob.\nNew password: \n", "2024-05-17 INFO auth: token validated for user §n§\n", "PASS: TestToken§n§ (0.01s)\n", "--- FAIL: TestSecret (0.00s)\n",
	"✓ login with a wrong password fails (12 ms)\n", "token: 42 tokens left\n", "tokens: 1,204 in, 567 out\n", "secrets: 3 found, 0 new\n", "key: Enter to select, q to quit\n",

	// Outputs of tools.
	"NAME        TYPE     DATA   AGE\n§w§-tls     Opaque   2      §n§d\n", "drwxr-xr-x 2 bob bob 4096 Nov 22 16:19 secrets\n", "secret/§w§ configured\n", "src/token.go:12:func Token() string {\n", "docs/password.md:3:## Password\n",
	"+	password string\n-	pass string\n", " M internal/token/token_§w§.go\n", "On branch token-refresh-§n§\n", "Created secret §w§-§n§\n", "kubectl get secret §w§ -o jsonpath='{.data.password}'\n", "aws secretsmanager get-secret-value --secret-id §w§/db\n",
	"gh secret set §S§ < file.txt\n", "gh auth token | docker login ghcr.io -u bob --password-stdin\n", "vault kv get -field=password kv/§w§\n", "pass show email/§w§\n", "ssh-keygen -t ed25519 -f id_§w§\n", "grep -rn \"password\" src/ | head\n",
	"curl -H \"Authorization: Bearer $TOKEN\" https://a.test\n", "curl -u \"$USER:$PASS\" https://a.test\n", "docker run -e §S§ -e PORT=80 app\n", "docker run -e §S§=$§S§ app\n", "psql \"postgres://app:$PGPASSWORD@db/shop\"\n",
	"mysql -u root -p shop < dump.sql\n", "openssl rand -hex 32\n", "password=$(cat /run/secrets/db)\n", "TOKEN=$(gh auth token)\n", "export §S§=\"$(pass show §w§)\"\n", "read -s -p \"Password: \" §S§\n", "unset §S§\n",
	"env:\n  §S§:\n    valueFrom:\n      secretKeyRef:\n        name: §w§\n        key: §s§\n", "secrets:\n  - source: §w§\n    target: §s§\n", "variable \"§s§\" {\n  type      = string\n  sensitive = true\n}\n",
	"password = var.§s§\n", "  §s§ = data.aws_secretsmanager_secret_version.§w§.secret_string\n", "  §s§ = (sensitive value)\n", "§c§:\n  type: string\n  description: The value to log in with\n",
	"\"§s§\": {\"type\": \"string\", \"format\": \"password\"}\n", "properties:\n  password:\n    type: string\n    minLength: 8\n", "§s§: !vault |\n", "§s§ = os.environ[\"§S§\"]\n", "§c§: getenv('§S§'),\n", "required: [user, password]\n", "\"required\": [\"password\", \"token\"]\n",
}

// lookalike makes one of them with names and words of a seed.
func (g seeds) lookalike(text, value string) string {
	name := g.telling()
	pairs := []string{"§w§", g.of("blue", "north", "main", "demo", "orders"), "§n§", g.letters("123456789", 4), "§h§", g.letters(digits+"abcdef", 32),
		"§H1§", g.letters(digits+"abcdef", 40), "§u§", g.value("uuid", 0), "§x§", g.letters(mixedSet, 24)}
	for _, style := range []byte("SsckdHT") {
		pairs = append(pairs, "§"+string(style)+"§", styled(name, style))
	}
	fill := strings.NewReplacer(pairs...)
	return strings.ReplaceAll(fill.Replace(text), "§V§", fill.Replace(value))
}

// lookalikes makes n of each.
func lookalikes(seed uint64, n int) (all []string) {
	g := seeds{rand.New(rand.NewPCG(seed, 99))}
	for range n {
		for _, text := range harmlessTexts {
			all = append(all, g.lookalike(text, ""))
		}
		for _, value := range harmlessValues {
			for range 3 {
				all = append(all, g.lookalike(g.of(harmlessLines...), value))
			}
		}
	}
	return all
}

// What only looks like a secret stays: of 1,000 at most three are changed.
func TestLookalikes(t *testing.T) {
	t.Parallel()
	all := append(lookalikes(seedOfSets, 5), files(t)...)
	changed := 0
	for _, in := range all {
		if got := redact.Text(in); got != in {
			changed++
			t.Logf("%s\nbecame %s", in, got)
		}
	}
	t.Logf("%d of %d changed", changed, len(all))
	if len(all) < 1500 || changed*1000 > 3*len(all) {
		t.Errorf("more than 3 in 1,000")
	}
}

// files returns the project's code and documents in pieces of 30 lines, without tests and files about redaction, which contain
// secrets.
func files(t *testing.T) (all []string) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "redact") || strings.HasSuffix(path, "_test.go") || strings.Contains(strings.ToLower(path), "secret") || !slices.Contains([]string{".go", ".md", ".json"}, filepath.Ext(path)) {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for piece := range slices.Chunk(strings.SplitAfter(string(b), "\n"), 30) {
			if text := strings.Join(piece, ""); !strings.Contains(text, "<private>") && strings.ContainsAny(strings.ToLower(text), ":=") {
				all = append(all, text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
