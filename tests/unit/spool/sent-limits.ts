import type { ReportedLimit, Submission } from '../../../lib/protocol/submission'
import { type InProcessSpool, openInProcess, submission, temporaryFolder } from './in-process-spool'

export const NOW = 1_700_000_000_000
export const SECOND = 1000

/**
 * A spool with a clock, and a function that appends an envelope of a page with one item of a category: now, or at a
 * second of that clock.
 */
export function pageSender(folder = temporaryFolder()) {
  let now = NOW
  const spool = openInProcess({ folder, now: () => now })
  const send = async (
    category: string,
    reportedLimits: readonly ReportedLimit[] = [],
    more: Partial<Submission> = {},
  ) => {
    const given = submission({
      receivedAt: now,
      quantities: [{ category, quantity: 1 }],
      reportedLimits,
      ...more,
    })
    const page = 'page' in (more.facts ?? {}) ? more.facts?.page : 'p1'
    return spool.append({ ...given, facts: { ...given.facts, page: page ?? null } })
  }
  const at = (seconds: number): void => {
    now = NOW + seconds * SECOND
  }
  const sendAt = (seconds: number, ...given: Parameters<typeof send>) => {
    at(seconds)
    return send(...given)
  }
  return { spool, folder, send, sendAt, at }
}

export const limitUntil = (category: string, seconds: number): ReportedLimit => ({
  category,
  until: NOW + seconds * SECOND,
})

export const pageLimitRows = (spool: InProcessSpool): readonly unknown[] =>
  spool.db
    .prepare(
      `SELECT page, category, sent_at - @now AS sent, until - @now AS until, sent_with, violated_seq, violated_at - @now AS violated,
         resumed_seq, resumed_at - @now AS resumed FROM page_limits ORDER BY sent_at, page, category`,
    )
    .all({ now: NOW })

/** The same, after an answer that limited transactions for 60 seconds. */
export async function limitedPage(folder?: string) {
  const page = pageSender(folder)
  await page.send('error', [limitUntil('transaction', 60)])
  return page
}
