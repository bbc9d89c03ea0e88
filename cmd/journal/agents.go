package main

import (
	_ "journal/journal/agents/all" // every agent that verbs can name
)
