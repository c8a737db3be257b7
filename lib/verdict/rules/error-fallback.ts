import { CLIENT_FALLBACK, SERVER_FALLBACK } from '../../contract/values'
import type { SeenEvent } from '../evidence/evidence'
import { type Finding, type Verdict, verdictOf } from '../verdict'
import { bareUrl, browserTestsOnly } from './browser-requests'
import type { Case, Rule } from './rule'

/** A shorter message may be on the page by chance. */
const TELLING_LENGTH = 8

/**
 * Checks the error fallbacks shown on pages: they contain the generic text (with a digest for a server error), and no
 * message of a recorded error. The finding does not repeat the message, because it may be secret.
 */
export const errorFallbackRule: Rule = {
  id: 'error-fallback',
  title: 'An error fallback shows the generic text and no error message',
  why: 'An error message may contain a password, an address or a query, and does not help visitors.',
  setting: 'error-fallback',
  judgedFrom: ['probe'],
  sentBy: 'pages',
  severity: 'off',
  contractSeverity: 'error',
  fix: 'Show the generic text and error.digest in error.tsx and global-error.tsx, never error.message.',
  judge: ({ fallbacks, evidence }): Verdict => {
    if (fallbacks === null) return { verdict: 'incomplete', why: browserTestsOnly('Page content') }
    const events = evidence.events.filter(({ copy }) => !copy)
    const findings = fallbacks.flatMap((fallback) => [...ofText(fallback), ...ofErrors(fallback, events)])
    return verdictOf(fallbacks.length, findings, 'No page showed an error fallback.')
  },
}

type Fallback = NonNullable<Case['fallbacks']>[number]

function ofText({ pageUrl, text }: Fallback): readonly Finding[] {
  const common = { about: `the error fallback of ${bareUrl(pageUrl)}`, at: null, path: '' }
  const isOfServer = text.includes(SERVER_FALLBACK)
  if (!isOfServer && !text.includes(CLIENT_FALLBACK))
    return [{ ...common, actual: 'a different text', expected: `${CLIENT_FALLBACK}, or ${SERVER_FALLBACK}` }]
  if (!isOfServer || /Digest: *\S/.test(text)) return []
  return [{ ...common, actual: 'the text for server errors without a digest', expected: 'Digest: and a number' }]
}

function ofErrors({ pageUrl, text }: Fallback, events: readonly SeenEvent[]): readonly Finding[] {
  const rest = text.replaceAll(CLIENT_FALLBACK, '').replaceAll(SERVER_FALLBACK, '')
  return events.flatMap(({ exceptions, seq, item, traceId, eventId }) => {
    const shown = exceptions.findIndex(
      ({ value }) => value !== null && value.length >= TELLING_LENGTH && rest.includes(value),
    )
    if (shown < 0) return []
    return [
      {
        about: `the error fallback of ${bareUrl(pageUrl)}`,
        at: { seq, item, traceId, eventId },
        // In the payload the outermost exception is the last.
        path: `exception.values.${exceptions.length - 1 - shown}.value`,
        actual: `the message of ${exceptions[shown]?.type ?? 'an error'}, on the page`,
        expected: 'no error message on the page',
      },
    ]
  })
}
