package redact

var _ = declare([]Rule{
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
})
