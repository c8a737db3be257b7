import { RATE_LIMIT_BACK_OFF_MS } from '../../contract/values'
import { plural } from '../../format'
import { limitAppliesTo } from '../../protocol/rate-limits'
import { PAGE_HEADER } from '../../protocol/request'
import type { Evidence } from '../evidence/evidence'
import { durationText } from '../text'
import { type FoundAt, type Verdict, verdictOf } from '../verdict'
import { atItem } from './describe'
import type { PageLimit, Rule } from './rule'

/**
 * Checks the pages that were sent a rate limit: did they send that category before the limit ended? A page is one page
 * load, because the SDK forgets its limits afterwards. Only pages with envelopes in the evidence count. The collector's
 * answers always contain the remaining time; the default of 60 s applies if upstream named none.
 */
export const rateLimitBackOffRule: Rule = {
  id: 'rate-limit-back-off',
  title: 'A page with a rate limit sends nothing of that category until it ends',
  why: 'Items sent during a limit are lost, and may extend the limit.',
  setting: 'rate-limit-back-off',
  judgedFrom: ['transport'],
  sentBy: 'pages',
  severity: 'error',
  fix: `Use the SDK’s own transport, which reads X-Sentry-Rate-Limits and Retry-After. A tunnel must forward both headers: 429 alone limits every category for ${durationText(RATE_LIMIT_BACK_OFF_MS * 1000)}.`,
  judge: ({ evidence, pageLimits }): Verdict => {
    if (pageLimits === null)
      return { verdict: 'incomplete', why: 'The rate limits of pages were not read from the collector.' }
    const pages = new Set(evidence.envelopes.map(({ page }) => page))
    const limited = pageLimits.pages.filter(({ page }) => pages.has(page))
    const judged = limited.filter(({ verdict }) => verdict !== 'waiting')
    const findings = judged.flatMap((one) => {
      if (one.violated === null) return []
      const { seq, afterMs } = one.violated
      return [
        {
          about: `page ${one.page.slice(0, 8)}, limited for ${one.category}`,
          at: itemOf(evidence, seq, one.category),
          path: '',
          actual: `an envelope ${durationText(afterMs * 1000)} after the limit was sent`,
          expected: `none for ${durationText((one.until - one.sentAt) * 1000)}, until the limit ends`,
        },
      ]
    })
    return verdictOf(judged.length, findings, incompleteReason(limited, pageLimits.unnamed))
  },
}

function incompleteReason(limited: readonly PageLimit[], unnamed: number): string {
  if (limited.length > 0) return 'The rate limit of a page is still active and was not violated so far.'
  if (unnamed > 0)
    return `No page was sent a rate limit. ${plural(unnamed, 'limit')} went to clients without the header ${PAGE_HEADER}, which cannot be checked.`
  return 'No page was sent a rate limit.'
}

function itemOf({ items }: Evidence, seq: number, category: string): FoundAt {
  const found = items.find((item) => item.seq === seq && limitAppliesTo(category, item.category))
  return found === undefined ? { seq, item: 0 } : atItem(found)
}
