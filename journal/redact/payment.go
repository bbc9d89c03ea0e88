package redact

// Payment and shops.
var payments = [...]Rule{
	{
		Name: "stripe-key", Kind: "stripe-key", Finds: "a secret or restricted key of Stripe, or the secret of a webhook",
		Keywords: []string{"sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_"},
		apart:    alnum, body: base64, least: 16, check: genuine,
	},
	{
		Name: "square-token", Kind: "square-token", Finds: "an access token or OAuth secret of Square",
		Keywords: []string{"sq0atp-", "sq0csp-"}, apart: alnum, body: word, least: 22, check: genuine,
	},
	{
		Name: "shopify-token", Kind: "shopify-token", Finds: "a token or shared secret of Shopify",
		Keywords: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, apart: alnum, body: hex, least: 32, check: genuine,
	},
	{
		Name: "braintree-token", Kind: "braintree-token", Finds: "an access token of Braintree",
		Keywords: []string{"access_token$"}, pattern: `access_token\$\w+\$[0-9a-z]{10,}\$[0-9a-f]{32}`,
	},
}

var _ = declare(payments[:])
