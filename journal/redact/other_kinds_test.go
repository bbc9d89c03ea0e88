package redact_test

import (
	"encoding/base64"
	"strings"
)

func hexOf(n int) func(seeds) string {
	return func(g seeds) string { return g.sure(digits+"abcdef", n) }
}

// encoded returns the base64 of an assignment.
func encoded(g seeds) string {
	line := "PORT=8080\n" + styled(g.telling(), 'S') + "=" + g.sure(mixedSet, 16) + "\nDEBUG=1\n"
	return base64.StdEncoding.EncodeToString([]byte(line))
}

func encodedValue(g seeds) string {
	return base64.StdEncoding.EncodeToString([]byte(generated[g.IntN(len(generated))].make(g)))
}

func mnemonic(g seeds) string {
	list := make([]string, 12)
	for i := range list {
		list[i] = g.of("abandon", "ability", "able", "about", "above", "absent", "absorb", "abstract", "absurd", "abuse", "access", "accident", "zebra", "zone",
			"zoo", "legal", "winner", "thank", "year", "wave", "sausage", "worth", "useful", "letter", "advice", "cage", "amount", "doctor", "acoustic", "avoid")
	}
	return strings.Join(list, " ")
}

func keyLine(g seeds) string { return g.letters(mixedSet+"+/", 40) }

// otherKinds are sentences, values on another line, encodings, calls, services and commands.
var otherKinds = []kind{
	// Sentences.
	{"", "prose", "You can login with admin / §V§ on staging.\n", nil},
	{"", "prose", "use §V§ as the password\n", nil},
	{"", "prose", "관리자 계정 admin / §V§ 로 접속하세요\n", nil},
	{"", "prose", "인증키: §V§\n", nil},
	{"", "prose", "密码是 §V§\n", nil},
	{"", "prose", "비밀번호는 §V§ 입니다\n", nil},
	{"", "prose", "the password for §w§ is §V§\n", nil},
	{"", "prose", "Its password is \"§V§\", please change it.\n", nil},
	{"", "prose", "パスワードは §V§ です\n", nil},

	// On the next line.
	{"", "", "curl -H 'Accept: */*' \\\n  -H 'Authorization: Bearer \\\n§V§'\n", nil},
	{"", "word", "Authorization: Bearer \\\n§V§\n", nil},
	{"", "word", "export §S§=\\\n§V§\n", nil},
	{"x.ini", "", "§s§ =\n   §V§\nuser = bob\n", nil},
	{"", "plain", "§s§:\n\n§V§\n", nil},
	{"", "double", "  \"§c§\":\n    \"§V§\",\n", nil},
	{"x.yaml", "", "§s§: |\n  §V§\nother: 1\n", nil},
	{"x.yaml", "", "§s§: >-\n  §V§\n", nil},

	// Encoded.
	{"", "", "§V§\n", encoded},
	{"", "", "echo §V§ | base64 -d > .env\n", encoded},
	{"secret.yaml", "", "apiVersion: v1\nkind: Secret\ntype: Opaque\ndata:\n  §k§: §V§\n", encodedValue},
	{"", "", "echo '§V§' | base64 --decode\n", encodedValue},

	// Headers.
	{"", "", "Authorization: SSWS §V§\n", hexOf(42)},
	{"", "", "Authorization: Bearer {§V§}\n", hexOf(40)},

	// Calls.
	{"a.py", "", "client = Client('AC§h§', '§V§')\n", hexOf(32)},
	{"a.py", "word", "co = cohere.Client('§V§')\n", func(g seeds) string { return g.sure(mixedSet, 40) }},
	{"a.js", "", "const s = algoliasearch('ABCDEF1234', '§V§');\n", hexOf(32)},
	{"a.ts", "", "const w = new ethers.Wallet('0x§V§', provider);\n", hexOf(64)},
	{"bot.py", "", "bot.run('§V§')\n", func(g seeds) string {
		return g.sure(mixedSet, 24) + "." + g.sure(mixedSet, 6) + "." + g.sure(mixedSet+"-_", 38)
	}},
	{"a.py", "double", "conn = connect(host='a', user='b', password=\"§V§\")\n", nil},

	// Services.
	{"keys.md", "cell", "| Access key id | Secret access key |\n|---|---|\n| AKIA§n§ABCDEFGH§n§ | §V§ |\n", func(g seeds) string { return g.sure(mixedSet, 40) }},
	{"", "", "https://contoso.webhook.office.com/webhookb2/550e8400-e29b-41d4-a716-446655440000@650e8400-e29b-41d4-a716-446655440000/IncomingWebhook/§V§/750e8400-e29b-41d4-a716-446655440000\n", hexOf(32)},
	{"", "", "mnemonic: §V§\n", mnemonic},
	{"", "", "MNEMONIC=\"§V§\"\n", mnemonic},
	{"", "", "Seed phrase: §V§\n", mnemonic},
	{"", "", "Unseal Key 1: §V§\nUnseal Key 2: x\n", func(g seeds) string { return g.sure(mixedSet+"+/", 43) + "=" }},
	{"", "", "Initial Root Token: §V§\n", func(g seeds) string { return "hvs." + g.sure(mixedSet, 24) }},
	{"", "", "airtable: pat§V§\n", func(g seeds) string { return g.sure(mixedSet, 14) + "." + g.sure(digits+"abcdef", 64) }},
	{"", "", "use access_token$production$§V§ here\n", func(g seeds) string {
		return g.sure(digits+small, 16) + "$" + g.sure(digits+"abcdef", 32)
	}},

	// Commands.
	{"", "word", "net user bob §V§ /add\n", nil},
	{"", "word", "xfreerdp /v:host1 /u:bob /p:§V§ /cert:ignore\n", nil},
	{"", "single", "rabbitmqctl add_user bob '§V§'\n", nil},
	{"", "single", "kinit bob@EXAMPLE.COM <<< '§V§'\n", nil},
	{"", "", "-----BEGIN PRIVATE KEY-----\n§V§\n§h§ trailing words\n-----END PRIVATE KEY-----\n", keyLine},
	{"", "single", "mysql -u root -p'§V§' shop\n", nil},
	{"", "single", "curl -u 'bob:§V§' https://a.test\n", nil},
	{"", "single", "sshpass -p '§V§' ssh bob@host1\n", nil},
	{"", "single", "echo '§V§' | sudo -S ls\n", nil},
	{"", "yaml", "ALTER USER bob WITH PASSWORD '§V§';\n", nil},
	{".netrc", "", "machine a.test\n  login bob\n  password §V§\n", nil},
	{".npmrc", "", "//registry.test/:_authToken=§V§\n", nil},
}

