import { RATE_LIMIT_BACK_OFF_MS } from '../../contract/values'
import { PAGE_HEADER } from '../../protocol/request'
import { takes } from '../../protocol/upstream-answer'
import type { Evidence } from '../evidence/evidence'
import { type FoundAt, type Verdict, verdictOf } from '../verdict'
import { atItem, toldDuration } from './describe'
import type { PageLimit, Rule } from './rule'

/**
 * Judged from what the collector wrote down of each page that it told a limit, and what came from it before that ended: a
 * page is one page load, for an SDK forgets its limits with it. Only pages count of which something is in the evidence.
 * Our answers always name the time that is left, so the default of 60 s shows where upstream named none.
 */
export const rateLimitBackOffRule: Rule = {
  id: 'rate-limit-back-off',
  title: 'A page that was told a limit sends nothing of its category until it ends',
  why: 'Whoever goes on sending loses all of it, and may be limited for longer.',
  setting: 'rate-limit-back-off',
  judgedFrom: ['transport'],
  sentBy: 'pages',
  severity: 'error',
  fix: `Let the SDK’s own transport read X-Sentry-Rate-Limits and Retry-After: a tunnel has to pass both on, and 429 alone is ${toldDuration(RATE_LIMIT_BACK_OFF_MS * 1000)} of everything.`,
  judge: ({ evidence, limits }): Verdict => {
    if (limits === null)
      return { verdict: 'incomplete', why: 'The collector was not asked what pages it told a limit.' }
    const pages = new Set(evidence.envelopes.map(({ page }) => page))
    const told = limits.pages.filter(({ page }) => pages.has(page))
    const judged = told.filter(({ verdict }) => verdict !== 'waiting')
    const findings = judged.flatMap((one) => {
      if (one.violated === null) return []
      const { seq, afterMs } = one.violated
      return [
        {
          about: `page ${one.page.slice(0, 8)}, told a limit of ${one.category}`,
          at: itemOf(evidence, seq, one.category),
          path: '',
          actual: `one came ${toldDuration(afterMs * 1000)} after it was told`,
          expected: `none for ${toldDuration((one.until - one.sentAt) * 1000)}, until the limit ends`,
        },
      ]
    })
    return verdictOf(judged.length, findings, nothingSaid(told, limits.unnamed))
  },
}

function nothingSaid(told: readonly PageLimit[], unnamed: number): string {
  if (told.length > 0) return 'A page was told a limit that still runs: whether it keeps to it shows when it ends.'
  if (unnamed > 0)
    return `No page of these was told a limit. ${unnamed} ${unnamed === 1 ? 'answer' : 'answers'} told one to clients without the header ${PAGE_HEADER}, which cannot be judged.`
  return 'No page was told a limit.'
}

function itemOf({ items }: Evidence, seq: number, category: string): FoundAt {
  const found = items.find((item) => item.seq === seq && takes(category, item.category))
  return found === undefined ? { seq, item: 0 } : atItem(found)
}
