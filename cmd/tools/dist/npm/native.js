// Where the native programs are: in the package of this platform.
'use strict'
const fs = require('fs')
const path = require('path')

const own = require('./package.json')
const platform = `${own.name}-${process.platform}-${process.arch}`

exports.missing = `journal: the programs for this platform are missing: install the package ${platform} ${own.version} beside ${own.name}, or that again without --omit=optional`

// native returns the path of a program, '' if it is not there.
exports.native = name => {
  const file = process.platform === 'win32' ? `${name}.exe` : name
  // require does not find a package that a person installed beside this one: npm makes it no dependency.
  const beside = path.join(__dirname, ...own.name.split('/').map(() => '..'), platform, 'package.json')
  for (const find of [() => require.resolve(`${platform}/package.json`), () => fs.realpathSync(beside)]) {
    try {
      const program = path.join(path.dirname(find()), 'bin', file)
      if (fs.statSync(program).isFile()) return program
    } catch {
      // it is not there
    }
  }
  return ''
}
