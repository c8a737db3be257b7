import { parseDsn } from '../../../lib/protocol/dsn'
import type { SubmissionContent } from '../../../lib/protocol/submission'
import { submission } from '../spool/in-process-spool'
import { valueIn } from '../value-in'

const dsn = valueIn(parseDsn('http://key@127.0.0.1:9/1'))
export const theUpstream = dsn
export const LABEL = '127.0.0.1:9/1'

/** A stored envelope with one error. */
export const aRecord = (body: Uint8Array = new TextEncoder().encode('{}')): SubmissionContent => submission({ body })

const SESSION = { category: 'session', quantity: 1 }

/** A stored envelope with one update of each of these sessions. */
export function sessionRecord(sids: readonly string[]): SubmissionContent {
  const items = sids.flatMap((sid) => ['{"type":"session"}', JSON.stringify({ sid, init: false, status: 'ok' })])
  const body = new TextEncoder().encode(['{}', ...items].join('\n'))
  const quantities = sids.length === 0 ? [SESSION] : sids.map(() => SESSION)
  return submission({ body, quantities })
}
