package doctor

// outside names the checks whose subjects are not in the journal's directory.
var outside = []string{"configuration", "agent"}

// checks are the checks of journal doctor, in the order in which they run and their findings are shown. A problem that must be
// fixed before others comes before them.
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
