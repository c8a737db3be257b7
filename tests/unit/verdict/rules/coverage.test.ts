import { expect, it } from 'vitest'
import { silentSenders } from '../../../../lib/verdict/rules/coverage'
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
])('finds the senders without telemetry: %s', (_, given, silent) => {
  expect([...silentSenders(given)]).toEqual(silent)
})
