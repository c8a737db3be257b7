import { isObject } from '../protocol/json-value'

const REASONS = ['invalid', 'conflict', 'unknown', 'repeated', 'empty', 'malformed'] as const

/** A parameter that the collector refused with 400. */
export interface RefusedField {
  /**
   * `invalid`: the value is not valid. `conflict`: it contradicts another parameter. `unknown`: there is no such parameter.
   * `repeated`, `empty`, and `malformed` for bytes that are not UTF-8.
   */
  readonly reason: (typeof REASONS)[number]
  /** The parameter, or the kind of id in the path. */
  readonly field: string
  /** The value as received, at most 40 characters. */
  readonly value: string
  /** A valid value that is similar, or a similar parameter for `unknown`. */
  readonly suggestion: string | null
  /** For `conflict`: the other parameter. */
  readonly conflictsWith?: string | undefined
}

/** The body of every refusal: the error in one sentence, and its causes, nearest first. A refused parameter has more fields. */
export interface Problem extends Partial<RefusedField> {
  readonly detail: string
  readonly causes: readonly string[]
  /** The collector answers, but its copy of the shared record is not complete: ask again. */
  readonly behind?: Behind
}

/** How far a collector is behind the record that it shares with others. */
export interface Behind {
  /** Facts that it lacks; `null` while the store is away, so that their number is unknown. */
  readonly missing: number | null
}

/** Builds a refusal that every client of the collector can parse. */
export const problemResponse = (status: number, detail: string, causes: readonly string[] = []): Response =>
  Response.json({ detail, causes: [...causes] } satisfies Problem, {
    status,
    headers: { 'cache-control': 'no-store' },
  })

/** The collector refused a request (`status`), or did not answer (`status` is null). */
export class CollectorError extends Error {
  constructor(
    readonly status: number | null,
    message: string,
    options?: ErrorOptions,
    /** The refused parameter, if the status is 400 and the collector names one. */
    readonly refused: RefusedField | null = null,
    /** Only when an answer would be about a part of the record, or the record is away. */
    readonly behind: Behind | null = null,
  ) {
    super(message, options)
    this.name = 'CollectorError'
  }
}

/** Reads the error of an unsuccessful answer. */
export async function readRefusal(response: Response): Promise<CollectorError> {
  const body: unknown = await response.json().catch(() => null)
  const message = isProblem(body) ? body.detail : `the collector answered ${response.status}`
  const refused = isRefusedField(body) ? refusedFieldOf(body) : null
  return new CollectorError(response.status, message, undefined, refused, behindOf(body))
}

function behindOf(body: unknown): Behind | null {
  if (!isObject(body) || !isObject(body.behind)) return null
  const { missing } = body.behind
  return missing === null || typeof missing === 'number' ? { missing } : null
}

/** True for the body of a refusal. A proxy in between may answer with another body. */
export const isProblem = (body: unknown): body is Problem =>
  isObject(body) && typeof body.detail === 'string' && Array.isArray(body.causes)

const isRefusedField = (body: unknown): body is RefusedField =>
  isObject(body) &&
  REASONS.some((reason) => reason === body.reason) &&
  typeof body.field === 'string' &&
  typeof body.value === 'string'

const refusedFieldOf = ({ reason, field, value, suggestion, conflictsWith }: RefusedField): RefusedField => ({
  reason,
  field,
  value,
  suggestion,
  ...(conflictsWith !== undefined && { conflictsWith }),
})
