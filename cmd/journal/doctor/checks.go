package doctor

// checks are the checks of journal doctor, in the order in which they run and are shown: problems that must be fixed first come
// first.
var checks = []check{
	{"directory", checkDirectory},
	{"start", checkStart},
	{"owner", checkOwner},
	{"spool", checkSpool},
	{"kept", checkDropped},
	{"log", checkLog},
	{"losses", checkLosses},
	{"second copy", checkSecondCopy},
	{"forgotten", checkForgotten},
	{"disk", checkDisk},
	{"configuration", checkConfiguration},
	{"agent", checkAgent},
	{"hooks", checkHooks},
	{"transcripts", checkTranscriptCopies},
	{"transcripts", checkTranscripts},
	{"recovery", checkRecovery},
	{"redaction", checkRedaction},
	{"troubles", checkTroubles},
	{"recording", checkRecording},
	{"team", checkTeam},
}
