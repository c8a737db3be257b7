import type { Quantity } from '../../lib/protocol/data-category'
import type { Endpoint } from '../../lib/protocol/request'
import type { StoredSubmission, Submission, SubmissionContent, SubmissionFacts } from '../../lib/protocol/submission'
import { BodyDamagedError, type CheckedRow, readBody } from './record-body'

/** A content with facts and quantities as the stored JSON, which is cheaper to pass between threads. */
export interface StoredContent
  extends Pick<SubmissionContent, 'receivedAt' | 'endpoint' | 'receipt' | 'stamp' | 'body'> {
  readonly facts: string
  readonly quantities: string
}

/** @throws BodyDamagedError */
export function contentFrom({ facts, quantities, ...stored }: StoredContent): SubmissionContent {
  return {
    receivedAt: stored.receivedAt,
    endpoint: stored.endpoint,
    receipt: stored.receipt,
    stamp: stored.stamp,
    facts: parseFacts(facts),
    quantities: parseQuantities(quantities),
    body: stored.body,
  }
}

/** @throws BodyDamagedError if the stored facts are not a JSON object */
export function parseFacts(facts: string): SubmissionFacts {
  const parsed = parseStored(facts, 'facts')
  if (typeof parsed !== 'object' || parsed === null) throw new BodyDamagedError('its facts are not a JSON object')
  return parsed as SubmissionFacts
}

/** @returns `null` for a damaged record */
export function readFacts(facts: string): SubmissionFacts | null {
  try {
    return parseFacts(facts)
  } catch (error) {
    if (error instanceof BodyDamagedError) return null
    throw error
  }
}

/** A received body, as the counts per minute need it. */
export interface ReceivedRecord {
  readonly at: number
  readonly endpoint: Endpoint
  readonly project: string
  /** The origin of a page, else the user agent of a program; `null` for neither. */
  readonly sender: string | null
  /** Sent by Waystation's own app, the lab excepted. */
  readonly own: boolean
  readonly quantities: readonly Quantity[]
}

/** The part of a submission that figures count. @param facts `null` where they are damaged */
export const receivedRecord = ({
  receivedAt,
  endpoint,
  project,
  facts,
  quantities,
}: Pick<Submission, 'receivedAt' | 'endpoint' | 'project' | 'quantities'> & {
  readonly facts: SubmissionFacts | null
}): ReceivedRecord => ({
  at: receivedAt,
  endpoint,
  project,
  sender: facts?.origin ?? facts?.userAgent ?? null,
  own: facts?.own === true && !facts.lab,
  quantities,
})

/** A row of `submissions` with these columns can be read as a submission. */
export interface StoredRow
  extends CheckedRow,
    Pick<StoredSubmission, 'seq' | 'journal' | 'receivedAt' | 'endpoint' | 'project' | 'publicKey' | 'stamp'> {}

export const STORED_COLUMNS = `seq, journal, received_at AS receivedAt, endpoint, project, public_key AS publicKey, stamp,
  facts, quantities, checksum, bytes, deflated, body`

/** With the facts that verdicts depend on, and the body as it was received; `null` when the record is damaged. */
export function readStored(row: StoredRow): StoredSubmission | null {
  try {
    const body = readBody(row)
    const { page, userAgent, origin, contentType, keptMs, target } = parseFacts(row.facts)
    return {
      seq: row.seq,
      journal: row.journal,
      receivedAt: row.receivedAt,
      endpoint: row.endpoint,
      project: row.project,
      publicKey: row.publicKey,
      stamp: row.stamp,
      page,
      userAgent,
      origin,
      contentType,
      ...(keptMs !== undefined && { keptMs }),
      ...(target && { target }),
      body,
    }
  } catch (error) {
    if (error instanceof BodyDamagedError) return null
    throw error
  }
}

/** One per item. @throws BodyDamagedError if the stored quantities are no list of pairs */
function parseQuantities(quantities: string): readonly Quantity[] {
  const parsed = parseStored(quantities, 'quantities')
  if (!Array.isArray(parsed) || !parsed.every(isPair))
    throw new BodyDamagedError('its quantities are not a list of pairs')
  return parsed.map(([category, quantity]) => ({ category, quantity }))
}

const isPair = (one: unknown): one is [string, number] =>
  Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'number'

function parseStored(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BodyDamagedError(`its ${name} are no JSON`)
  }
}

/** The same, without the entries of a damaged record. */
export function readQuantities(quantities: string): readonly Quantity[] {
  try {
    return parseQuantities(quantities)
  } catch (error) {
    if (error instanceof BodyDamagedError) return []
    throw error
  }
}

/** Larger bodies are not listed; the relay reads them one by one. */
export const MAX_INLINE_BODY_BYTES = 64 * 1024

/** A submission that waits for delivery, with its content where that is at hand. */
export interface PendingSubmission {
  readonly seq: number
  /** Of its body. */
  readonly bytes: number
  /** As a list returns it; omitted when the body is large or damaged. */
  readonly stored?: StoredContent
  /** From memory. */
  readonly content?: SubmissionContent
}

/** The record from the list; `undefined` when it has to be read, which also reports its damage. */
export function inlineContent({ stored }: PendingSubmission): SubmissionContent | undefined {
  try {
    return stored === undefined ? undefined : contentFrom(stored)
  } catch (error) {
    if (error instanceof BodyDamagedError) return undefined
    throw error
  }
}
