package redact

var chats = [...]Rule{
	shape{"slack-token", "slack-token", alnum, dotted | base64Sign | percent, 16, random}.rule("a Slack token of a bot, user, app or session", "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxe.xox", "xapp-"),
	{
		Name: "slack-webhook", Kind: "slack-webhook", Finds: "the path of a Slack webhook, workflow or trigger",
		Keywords: []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"},
		body:     word | slash, least: 30, behind: true, check: genuine,
	},
	{
		Name: "discord-webhook", Kind: "discord-webhook", Finds: "the secret part of a Discord webhook",
		Keywords: []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"},
		pattern:  `[a-z./]+\d{10,}/([\w-]{40,})`, check: genuine,
	},
	{
		Name: "teams-webhook", Kind: "teams-webhook", Finds: "the path of a webhook of Microsoft Teams",
		Keywords: []string{"okb2/"}, pattern: `okb2/([^\s"'<>\\]{30,})`, check: genuine,
	},
	{
		Name: "telegram-bot-token", Kind: "telegram-token", Finds: "the secret part of a Telegram bot token",
		Keywords: []string{":AA"}, find: telegramToken, check: genuine,
	},
}

var _ = declare(chats[:])

// telegramToken finds the part of a bot token after the colon. The bot's number before it has at least 8 digits.
func telegramToken(s string, at, end int) (int, int) {
	const number, least = 8, 33
	if at < number || !digit.only(s[at-number:at]) {
		return -1, -1
	}
	n := word.run(s[end:])
	if n < least {
		return -1, -1
	}
	return at + 1, end + n
}
