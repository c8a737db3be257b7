import { expect, it } from 'vitest'
import { explainMissingBinding } from '../../../collector/runtime/native-binding'
import { explainStop } from '../../../collector/runtime/sqlite-errors'

const commands = ['npm install-scripts approve', 'pnpm approve-builds', 'yarn rebuild', 'bun pm trust']

it.each([
  ['npm/11.6.2 node/v24.0.0 linux x64', 'npm install-scripts approve'],
  ['pnpm/10.4.1 npm/? node/v22.14.0 linux x64', 'pnpm approve-builds'],
  ['yarn/4.9.1 npm/? node/v22.14.0 linux x64', 'yarn rebuild'],
  ['bun/1.2.3 npm/? node/v22.14.0 linux x64', 'bun pm trust'],
  ['', 'npm install-scripts approve'],
  ['toString/1', 'npm install-scripts approve'],
])('a missing native binding is explained with the command of the package manager first: %j', (userAgent, first) => {
  const sentence = explainMissingBinding(userAgent)
  const order = commands.toSorted((one, other) => sentence.indexOf(one) - sentence.indexOf(other))
  expect(order[0]).toBe(first)
  for (const command of commands) expect(sentence.split(command)).toHaveLength(2)
  expect(sentence).not.toContain('\n')
})

it.each([
  'Could not locate the bindings file. Tried:\n → /a/build/better_sqlite3.node\n → /a/b',
  "The module '/a/better_sqlite3.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 115.",
])('a missing native binding explains why the collector stopped: %j', (message) => {
  expect(explainStop(new Error(message), '/data', false)).toMatch(/^better-sqlite3 has no native binding for Node v\d/)
})
