package redact

// Where programs and their data run.
var hosting = [...]Rule{
	shape{"digitalocean-token", "digitalocean-token", alnum, hex, 64, genuine}.rule("a personal, OAuth or refresh token of DigitalOcean", "dop_v1_", "doo_v1_", "dor_v1_"),
	shape{"heroku-key", "heroku-key", alnum, word, 36, genuine}.rule("an API key of Heroku", "HRKU-"),
	{
		Name: "heroku-uuid", Kind: "heroku-key", Finds: "an API key of Heroku in the older form where it is assigned",
		Keywords: []string{"heroku"}, Fold: true,
		pattern: `(?i:\w*key)["'\\]*\s*[:=]+\s*["'\\]*([0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})`,
	},
	shape{"vault-token", "vault-token", alnum, word, 24, genuine}.rule("a service, batch or recovery token of Vault", "hvs.", "hvb.", "hvr."),
	{
		Name: "terraform-token", Kind: "terraform-token", Finds: "a token of HCP Terraform",
		Keywords: []string{".atlasv1."}, find: terraformToken, check: genuine,
	},
	shape{"databricks-token", "databricks-token", alnum, hex, 32, genuine}.rule("a personal access token of Databricks", "dapi"),
	shape{"fly-token", "fly-token", alnum, base64 | word, 40, genuine}.rule("an access token of Fly.io", "fm1a_", "fm1r_", "fm2_", "fo1_"),
	shape{"netlify-token", "netlify-token", alnum, alnum, 36, genuine}.rule("a personal access token of Netlify", "nfp_"),
	shape{"supabase-key", "supabase-key", alnum, word, 22, random}.rule("a secret key or access token of Supabase", "sbp_", "sb_secret_"),
	shape{"planetscale-token", "planetscale-token", alnum, dotted, 32, genuine}.rule("a password or token of PlanetScale", "pscale_pw_", "pscale_tkn_", "pscale_oauth_"),
	shape{"doppler-token", "doppler-token", alnum, dotted, 40, genuine}.rule("a token of Doppler", "dp.pt.", "dp.st.", "dp.ct.", "dp.sa."),
	shape{"pulumi-token", "pulumi-token", word, hex, 40, genuine}.rule("an access token of Pulumi", "pul-"),
	shape{"tailscale-key", "tailscale-key", alnum, word, 20, random}.rule("an auth, API or OAuth key of Tailscale", "tskey-"),
	shape{"alibaba-key", "alibaba-key", alnum, alnum, 16, random}.rule("an access key id of Alibaba Cloud", "LTAI"),
}

var _ = declare(hosting[:])

// terraformToken finds a token by its middle: 14 letters and digits, the keyword, and at least 60 more.
func terraformToken(s string, at, end int) (int, int) {
	const before, least = 14, 60
	if at < before || !alnum.only(s[at-before:at]) {
		return -1, -1
	}
	n := (base64 | word).run(s[end:])
	if n < least {
		return -1, -1
	}
	return at - before, end + n
}
