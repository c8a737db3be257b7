import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ENVELOPE_ERRORS } from '../../../lib/protocol/envelope'
import { refusalText } from '../../../lib/wire/loss-text'

const collector = new URL('../../../collector/', import.meta.url)

/** The reasons in the source of the endpoints. */
function reasonsAtTheEndpoint(): readonly string[] {
  const files = ['intake/', 'api/', 'runtime/'].flatMap((folder) =>
    readdirSync(new URL(folder, collector), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}${name}`),
  )
  const source = [...files, 'app.ts'].map((path) => readFileSync(new URL(path, collector), 'utf8')).join('\n')
  return [...source.matchAll(/\breason: '(\w+)'|\.countRefusal\('(\w+)'/g)].map((found) => found[1] ?? found[2] ?? '')
}

it('each refusal reason in the source has advice', () => {
  const reasons = [...new Set([...reasonsAtTheEndpoint(), ...Object.keys(ENVELOPE_ERRORS)])]
  expect(reasons).toEqual(expect.arrayContaining(['origin', 'unknown_project', 'no_key', 'too_large', 'encoding']))
  expect(reasons.filter((reason) => !/; /.test(refusalText(reason)))).toEqual([])
})

it('a refusal repeats the framing rule of the answer', () => {
  expect(refusalText('header_not_json')).toMatch(ENVELOPE_ERRORS.header_not_json)
})

it('an unknown refusal reason is shown by its name', () => {
  expect(refusalText('too_odd')).toBe('too odd')
  expect(refusalText('constructor')).toBe('constructor')
})
