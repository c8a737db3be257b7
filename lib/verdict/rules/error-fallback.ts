import { CLIENT_FALLBACK, SERVER_FALLBACK } from '../../contract/values'
import type { SeenEvent } from '../evidence/evidence'
import { type Finding, type Verdict, verdictOf } from '../verdict'
import { bareUrl, judgedInTests } from './browser-requests'
import type { Case, Rule } from './rule'

/** A shorter message is a word that may stand anywhere. */
const TELLING_LENGTH = 8

/**
 * Judged from the error fallbacks that were seen on pages, and the error events that were recorded: the generic sentence
 * stands there, with a digest where it speaks of the server, and the message of no recorded error. The message itself is
 * not told again, for it may be what nobody was to read.
 */
export const errorFallbackRule: Rule = {
  id: 'error-fallback',
  title: 'An error fallback shows the generic text and nothing of the error',
  why: 'The message of an error may hold a password, an address or a query, and is of no use to who reads the page.',
  setting: 'error-fallback',
  judgedFrom: ['probe'],
  sentBy: 'pages',
  severity: 'error',
  fix: 'Show the generic sentence and error.digest in error.tsx and global-error.tsx, and never error.message.',
  judge: ({ fallbacks, evidence }): Verdict => {
    if (fallbacks === null) return { verdict: 'incomplete', why: judgedInTests('What a page shows') }
    const events = evidence.events.filter(({ copy }) => !copy)
    const findings = fallbacks.flatMap((fallback) => [...ofText(fallback), ...ofErrors(fallback, events)])
    return verdictOf(fallbacks.length, findings, 'No page showed an error fallback.')
  },
}

type Fallback = NonNullable<Case['fallbacks']>[number]

function ofText({ pageUrl, text }: Fallback): readonly Finding[] {
  const told = { about: `the error fallback of ${bareUrl(pageUrl)}`, at: null, path: '' }
  const isOfServer = text.includes(SERVER_FALLBACK)
  if (!isOfServer && !text.includes(CLIENT_FALLBACK))
    return [{ ...told, actual: 'another text', expected: `${CLIENT_FALLBACK}, or ${SERVER_FALLBACK}` }]
  if (!isOfServer || /Digest: *\S/.test(text)) return []
  return [{ ...told, actual: 'no digest beside the sentence of a server’s error', expected: 'Digest: and its number' }]
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
        // The wire has the outermost last.
        path: `exception.values.${exceptions.length - 1 - shown}.value`,
        actual: `the message of ${exceptions[shown]?.type ?? 'an error'}, on the page`,
        expected: 'nothing of the error itself',
      },
    ]
  })
}
