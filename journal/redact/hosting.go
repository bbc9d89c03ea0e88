package redact

// Where programs and their data run.
var hosting = [...]Rule{
	{
		Name: "digitalocean-token", Kind: "digitalocean-token", Finds: "a personal, OAuth or refresh token of DigitalOcean",
		Keywords: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, apart: alnum, body: hex, least: 64, check: genuine,
	},
	{
		Name: "heroku-key", Kind: "heroku-key", Finds: "an API key of Heroku",
		Keywords: []string{"HRKU-"}, apart: alnum, body: word, least: 36, check: genuine,
	},
	{
		Name: "heroku-uuid", Kind: "heroku-key", Finds: "an API key of Heroku in the older form where it is assigned",
		Keywords: []string{"heroku"}, Fold: true,
		pattern: `(?i:\w*key)["'\\]*\s*[:=]+\s*["'\\]*([0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})`,
	},
	{
		Name: "vault-token", Kind: "vault-token", Finds: "a service, batch or recovery token of Vault",
		Keywords: []string{"hvs.", "hvb.", "hvr."}, apart: alnum, body: word, least: 24, check: genuine,
	},
	{
		Name: "terraform-token", Kind: "terraform-token", Finds: "a token of HCP Terraform",
		Keywords: []string{".atlasv1."}, find: terraformToken, check: genuine,
	},
	{
		Name: "databricks-token", Kind: "databricks-token", Finds: "a personal access token of Databricks",
		Keywords: []string{"dapi"}, apart: alnum, body: hex, least: 32, check: genuine,
	},
	{
		Name: "fly-token", Kind: "fly-token", Finds: "an access token of Fly.io",
		Keywords: []string{"fm1a_", "fm1r_", "fm2_", "fo1_"}, apart: alnum, body: base64 | word, least: 40, check: genuine,
	},
	{
		Name: "netlify-token", Kind: "netlify-token", Finds: "a personal access token of Netlify",
		Keywords: []string{"nfp_"}, apart: alnum, body: alnum, least: 36, check: genuine,
	},
	{
		Name: "supabase-key", Kind: "supabase-key", Finds: "a secret key or access token of Supabase",
		Keywords: []string{"sbp_", "sb_secret_"}, apart: alnum, body: word, least: 22, check: random,
	},
	{
		Name: "planetscale-token", Kind: "planetscale-token", Finds: "a password or token of PlanetScale",
		Keywords: []string{"pscale_pw_", "pscale_tkn_", "pscale_oauth_"}, apart: alnum, body: dotted, least: 32, check: genuine,
	},
	{
		Name: "doppler-token", Kind: "doppler-token", Finds: "a token of Doppler",
		Keywords: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa."}, apart: alnum, body: dotted, least: 40, check: genuine,
	},
	{
		Name: "pulumi-token", Kind: "pulumi-token", Finds: "an access token of Pulumi",
		Keywords: []string{"pul-"}, apart: word, body: hex, least: 40, check: genuine,
	},
	{
		Name: "tailscale-key", Kind: "tailscale-key", Finds: "an auth, API or OAuth key of Tailscale",
		Keywords: []string{"tskey-"}, apart: alnum, body: word, least: 20, check: random,
	},
	{
		Name: "alibaba-key", Kind: "alibaba-key", Finds: "an access key id of Alibaba Cloud",
		Keywords: []string{"LTAI"}, apart: alnum, body: alnum, least: 16, check: random,
	},
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