// otherHeldOut are held-out ways: no rule was developed with them.
var otherHeldOut = []kind{
	{"", "prose", "Log in as root with §V§ (staging only)\n", nil},
	{"", "prose", "try §V§ as password and tell me\n", nil},
	{"", "prose", "테스트 계정은 tester / §V§ 입니다\n", nil},
	{"", "prose", "API 키: §V§\n", nil},
	{"", "prose", "用户名 admin，密码：§V§\n", nil},
	{"", "prose", "credentials: bob / §V§\n", nil},
	{"", "prose", "username: bob, password: §V§\n", nil},
	{"", "word", "docker login --username bob --password \\\n  §V§ reg.test\n", nil},
	{"", "double", "\"§s§\":\n\"§V§\"\n", nil},
	{"x.toml", "", "§s§ = '''\n§V§'''\n", nil},
	{"", "", "base64 -d <<< §V§ > .env\n", encoded},
	{"s.json", "", "{\"kind\":\"Secret\",\"data\":{\"§s§\":\"§V§\"}}\n", encodedValue},
	{"", "", "-H 'Authorization: SSWS §V§'\n", func(g seeds) string { return "00" + g.sure(mixedSet+"-_", 40) }},
	{"a.rb", "", "c = Twilio::REST::Client.new('AC§h§', '§V§')\n", hexOf(32)},
	{"a.js", "", "client.login('§V§')\n", func(g seeds) string {
		return g.sure(mixedSet, 24) + "." + g.sure(mixedSet, 6) + "." + g.sure(mixedSet+"-_", 38)
	}},
	{"", "cell", "Key ID | Secret\n---|---\nk§n§ | §V§\n", func(g seeds) string { return g.sure(mixedSet, 32) }},
	{"", "", "recovery phrase = §V§\n", mnemonic},
	{"", "word", "net user /add bob §V§\n", nil},
	{"", "single", "rabbitmqctl change_password bob '§V§'\n", nil},
	{"", "word", "cmdkey /add:host1 /user:bob /pass:§V§\n", nil},
	{"", "single", "echo \"bob:§V§\" | chpasswd\n", nil},
	{"", "single", "PGPASSWORD='§V§' psql -h db1\n", nil},
	{"", "single", "redis-cli -a '§V§' ping\n", nil},
	{"", "word", "https://bob:§V§@git.test/a.git\n", nil},
	{"a.properties", "", "# x\n§d§ §V§\n", nil},
	{".pgpass", "prose", "db1:5432:shop:bob:§V§\n", nil},
}

// lastHeldOut are written after the rules were mended by those above.
var lastHeldOut = []kind{
	{".env.test", "", "# db\n§S§=§V§ # local\nB=2\n", nil},
	{"x.sh", "double", "local §s§=\"§V§\"\n", nil},
	{"Jenkinsfile", "single", "environment {\n  §S§ = '§V§'\n}\n", nil},
	{"values.yaml", "plain", "auth:\n    enabled: true\n    §c§:   §V§\n", nil},
	{"a.yaml", "yaml", "- {name: x, §s§: '§V§'}\n", nil},
	{"a.json", "double", "{\"users\":[{\"id\":§n§,\"§c§\":\"§V§\"},{\"id\":2}]}\n", nil},
	{"", "double", "  §c§: \"§V§\",\n", nil},
	{"a.ini", "", "[db]\n§k§=\"§V§\"\n", nil},
	{"a.hcl", "double", "§s§ : \"§V§\"\n", nil},
	{"a.xml", "xml", "<user name=\"bob\" §k§=\"§V§\"></user>\n", nil},
	{"", "single", "wget --header='X-§H§: §V§' https://a.test\n", nil},
	{"", "single", "deploy --env prod --§c§ '§V§'\n", nil},
	{"", "double", "INFO config loaded: §s§=\"§V§\" host=db1\n", nil},
	{"", "", "    §S§: §V§\n", nil},
	{"", "", "§S§      = §V§\n", nil},
	{"r.md", "cell", "|§s§|`§V§`|\n", nil},
	{"", "", "-§s§: §V§\n+§s§: §V§\n", nil},
	{"", "", "    \u001b[32m§s§\u001b[0m: §V§\n", nil},
	{"", "", "output: §s§ = §V§\n", nil},
}
