import { nameHint } from '../../config/nearest'
import { plural } from '../../format'
import { DATA_CATEGORIES } from '../../protocol/data-category'
import { limitAppliesTo } from '../../protocol/rate-limits'
import { PAGE_HEADER } from '../../protocol/request'
import type { Case, PageLimit } from '../rules/rule'
import { durationText, formatValue, listFirst, truncate } from '../text'
import { type Boards, type ExpectationResult, type Finding, verdictOf } from '../verdict'
import { findingLines, paragraphs } from './explain'

/**
 * Did the recorded pages obey the rate limits of a category? Incomplete while a limit is active and not violated.
 * @param category a data category or `all`; limits of categories that include it count too.
 * @throws TypeError for an unknown category.
 */
export function backsOff(
  { evidence, pageLimits }: Pick<Case, 'evidence' | 'pageLimits'>,
  category: string,
  boards: Boards,
): ExpectationResult {
  const known = [...DATA_CATEGORIES, 'all']
  if (typeof category !== 'string' || !known.includes(category))
    throw new TypeError(
      `toBackOff: the category must be a data category, got ${formatValue(category)}; ${nameHint(String(category), known)}`,
    )
  if (pageLimits === null) return incomplete('the rate limits of pages were not read from the collector')
  const ours = new Set(evidence.envelopes.map(({ page }) => page))
  const pages = pageLimits.pages.filter((page) => ours.has(page.page) && limitAppliesTo(page.category, category))
  const findings = pages.flatMap((page) => findingOf(page, evidence))
  const violations = pages.filter((page) => page.violated !== null)
  // Any category violates a limit of `all`.
  const limited = [...new Set(violations.map((page) => truncate(page.category, 40)))].join(' and ')
  const violators = [...new Set(violations.map((page) => violatingCategory(page, evidence)))].join(' and ')
  if (findings.length > 0)
    return {
      verdict: verdictOf(pages.length, findings, ''),
      message: paragraphs([
        [
          `${plural(findings.length, 'page')} sent ${violators} while ${violators === limited ? 'it' : limited} was limited`,
        ],
        findingLines(findings, findings.length, boards),
      ]),
      negatedMessage: '',
    }
  const obeyed = pages.filter(({ verdict }) => verdict === 'obeyed')
  if (pages.length > obeyed.length)
    return incomplete(
      `a rate limit for ${category} is still active and was not violated so far; wait for its end, or use a shorter limit`,
    )
  const verdict = verdictOf(obeyed.length, [], obeyed.length > 0 ? '' : noLimitReason(evidence, category))
  return {
    verdict,
    message: verdict.verdict === 'incomplete' ? verdict.why : '',
    negatedMessage: `${plural(obeyed.length, 'page')} obeyed the rate limit for ${category}; expected a violation`,
  }
}

/** No limit was sent: no item of the category arrived, no page header, or no post after the refused one. */
function noLimitReason({ envelopes, items }: Case['evidence'], category: string): string {
  // Only pages send an Origin. Without any, the sender is a program that Vitest runs.
  const ofPages = envelopes.filter(({ origin }) => origin !== null)
  const counted = ofPages.length > 0 ? ofPages : envelopes
  const unnamed = counted.filter(({ page }) => page === null).length
  const came = [...new Set(items.map((item) => truncate(item.category, 40)))]
  const isOther = came.length > 0 && category !== 'all' && !came.includes(category)
  return [
    `no page was sent a rate limit for ${category}`,
    ...(isOther ? [`no ${category} arrived, only ${listFirst(came)}`] : []),
    ...(unnamed > 0
      ? [
          `${unnamed} of ${plural(counted.length, 'envelope')}${ofPages.length > 0 ? ' of pages' : ''} ${unnamed === 1 ? 'has' : 'have'} no page header, so limits cannot be checked; set ${PAGE_HEADER_HOWTO}`,
        ]
      : []),
    ...(!isOther && unnamed < counted.length
      ? ['a page receives a limit with the answer to its next post after the refused one']
      : []),
  ].join('; ')
}

const incomplete = (why: string): ExpectationResult => ({
  verdict: { verdict: 'incomplete', why },
  message: why,
  negatedMessage: '',
})

type Items = Pick<Case['evidence'], 'items'>

const firstIn = ({ category, violated }: PageLimit, { items }: Items) =>
  items.find((one) => one.seq === violated?.seq && limitAppliesTo(category, one.category))

const violatingCategory = (limit: PageLimit, items: Items): string =>
  truncate(firstIn(limit, items)?.category ?? limit.category, 40)

function findingOf(limit: PageLimit, { items }: Items): readonly Finding[] {
  const { page, violated, sentAt, until } = limit
  if (violated === null) return []
  const item = firstIn(limit, { items })
  return [
    {
      about: `page ${truncate(page, 40)}`,
      at: { seq: violated.seq, item: item?.item ?? 0 },
      path: '',
      actual: `${violatingCategory(limit, { items })} ${durationText(violated.afterMs * 1000)} after the limit was sent`,
      expected: `none for ${durationText((until - sentAt) * 1000)}`,
    },
  ]
}

export const PAGE_HEADER_HOWTO = `transportOptions: { headers: { '${PAGE_HEADER}': crypto.randomUUID() } } in its Sentry.init (stampHeaders() of waystation/vitest has it)`
