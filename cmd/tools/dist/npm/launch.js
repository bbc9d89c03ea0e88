#!/usr/bin/env node
// Starts the native program of the same name. This launcher stands here until install.js has put
// that program in its place. It stays where scripts of packages do not run, and on Windows.
'use strict'
const path = require('path')
const { spawnSync } = require('child_process')
const { native, missing } = require('../native.js')

const name = path.basename(__filename)
const program = native(name)
const failure = name === 'journal' ? 1 : 0 // a hook disturbs nobody
if (!program) {
  if (failure) console.error(missing)
  process.exit(failure)
}
const ended = spawnSync(program, process.argv.slice(2), { stdio: 'inherit' })
if (ended.error) console.error(`journal: ${ended.error.message}`)
if (ended.signal) process.kill(process.pid, ended.signal)
process.exit(ended.status === null ? failure : ended.status)
