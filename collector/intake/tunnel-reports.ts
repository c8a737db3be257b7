import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { isReceipt, RECEIPT_HEADER } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { MOST_PAGES_REPORTED, PAGES_PATH } from '../../lib/tunnel/page-reports'
import { MOST_REPORTED, REFUSALS_PATH } from '../../lib/tunnel/refusals'
import { problem, type Refusal } from '../runtime/problem'
import type { Spool } from '../spool/spool'

const MOST_BYTES = 1_024

const refusedSchema = z.strictObject({
  refused: z.record(z.string().regex(/^(?:4\d\d|503)$/), z.int().min(1).max(MOST_REPORTED)),
})

const countSchema = z.int().min(0).max(MOST_PAGES_REPORTED)
const pagesSchema = z.strictObject({ documents: countSchema, pages: countSchema })

type Refused = Pick<Refusal, 'detail'> & { readonly status: 400 | 403 | 413 }

/**
 * Reports of tunnels. A tunnel reports by its receipt that the sender of an envelope left before the answer. Requests that
 * it refused by itself are counted as `tunnel_403` and the like, those that nobody could store as `tunnel_503`. Pages
 * cannot report refusals: their requests have an Origin.
 */
export function tunnelReportRoutes(deps: {
  readonly spool: Pick<Spool, 'addUnseenAnswer' | 'countRefusal' | 'countPages'>
}): Hono {
  const { spool } = deps
  const app = new Hono()
  for (const path of ['/tunnel/unseen', '/tunnel/unseen/'])
    app.post(path, async (c) => {
      const receipt = readReceipt(c)
      if (receipt === null)
        return problem(c, {
          status: 400,
          detail: `the header ${RECEIPT_HEADER} must be a UUID, got ${JSON.stringify((c.req.header(RECEIPT_HEADER) ?? '').slice(0, 80))}`,
        })
      await spool.addUnseenAnswer(receipt)
      return c.body(null, 204)
    })
  app.post(REFUSALS_PATH, async (c) => {
    const report = await readReport(c, refusedSchema, '{"refused":{"403":1}}, with statuses of 4xx, or 503')
    if (!report.ok) return problem(c, report.error)
    for (const [status, count] of Object.entries(report.value.refused))
      for (let counted = 0; counted < count; counted += 1) await spool.countRefusal(`tunnel_${status}`, 0)
    return c.body(null, 204)
  })
  app.post(PAGES_PATH, async (c) => {
    const counts = await readReport(c, pagesSchema, '{"documents":2,"pages":1}, each at most 10000')
    if (!counts.ok) return problem(c, counts.error)
    await spool.countPages(counts.value.documents, counts.value.pages)
    return c.body(null, 204)
  })
  return app
}

/** The body of a tunnel's report. Pages have an Origin, and may report nothing. @param like an example for the error */
async function readReport<Report>(
  c: Context,
  schema: z.ZodType<Report>,
  like: string,
): Promise<Result<Report, Refused>> {
  if (c.req.header('origin') !== undefined)
    return fail({ status: 403, detail: 'only a tunnel may report this, and no page' })
  const length = Number(c.req.header('content-length') ?? Number.NaN)
  if (!(length <= MOST_BYTES))
    return fail({ status: 413, detail: `a report has at most ${MOST_BYTES} bytes and a Content-Length` })
  const parsed = schema.safeParse(await c.req.json().catch(() => null))
  return parsed.success ? succeed(parsed.data) : fail({ status: 400, detail: `the body must be like ${like}` })
}

/** The receipt of a tunnel, which repeats it with the same envelope; `null` without a valid one. */
export function readReceipt(c: Context): string | null {
  const receipt = c.req.header(RECEIPT_HEADER) ?? ''
  return isReceipt(receipt) ? receipt.toLowerCase() : null
}
