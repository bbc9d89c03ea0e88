package redact

// Services whose tokens have a prefix of their own and nothing else to say. What follows the prefix looks random.
var services = [...]Rule{
	shape{"service-token", "service-token", word | dot | slash, word | dot | percent, 24, unmistakable}.rule("a token with the prefix of a service: Resend, Pinecone, Brevo, PostHog, Contentful, and others", "pcsk_", "tvly-", "jina_", "phx_", "phs_", "rzp_live_", "rzp_test_", "FLWSECK", "EZAK", "EZTK", "shippo_live_", "secret_", "CFPAT-", "AKCp", "cmVmdGtu", "mlsn.", "xkeysib-", "sec-c-", "AKID", "rnd_", "tfp_", "sgp_", "bkua_", "CCIPAT_", "rdme_", "duffel_live_", "duffel_test_", "nvapi-", "amzn.mws.", "amzn1.oauth2-cs.", "rpa_", "napi_", "IGQV", "vk1.a.", "apify_api_", "waka_", "ddp_", "sk.eyJ1", "EAAA", "EAAC", "EAAG", "EAAB", "EAAD", "bws_", "cpl_", "ak_live_", "key_live_", "key_test_", "gAAAAA", "AAAAAAAAAAAAAAAAAAAAA", "pplx_", "fc-", "re_", "v2.local.", "v4.local.", "1//0"),
	{
		Name: "discord-token", Kind: "discord-token", Finds: "the token of a bot of Discord, which begins with its number",
		Keywords: discordNumbers(), apart: word | dot | slash | base64Sign, find: discordToken, check: genuine,
	},
}

var _ = declare(services[:])

// discordToken finds three parts: the number of the bot, a time, and the secret.
func discordToken(s string, at, _ int) (int, int) {
	const shortest, longest, stamp, least = 20, 31, 6, 27
	n := alnum.run(clip(s[at:], longest+1))
	i := at + n
	if n < shortest || n > longest || i == len(s) || s[i] != '.' {
		return -1, -1
	}
	if word.run(clip(s[i+1:], stamp+1)) != stamp || i+1+stamp == len(s) || s[i+1+stamp] != '.' {
		return -1, -1
	}
	i += stamp + 2
	if n = word.run(s[i:]); n < least {
		return -1, -1
	}
	return at, i + n
}

// unmistakable reports whether a token with a prefix that also begins words is one: long, and random throughout.
func unmistakable(secret string) bool {
	return genuine(secret) && digit.in(secret) > 1 && chance(secret) && !uuidLike(secret)
}

// discordNumbers gives how base64 spells the first two digits of a number: of those that no word has as letters.
func discordNumbers() (all []string) {
	const digits, sextets = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for _, a := range []byte("12367") {
		for _, b := range []byte(digits) {
			n := int(a)<<8 | int(b)
			all = append(all, string([]byte{sextets[n>>10], sextets[n>>4&63], sextets[n<<2&63]}))
		}
	}
	return all
}
