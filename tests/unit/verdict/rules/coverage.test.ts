import { expect, it } from 'vitest'
import { silentSenders } from '../../../../lib/verdict/rules/coverage'
import { caseFrom, caseOf, drawn, envelopeOf, transactionOf } from './sample-evidence'

const of = (name: string) => envelopeOf({ sdk: { name, version: '2.40.0' } }, [{ type: 'event' }, { message: 'boom' }])
const ofServer = { body: of('sentry.javascript.node') }

it.each([
  ['pages and JavaScript SDKs, if only a Python SDK sent', caseFrom(of('sentry.python')), ['pages', 'JavaScript SDKs']],
  ['both, if nothing was recorded', caseOf(), ['pages', 'JavaScript SDKs']],
  ['pages, if only a JavaScript server sent', caseFrom(ofServer), ['pages']],
  ['none, if a page sent its pageload', caseFrom(transactionOf(drawn('pageload /cart  ===='))), []],
  ['none, if an envelope has the origin of a page', caseFrom({ ...ofServer, origin: 'http://localhost:3000' }), []],
  ['none, if an envelope has a page header', caseFrom({ ...ofServer, page: '1a2b' }), []],
  ['none, if a browser was observed', caseOf({ requests: [] }), []],
])('silentSenders returns the senders without telemetry: %s', (_, given, silent) => {
  expect([...silentSenders(given)]).toEqual(silent)
})
