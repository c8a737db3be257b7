import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { refusalText } from '../../../dashboards/losses/loss-reasons'
import { ENVELOPE_ERRORS } from '../../../lib/protocol/envelope'

const collector = new URL('../../../collector/', import.meta.url)

/** The reasons that the endpoint's own source names. */
function reasonsAtTheEndpoint(): readonly string[] {
  const files = ['http/'].flatMap((folder) => readdirSync(new URL(folder, collector)).map((name) => `${folder}${name}`))
  const source = [...files, 'app.ts'].map((path) => readFileSync(new URL(path, collector), 'utf8')).join('\n')
  return [...source.matchAll(/\breason: '(\w+)'|\.countRefusal\('(\w+)'/g)].map((found) => found[1] ?? found[2] ?? '')
}

describe('a refusal', () => {
  it('of every reason that the endpoint knows says what to do', () => {
    const reasons = [...new Set([...reasonsAtTheEndpoint(), ...Object.keys(ENVELOPE_ERRORS)])]
    expect(reasons).toEqual(expect.arrayContaining(['origin', 'unknown_project', 'no_key', 'too_large', 'encoding']))
    expect(reasons.filter((reason) => !/; |wants /.test(refusalText(reason)))).toEqual([])
  })

  it('says the framing rule that was broken, in the words that the sender was told', () => {
    expect(refusalText('header_not_json')).toMatch(ENVELOPE_ERRORS.header_not_json)
  })

  it('of a reason that this board does not know is told by its name', () => {
    expect(refusalText('too_odd')).toBe('too odd')
    expect(refusalText('constructor')).toBe('constructor')
  })
})
