// Runs after the installation: puts the native programs in the place of the launchers, so that
// a call starts no node. Where that cannot be, the launchers stay.
'use strict'
const fs = require('fs')
const path = require('path')
const { native, missing } = require('./native.js')

for (const name of process.platform === 'win32' ? [] : fs.readdirSync(path.join(__dirname, 'bin'))) {
  const program = native(name)
  if (!program) {
    console.error(missing)
    break
  }
  const to = path.join(__dirname, 'bin', name)
  try {
    fs.copyFileSync(program, `${to}.new`)
    fs.chmodSync(`${to}.new`, 0o755)
    fs.renameSync(`${to}.new`, to)
  } catch (why) {
    console.error(`journal: ${name} is started by node: ${why.message}`)
  }
}
