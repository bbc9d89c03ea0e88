package redact

// Payment and shops.
var payments = [...]Rule{
	shape{"stripe-key", "stripe-key", alnum, base64, 16, genuine}.rule("a secret or restricted key of Stripe, or the secret of a webhook", "sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_"),
	shape{"square-token", "square-token", alnum, word, 22, genuine}.rule("an access token or OAuth secret of Square", "sq0atp-", "sq0csp-"),
	shape{"shopify-token", "shopify-token", alnum, hex, 32, genuine}.rule("a token or shared secret of Shopify", "shpat_", "shpca_", "shppa_", "shpss_"),
	{
		Name: "braintree-token", Kind: "braintree-token", Finds: "an access token of Braintree",
		Keywords: []string{"$production$", "$sandbox$"}, pattern: `\$\w+\$[0-9a-z]{10,}\$[0-9a-f]{32}`,
	},
}

var _ = declare(payments[:])
