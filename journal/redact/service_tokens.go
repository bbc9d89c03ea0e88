package redact

import (
	base64std "encoding/base64"
	"strings"
)

// This file says how the tokens of services look: what begins them, and what follows.

var _ = declare(100, []Rule{
	// Where programs and their data run.
	shape("heroku-key", "heroku-key", alnum, word, 36, genuine, "an API key of Heroku", "HRKU-"),
	{Name: "heroku-uuid", Kind: "heroku-key", Finds: "an API key of Heroku in the older form where it is assigned", Keywords: []string{"eroku"}, Fold: true, pattern: `(?i:\w*key)["'\\]*\s*[:=]+\s*["'\\]*([0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})`},
	shape("vault-token", "vault-token", alnum, word, 24, genuine, "a service, batch or recovery token of Vault", "hvs.", "hvb.", "hvr."),
	{Name: "terraform-token", Kind: "terraform-token", Finds: "a token of HCP Terraform", Keywords: []string{".atlasv1."}, lead: alnum, leads: 14, body: base64 | word, least: 60, check: genuine},
	shape("fly-token", "fly-token", alnum, base64|word, 40, genuine, "an access token of Fly.io", "fm1a_", "fm1r_", "fm2_", "fo1_", "FlyV1 fm"),

	{Name: "azure-shared-key", Kind: "azure-key", Finds: "the key in a connection string of Azure Storage, Service Bus or Event Hubs", Keywords: []string{"accountkey=", "sharedaccesskey="}, Fold: true, body: base64, least: 40, behind: true, check: genuine},
	{Name: "azure-sas", Kind: "azure-sas", Finds: "the signature of an Azure shared access signature", Keywords: []string{"sig="}, apart: alnum, body: base64 | percent, least: 40, behind: true, check: genuine},
	{Name: "azure-devops-token", Kind: "azure-devops-token", Finds: "a personal access token of Azure DevOps", Keywords: []string{"AZDO"}, lead: alnum, leads: 76, body: alnum, least: 4, check: genuine},
	{Name: "azure-client-secret", Kind: "azure-client-secret", Finds: "a client secret of Microsoft Entra ID", Keywords: []string{"8Q~", "7Q~"}, apart: word, lead: dotted | tilde, leads: 3, body: dotted | tilde, least: 31},

	shape("aws-access-key", "aws-access-key", alnum, digit|upper, 16, genuine, "an AWS access key id", "AKIA", "ASIA"),
	{Name: "aws-secret-key", Kind: "aws-secret-key", Finds: "an AWS secret access key where it is assigned", Keywords: []string{"secret_access_key", "secretaccesskey", "secret-access-key", "secret access key", "aws_secret_key"}, Fold: true, pattern: `[\w -]+?(?i:key)["'\\]*\s*[:=]+\s*["'\\]*([\w+/=]{40,})`, check: genuine, generic: true},
	{Name: "aws-secret-beside", Kind: "aws-secret-key", Finds: "an AWS secret access key beside its key id", Keywords: []string{"AKIA", "ASIA"}, apart: alnum, pattern: `A[KS]IA[0-9A-Z]{16}[^\n]{0,48}?[^\w/+=]([\w/+]{40})(?:[^\w/+=]|$)`, check: chance},
	shape("aws-session-token", "aws-session-token", alnum, base64, 100, genuine, "a session token of AWS", "IQoJb3JpZ2lu", "FwoGZXIvYXdz"),
	shape("openshift-token", "openshift-token", alnum, word, 43, genuine, "a token of OpenShift", "sha256~"),
	{Name: "aws-bedrock-key", Kind: "aws-bedrock-key", Finds: "an API key of Amazon Bedrock", Keywords: []string{"ABSK"}, apart: alnum, body: base64, least: 100},

	// The private key of a service account is a PEM block; see private_key.go.
	shape("google-api-key", "google-api-key", alnum, word, 35, genuine, "a Google API key", "AIza"),
	shape("google-oauth-secret", "google-oauth-secret", alnum, word, 24, genuine, "a client secret of Google OAuth", "GOCSPX-"),
	shape("google-oauth-token", "google-oauth-token", alnum, dotted, 30, random, "an access or refresh token of Google OAuth", "ya29."),

	{Name: "nats-seed", Kind: "nats-seed", Finds: "the seed of a NATS user, account, operator or curve key", Keywords: []string{"SUA", "SAA", "SOA", "SXA"}, apart: word, body: upper | base32Digit, least: 55, check: random},

	// Code hosts.
	shape("github-token", "github-token", alnum, alnum|underscore, 36, genuine, "a GitHub token: personal, fine-grained, OAuth, of an app's user or installation, refresh", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
	shape("gitlab-token", "gitlab-token", alnum, dotted, 20, random, "a GitLab token: personal, deploy, runner, job, trigger, feed, agent, OAuth", "glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-", "glwt-", "GR1348941"),
	{Name: "atlassian-token", Kind: "atlassian-token", Finds: "an Atlassian API or access token", Keywords: []string{"ATT3", "CTT3"}, apart: alnum, lead: upper, leads: 2, body: base64 | word, least: 40, check: genuine},

	// Registries of packages and images.
	shape("npm-token", "npm-token", alnum, alnum, 36, genuine, "an access token of npm", "npm_"),
	{Name: "npmrc-auth", Kind: "npm-token", Finds: "the credentials in an .npmrc", Keywords: []string{"_authToken=", "_auth="}, body: base64 | word, least: 16, behind: true, check: chance},
	shape("crates-token", "crates-token", word, alnum, 32, random, "an API token of crates.io", "cio"),
	shape("nuget-key", "nuget-key", word, lower|digit, 43, random, "an API key of NuGet", "oy2"),

	// Services whose tokens have a prefix of their own and nothing else to say. What follows the prefix looks random.
	shape("service-token", "service-token", word|dot|slash, word|dot|percent, 24, unmistakableToken, "a token with the prefix of a service: Resend, Pinecone, Brevo, PostHog, Contentful, and others", "CLOJARS_", "AVNS_", "v1.0-", "pcsk_", "tvly-", "jina_", "phx_", "phs_", "rzp_live_", "rzp_test_", "FLWSECK", "EZAK", "EZTK", "shippo_live_", "secret_", "CFPAT-", "AKCp", "cmVmdGtu", "mlsn.", "xkeysib-", "sec-c-", "AKID", "rnd_", "tfp_", "sgp_", "bkua_", "CCIPAT_", "rdme_", "duffel_live_", "duffel_test_", "nvapi-", "amzn.mws.", "amzn1.oauth2-cs.", "rpa_", "napi_", "IGQV", "vk1.a.", "pnu_", "pnb_", "squ_", "sqp_", "sqa_", "apify_api_", "waka_", "ddp_", "sk.eyJ1", "EAAA", "EAAC", "EAAE", "EAAF", "EAAG", "EAAH", "EAAB", "EAAD", "bws_", "cpl_", "ak_live_", "key_live_", "key_test_", "gAAAAA", "AAAAAAAAAAAAAAAAAAAAA", "pplx_", "fc-", "re_", "sk_", "fw_", "csk-", "sl.A", "sl.B", "sl.C", "sl.u.", "aio_", "hvs_", "xoxb", "BBDC-", "ATTA", "AQVN", "AKLT", "Atza|", "Atzr|", "dG9rO", "eyJrIjoi", "tgp_v1_", "EAAI", "EAAJ", "EAAO", "EAAP", "IGAA", "YCAJE", "y0_", "y1_", "y2_", "y3_", "fio-u-", "p8e-", "v2.local.", "v3.local.", "v4.local.", "1//0", "APP_USR-"),
	// Prefixes that are long enough to stand for themselves.
	shape("service-key", "service-token", word|dot|slash, word|dot|percent, 16, random, "a token with a long prefix of a service: DigitalOcean, Databricks, Grafana, Linear, Notion, Figma, PyPI, RubyGems, and others",
		"sq0atp-", "sq0csp-", "gsk_", "xai-", "pplx-", "r8_", "lsv2_pt_", "lsv2_sk_", "lin_api_", "lin_oauth_", "glsa_", "glc_", "NRAK-", "NRII-", "PMAK-", "ntn_", "figd_", "figo_", "ops_eyJ", "dt0c01.", "dt0s01.", "dop_v1_", "doo_v1_", "dor_v1_", "dapi", "nfp_", "sbp_", "sb_secret_", "pscale_pw_", "pscale_tkn_", "pscale_oauth_", "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "pul-", "tskey-", "pypi-", "rubygems_", "dckr_pat_", "dckr_oat_", "LTAI", "ATBB", "pnu_", "pnb_", "ddw_", "ucat_", "mdb_sa_sk_", "depot_org_", "depot_user_", "pdl_live_", "pdl_sdbx_", "os_v2_", "wandb_v1_", "n8n_api_", "bb_live_", "e2b_", "unkey_", "esecret_", "sktsec_", "hbp_", "xaat-", "xapt-", "hcaik_", "hcbik_", "figdr_", "PMAT-", "snyk_uat.", "slk_", "gltst-", "glcbt-", "NRJS-", "NRRA-", "nfc_", "nfu_", "nfb_", "xsmtpsib-", "s-s4t2ud-", "s-s4t2af-", "WPL_AP1.", "shptka_", "sm_aat_", "sm_pat_", "sm_sat_", "CCIPRJ_", "bkpt_", "bkat_", "dp.scim.", "dp.audit.", "cfut_", "cfat_", "ico-", "pina_", "nsec1", "xprv", "zprv", "yprv", "tprv", "SWMTKN-1-", "bce-v3/ALTAK-", "django-insecure-", "secret-live-", "secret-test-", "FLWSECK_TEST-", "sk-helicone-", "aivenv1", "live_sk_", "live_gsk_", "pk_prod_", "comp_live_", "acct_secret_", "ghost_", "gsk_live_", "vcp_", "lt_secret_", "sandbox_sk_", "lip_", "zpka_", "hapi_", "dnkey-", "seam_", "logfire_", "pylf_v1_", "dsec_"),
	shape("facebook-token", "service-token", base64, alnum, 60, unmistakableToken, "an access token of Facebook", "EAA"),
	{Name: "laravel-key", Kind: "encryption-key", Finds: "a key that Laravel made", Keywords: []string{"base64:"}, apart: word | slash, body: base64, least: 43, check: func(v string) bool { return len(v) == len("base64:")+44 && v[len(v)-1] == '=' }},
	{Name: "newrelic-key", Kind: "service-token", Finds: "a licence of New Relic", Keywords: []string{"NRAL"}, lead: hex | upper, leads: 36, body: alnum, check: genuine},
	{Name: "maxmind-key", Kind: "service-token", Finds: "a licence of MaxMind", Keywords: []string{"_mmk"}, lead: word, leads: 36, body: alnum, check: genuine},
	shape("airtable-key", "airtable-token", alnum, alnum|dot, 75, unmistakableToken, "a personal access token of Airtable, wherever it stands", "pat"),
	{Name: "hook-path", Kind: "webhook", Finds: "what stands for the key in the URL of a hook or a heartbeat", Keywords: []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/", "discord.com/api/webhooks/", "hooks.zapier.com/hooks/catch/", "hooks.zapier.com/hooks/standard/", ".make.com/", "hook.integromat.com/", "hc-ping.com/", "cronitor.link/p/", "nosnch.in/", "/heartbeat/", "webhook.site/", "/private-", "/genericWebhook/", ".infura.io/v3/", ".infura.io/ws/v3/", ".alchemy.com/v2/", ".alchemyapi.io/v2/", ".quiknode.pro/"}, body: word | slash, least: 7, behind: true, check: func(v string) bool { return digit.in(v) > 2 || caseChanges(v) > 4 }},
	{Name: "byte-array", Kind: "private-key", Finds: "the 64 numbers of a key, in a file or a call that is made for them", Keywords: []string{"id.json", "keypair", "8array.from(", "secretkey"}, Fold: true, pattern: `[^\[\n]*\n?[^\[\n]*(\[\s*(?:\d{1,3},\s*){63}\d{1,3}\s*\])`},
	{Name: "jwk", Kind: "private-key", Finds: "the private members of a JSON web key", Keywords: []string{`"d":`, `"k":`, `"dp":`, `"dq":`, `"qi":`, `"p":`, `"q":`, `"d\":`}, pattern: `"\w+\\*": *\\*"([\w+/-]{30,})`, check: func(v string) bool { return chance(v) && !strings.HasPrefix(v, "0x") }, generic: true},
	{Name: "discord-token", Kind: "discord-token", Finds: "the token of a bot of Discord, which begins with its number", Keywords: discordNumbers(), apart: word | dot | slash | base64Sign, pattern: `\w{20,31}\.[\w-]{6}\.[\w-]{27,}`, check: genuine},

	// Payment and shops.
	shape("stripe-key", "stripe-key", alnum, base64, 16, genuine, "a secret or restricted key of Stripe, or the secret of a webhook", "sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_"),
	shape("shopify-token", "shopify-token", alnum, hex, 32, genuine, "a token or shared secret of Shopify", "shpat_", "shpca_", "shppa_", "shpss_"),
	{Name: "braintree-token", Kind: "braintree-token", Finds: "an access token of Braintree", Keywords: []string{"access_token$"}, pattern: `access_token\$\w+\$[0-9a-z]{10,}\$[0-9a-f]{32}`},

	// Vendors and hosts of language models.
	shape("openai-key", "openai-key", alnum, word, 20, chance, "a key of OpenAI: of a user, a project, a service account, an admin, or of a vendor that writes its keys alike", "sk-"),
	shape("anthropic-key", "anthropic-key", alnum, word, 20, genuine, "an API, admin or OAuth key of Anthropic", "sk-ant-"),
	shape("huggingface-token", "huggingface-token", alnum, alnum, 30, genuine, "a user or organisation token of Hugging Face", "hf_", "api_org_"),

	// Services that send mail and short messages.
	shape("twilio-key", "twilio-key", word, hex, 31, genuine, "an API key of Twilio", "SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd", "SKe", "SKf"),
	{Name: "sendgrid-key", Kind: "sendgrid-key", Finds: "an API key of SendGrid", Keywords: []string{"SG."}, apart: alnum, pattern: `SG\.[\w-]{16,}\.[\w-]{32,}`, check: genuine},
	shape("mailgun-key", "mailgun-key", word, hex, 32, genuine, "an API key of Mailgun", "key-"),
	{Name: "mailchimp-key", Kind: "mailchimp-key", Finds: "an API key of Mailchimp", Keywords: []string{"-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"}, apart: word, lead: hex, leads: 32, body: digit},

	shape("slack-token", "slack-token", alnum, dotted|base64Sign|percent, 16, random, "a Slack token of a bot, user, app or session", "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxe.xox", "xapp-"),
	{Name: "webhook", Kind: "webhook", Finds: "the secret parts of the URL of a webhook", Keywords: []string{"hook", "/magic/", "/reset/", "/invite/", "/activate/", "/confirm/", "/key/"}, Fold: true, each: webhookParts, check: genuine},
	{Name: "telegram-bot-token", Kind: "telegram-token", Finds: "the token of a bot of Telegram, which begins with its number", Keywords: []string{":AA"}, lead: digit, leads: 8, body: word, least: 31, check: genuine},

	// Trackers, documents, monitoring and other tools of a team.
	shape("sentry-token", "sentry-token", alnum, base64|word, 40, genuine, "an organisation or user token of Sentry", "sntrys_", "sntryu_"),
	{Name: "uuid-token", Kind: "uuid-token", Finds: "a UUID behind what begins a token of HubSpot or Plaid, or the URL of a webhook of WeCom or Lark", Keywords: []string{"webhook/send?key=", "/bot/v2/hook/", "pat-na1-", "pat-eu1-", "access-production-", "access-sandbox-", "access-development-"}, body: hex | hyphen, least: 36, behind: true},
	{Name: "accounts", Kind: "private-key", Finds: "the key of an account in the configuration of a chain, or in the list that one for tests prints", generic: true, Keywords: []string{"accounts", "(0) 0x", "(1) 0x", "(2) 0x", "(3) 0x", "(4) 0x", "(5) 0x", "(6) 0x", "(7) 0x", "(8) 0x", "(9) 0x"}, pattern: `(?:accounts["']?[:=] *\[\s*["']|\(\d\) )(0x[0-9a-f]{64})`},
	{Name: "secret-id", Kind: "uuid-token", Finds: "a UUID that is the secret of a token of Nomad or Consul", Keywords: []string{"SecretID"}, pattern: `SecretID\\*["']?[:= ]+\\*["']?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`},
	{Name: "node-token", Kind: "token", Finds: "the token with which a node joins a cluster of K3s", Keywords: []string{"::server:", "::node:"}, body: hex, least: 24, behind: true, check: genuine},
	{Name: "wifi-code", Kind: "password", Finds: "the password in the text of a QR code for a wireless network", Keywords: []string{"WIFI:"}, pattern: `WIFI:(?:[^;\n]|\\.)*;(?:[^;\n]*;)*?P:((?:\\.|[^;\n])+)`},
})

// unmistakableToken reports whether a token with a prefix that also begins words is one: long, and random throughout.
func unmistakableToken(secret string) bool {
	return genuine(secret) && digit.in(secret) > 1 && chance(secret) && !uuidLike(secret)
}

// discordNumbers gives how base64 spells the first two digits of a number: of those that no word has as letters.
func discordNumbers() (all []string) {
	for _, first := range []byte("12367") {
		for second := byte('0'); second <= '9'; second++ {
			all = append(all, base64std.StdEncoding.EncodeToString([]byte{first, second, 0})[:3])
		}
	}
	return all
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
