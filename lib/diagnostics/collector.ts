import type * as z from 'zod'
import { fail, type Result, succeed } from '../protocol/result'
import { isProblem } from '../wire/errors'
import {
  type VisitorDeleted,
  type VisitorDetail,
  type VisitorRecords,
  visitorDeletedSchema,
  visitorDetailSchema,
  visitorRecordsSchema,
} from '../wire/visitor'
import { MOST_VISITOR_RECORDS } from '../wire/visitor-limits'

const READ_TIMEOUT_MS = 5000
/** A deletion waits for posts in progress, each of which takes up to 10 s. */
const DELETE_TIMEOUT_MS = 60_000

export interface VisitorCollector {
  /** @param before only older records; `null` for the newest */
  readonly list: (before: number | null) => Promise<Result<VisitorRecords, string>>
  /** @returns `null` for a record of anybody else */
  readonly detail: (seq: number) => Promise<Result<VisitorDetail | null, string>>
  /** The bytes as they were received. */
  readonly raw: (seq: number) => Promise<Result<Uint8Array<ArrayBuffer> | null, string>>
  readonly deleteAll: () => Promise<Result<VisitorDeleted, string>>
}

export interface CollectorAccess {
  readonly url: string
  /** The collector's token, where it has one. */
  readonly token: string | null
  readonly fetch: typeof fetch
}

/** The records of some visitors at the collector, which believes only a holder of its token. Errors are sentences. */
export function visitorCollector(
  { url, token, fetch }: CollectorAccess,
  visitors: readonly string[],
): VisitorCollector {
  const authorization: Readonly<Record<string, string>> = token === null ? {} : { authorization: `Bearer ${token}` }
  const query = `visitors=${visitors.join()}`

  async function request<Value>(
    path: string,
    read: (response: Response) => Promise<Value>,
    order?: object,
  ): Promise<Result<Value | null, string>> {
    try {
      const response = await fetch(`${url}${path}`, {
        method: order === undefined ? 'GET' : 'POST',
        headers: { ...authorization, ...(order !== undefined && { 'content-type': 'application/json' }) },
        body: order === undefined ? null : JSON.stringify(order),
        signal: AbortSignal.timeout(order === undefined ? READ_TIMEOUT_MS : DELETE_TIMEOUT_MS),
        redirect: 'manual',
        credentials: 'omit',
        cache: 'no-store',
      })
      if (response.ok) return succeed(await read(response))
      const body: unknown = await response.json().catch(() => null)
      if (response.status === 404 && order === undefined) return succeed(null)
      return fail(isProblem(body) ? body.detail : `the collector answered ${response.status}`)
    } catch (error) {
      return fail(`the collector does not answer (${error instanceof Error ? error.message : String(error)})`)
    }
  }

  const jsonOf =
    <Schema extends z.ZodType>(schema: Schema) =>
    async (response: Response): Promise<z.infer<Schema>> =>
      schema.parse(await response.json())

  return {
    list: async (before) => {
      const page = `limit=${MOST_VISITOR_RECORDS}${before === null ? '' : `&before=${before}`}`
      return present(await request(`/query/visitor?${query}&${page}`, jsonOf(visitorRecordsSchema)))
    },
    detail: (seq) => request(`/query/visitor/${seq}?${query}`, jsonOf(visitorDetailSchema)),
    raw: (seq) =>
      request(`/query/visitor/${seq}?${query}&raw`, async (response) => new Uint8Array(await response.arrayBuffer())),
    deleteAll: async () =>
      present(await request('/control/visitor', jsonOf(visitorDeletedSchema), { do: 'delete', visitors })),
  }
}

/** An older collector has no such route. */
const present = <Value>(answer: Result<Value | null, string>): Result<Value, string> =>
  answer.ok
    ? answer.value === null
      ? fail('this version of the collector knows no visitors')
      : succeed(answer.value)
    : answer
