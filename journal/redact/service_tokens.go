package redact

import (
	base64std "encoding/base64"
	"strings"
)

// This file finds the secrets of services that stand in a place of their own. Tokens with a shape of their own are in formats.txt.

func serviceRules() []Rule {
	return []Rule{
		{Name: "heroku-uuid", Kind: "heroku-key", Finds: "an API key of Heroku in the older form where it is assigned", Keywords: []string{"eroku"}, Fold: true, pattern: `(?i:\w*key)["'\\]*\s*[:=]+\s*["'\\]*([0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})`},

		{Name: "azure-shared-key", Kind: "azure-key", Finds: "the key in a connection string of Azure Storage, Service Bus or Event Hubs", Keywords: []string{"accountkey=", "sharedaccesskey="}, Fold: true, find: following(base64, 40), check: genuine},
		{Name: "azure-sas", Kind: "azure-sas", Finds: "the signature of an Azure shared access signature", Keywords: []string{"sig="}, apart: alnum, find: following(base64|percent, 40), check: genuine},

		{Name: "aws-secret-key", Kind: "aws-secret-key", Finds: "an AWS secret access key where it is assigned", Keywords: []string{"secret_access_key", "secretaccesskey", "secret-access-key", "secret access key", "aws_secret_key"}, Fold: true, pattern: `[\w -]+?(?i:key)["'\\]*\s*[:=]+\s*["'\\]*([\w+/=]{40,})`, check: genuine, generic: true},
		{Name: "aws-secret-beside", Kind: "aws-secret-key", Finds: "an AWS secret access key beside its key id", Keywords: []string{"AKIA", "ASIA"}, apart: alnum, pattern: `A[KS]IA[0-9A-Z]{16}[^\n]{0,48}?[^\w/+=]([\w/+]{40})(?:[^\w/+=]|$)`, check: chance},
		{Name: "hook-path", Kind: "webhook", Finds: "what stands for the key in the URL of a hook or a heartbeat", Keywords: []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/", "discord.com/api/webhooks/", "hooks.zapier.com/hooks/catch/", "hooks.zapier.com/hooks/standard/", ".make.com/", "hook.integromat.com/", "hc-ping.com/", "cronitor.link/p/", "nosnch.in/", "/heartbeat/", "webhook.site/", "/private-", "/genericWebhook/", ".infura.io/v3/", ".infura.io/ws/v3/", ".alchemy.com/v2/", ".alchemyapi.io/v2/", ".quiknode.pro/"}, find: following(word|slash, 7), check: func(v string) bool { return digit.in(v) > 2 || caseChanges(v) > 4 }},
		{Name: "byte-array", Kind: "private-key", Finds: "the 64 numbers of a key, in a file or a call that is made for them", Keywords: []string{"id.json", "keypair", "8array.from(", "secretkey"}, Fold: true, pattern: `[^\[\n]*\n?[^\[\n]*(\[\s*(?:\d{1,3},\s*){63}\d{1,3}\s*\])`},
		{Name: "jwk", Kind: "private-key", Finds: "the private members of a JSON web key", Keywords: []string{`"d":`, `"k":`, `"dp":`, `"dq":`, `"qi":`, `"p":`, `"q":`, `"d\":`}, pattern: `"\w+\\*": *\\*"([\w+/-]{30,})`, check: func(v string) bool { return chance(v) && !strings.HasPrefix(v, "0x") }, generic: true},
		{Name: "discord-token", Kind: "discord-token", Finds: "the token of a bot of Discord, which begins with its number", Keywords: discordNumbers(), apart: word | dot | slash | base64Sign, pattern: `\w{20,31}\.[\w-]{6}\.[\w-]{27,}`, check: genuine},

		{Name: "webhook", Kind: "webhook", Finds: "the secret parts of the URL of a webhook", Keywords: []string{"hook", "/magic", "/reset", "password/", "/invit", "invitation/", "/activat", "/confirm", "/verif", "/recover", "/unlock", "/key/"}, Fold: true, each: webhookParts, check: genuine},
		{Name: "accounts", Kind: "private-key", Finds: "the key of an account in the configuration of a chain, or in the list that one for tests prints", generic: true, Keywords: []string{"accounts", "(0) 0x", "(1) 0x", "(2) 0x", "(3) 0x", "(4) 0x", "(5) 0x", "(6) 0x", "(7) 0x", "(8) 0x", "(9) 0x"}, pattern: `(?:accounts["']?[:=] *\[\s*["']|\(\d\) )(0x[0-9a-f]{64})`},
		{Name: "stored-value", Kind: "secret", Finds: "the value of a resource of Terraform that keeps a secret: in a file, a plan, a state", Keywords: []string{"aws_ssm_parameter", "_key_vault_secret", "random_password", "_secret_version", "_actions_secret", "_project_variable", "_environment_variable", "_generic_secret", "_kv_secret"}, generic: true, window: 2 << 10, check: password,
			pattern: `\w+\\*"[^}]{0,900}?\b(?:value|result|secret_data|secret_string|plaintext_value)\\*"? *[=:] *\\*"([^"\\\n]{4,})`},
		{Name: "secret-id", Kind: "uuid-token", Finds: "a UUID that is the secret of a token of Nomad or Consul", Keywords: []string{"SecretID"}, pattern: `SecretID\\*["']?[:= ]+\\*["']?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`},
		{Name: "wifi-code", Kind: "password", Finds: "the password in the text of a QR code for a wireless network", Keywords: []string{"WIFI:"}, pattern: `WIFI:(?:[^;\n]|\\.)*;(?:[^;\n]*;)*?P:((?:\\.|[^;\n])+)`},
	}
}

// discordNumbers returns how base64 spells the first two digits of a number: of those that no word has as letters.
func discordNumbers() (all []string) {
	for _, first := range []byte("12367") {
		for second := byte('0'); second <= '9'; second++ {
			all = append(all, base64std.StdEncoding.EncodeToString([]byte{first, second, 0})[:3])
		}
	}
	return all
}

// following returns the way to find the bytes of a set behind a keyword, where there are least of them.
func following(set charset, least int) func(s string, at, end int) (from, to int) {
	return func(s string, _, end int) (from, to int) {
		n := set.run(s[end:])
		return placeIf(n >= least, end, end+n)
	}
}

// webhookParts finds what looks random in the path of a URL with the word hook in it.
func webhookParts(s string, at, end int) (found []span) {
	const least, parts = 16, word | dot | slash | percent | base64Sign
	begin := at - len(parts.tail(s[max(0, at-usualWindow):at]))
	url := s[begin : end+indexOr(s[end:], "\"'`<>()?# \t\r\n\\")]
	if host, _, ok := strings.Cut(strings.TrimLeft(url, "/"), "/"); !ok || !strings.Contains(host, ".") {
		return nil
	}
	for i := end - begin; i < len(url); {
		n := (word | percent).run(url[i:])
		if v := url[i : i+n]; n >= least && (chance(v) && !uuidLike(v) || uuidLike(v) && strings.Contains(url[:i], "IncomingWebhook")) {
			found = append(found, span{from: begin + i, to: begin + i + n})
		}
		i += max(n, 1)
	}
	return found
}
