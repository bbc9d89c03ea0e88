package redact

// Services whose tokens have a prefix of their own and nothing else to say. What follows the prefix looks random.
var services = [...]Rule{
	{
		Name: "service-token", Kind: "service-token", Finds: "a token with the prefix of a service: Resend, Pinecone, Brevo, Airtable, PostHog, Contentful, and others",
		Keywords: []string{
			"pcsk_", "tvly-", "jina_", "cal_live_", "phx_", "phs_", "rzp_live_", "rzp_test_", "FLWSECK", "EZAK", "EZTK", "shippo_live_", "secret_",
			"CFPAT-", "AKCp", "cmVmdGtu", "mlsn.", "xkeysib-", "sec-c-", "AKID", "rnd_", "tfp_", "sgp_", "bkua_", "CCIPAT_", "CLOJARS_", "rdme_",
			"duffel_live_", "duffel_test_", "pat-na1-", "pat-eu1-", "nvapi-", "amzn.mws.", "amzn1.oauth2-cs.", "vercel_blob_rw_", "rpa_", "napi_",
			"ATTA", "IGQV", "vk1.a.", "apify_api_", "waka_", "ddp_", "mapbox_sk.", "sk.eyJ1",
			"EAAA", "EAAC", "EAAG", "EAAB", "EAAD", "ctx7sk-", "ctx7sk_", "bws_", "cpl_", "ak_live_",
			"key_live_", "key_test_", "gAAAAA", "AAAAAAAAAAAAAAAAAAAAA", "hapikey-", "pplx_", "fc-", "re_", "v2.local.", "v4.local.", "1//0",
		},
		apart: word | dot | slash, body: word | dot | percent, least: 24, check: unmistakable,
	},
	{
		Name: "airtable-token", Kind: "service-token", Finds: "a personal access token of Airtable",
		Keywords: []string{"pat"}, apart: word | dot, pattern: `pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}`, check: genuine,
	},
	{
		Name: "discord-token", Kind: "discord-token", Finds: "the token of a bot of Discord, which begins with its number",
		Keywords: discordNumbers(), apart: word | dot | slash | base64Sign, pattern: `[A-Za-z0-9]{17,28}\.[\w-]{6}\.[\w-]{27,45}`, check: genuine,
	},
}

var _ = declare(services[:])

// unmistakable reports whether a token with a prefix that also begins words is one: long, and random throughout.
func unmistakable(secret string) bool {
	return genuine(secret) && digit.in(secret) > 1 && chance(secret) && !uuidLike(secret)
}

// discordNumbers gives how base64 spells the first two digits of a number.
func discordNumbers() (all []string) {
	const digits, sextets = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for _, a := range []byte(digits[1:]) {
		for _, b := range []byte(digits) {
			n := int(a)<<8 | int(b)
			all = append(all, string([]byte{sextets[n>>10], sextets[n>>4&63], sextets[n<<2&63]}))
		}
	}
	return all
}
