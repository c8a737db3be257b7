import { expect, it } from 'vitest'
import { silentSenders } from '../../../../lib/verdict/rules/coverage'
import { toldDuration } from '../../../../lib/verdict/rules/describe'
import { caseFrom, caseOf, drawn, envelopeOf, transactionOf } from './sample-evidence'

const of = (name: string) => envelopeOf({ sdk: { name, version: '2.40.0' } }, [{ type: 'event' }, { message: 'boom' }])
const ofServer = { body: of('sentry.javascript.node') }

it.each([
  [
    'pages and SDKs of JavaScript, where only another was heard',
    caseFrom(of('sentry.python')),
    ['pages', 'JavaScript SDKs'],
  ],
  ['both, where nothing was recorded', caseOf(), ['pages', 'JavaScript SDKs']],
  ['pages, where a server of JavaScript was heard', caseFrom(ofServer), ['pages']],
  ['nobody, where a page told of its load', caseFrom(transactionOf(drawn('pageload /cart  ===='))), []],
  [
    'nobody, where a browser named the origin of a page',
    caseFrom({ ...ofServer, origin: 'http://localhost:3000' }),
    [],
  ],
  ['nobody, where a page names itself', caseFrom({ ...ofServer, page: '1a2b' }), []],
  ['nobody, where a browser was watched', caseOf({ requests: [] }), []],
])('silent are %s', (_, given, silent) => {
  expect([...silentSenders(given)]).toEqual(silent)
})

it.each([
  [400, '0 ms'],
  [850_400, '850 ms'],
  [999_400, '999 ms'],
  [999_600, '1 s'],
  [4_060_000, '4.1 s'],
  [60_000_000, '60 s'],
])('%i µs are told as %s', (us, words) => {
  expect(toldDuration(us)).toBe(words)
})
