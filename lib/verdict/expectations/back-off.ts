import { nameHint } from '../../config/nearest'
import { plural } from '../../format'
import { DATA_CATEGORIES } from '../../protocol/data-category'
import { PAGE_HEADER } from '../../protocol/request'
import { takes } from '../../protocol/upstream-answer'
import type { Case, PageLimit } from '../rules/rule'
import { durationText, formatValue, listFirst, truncate } from '../text'
import { type Answer, type Boards, type Finding, verdictOf } from '../verdict'
import { findingLines, paragraphs } from './explain'

/**
 * Did the pages that sent what was recorded keep to a limit of this category? One that runs still and was not broken yet is
 * not told: incomplete.
 * @param category a data category, or `all`; a limit by another name that takes it counts, too.
 * @throws TypeError where there is no such category.
 */
export function backsOff(
  { evidence, limits }: Pick<Case, 'evidence' | 'limits'>,
  category: string,
  boards: Boards,
): Answer {
  const known = [...DATA_CATEGORIES, 'all']
  if (typeof category !== 'string' || !known.includes(category))
    throw new TypeError(
      `toBackOff wants a data category: ${formatValue(category)} is none, ${nameHint(String(category), known)}`,
    )
  if (limits === null) return incomplete('nobody asked the collector what it told pages of limits')
  const ours = new Set(evidence.envelopes.map(({ page }) => page))
  const told = limits.pages.filter((page) => ours.has(page.page) && takes(page.category, category))
  const findings = told.flatMap((page) => findingOf(page, evidence))
  const broke = told.filter((page) => page.violated !== null)
  // A limit of all is broken by anything, whichever category was asked for.
  const limited = [...new Set(broke.map((page) => truncate(page.category, 40)))].join(' and ')
  const broken = [...new Set(broke.map((page) => sentIn(page, evidence)))].join(' and ')
  if (findings.length > 0)
    return {
      verdict: verdictOf(told.length, findings, ''),
      message: paragraphs([
        [
          `${plural(findings.length, 'page')} went on sending ${broken} while ${broken === limited ? 'it' : limited} was limited`,
        ],
        findingLines(findings, findings.length, boards),
      ]),
      negatedMessage: '',
    }
  const obeyed = told.filter(({ verdict }) => verdict === 'obeyed')
  if (told.length > obeyed.length)
    return incomplete(
      `a limit of ${category} runs still, and nothing broke it so far: wait for its end, or make it shorter`,
    )
  const verdict = verdictOf(obeyed.length, [], obeyed.length > 0 ? '' : whyNobodyTold(evidence, category))
  return {
    verdict,
    message: verdict.verdict === 'incomplete' ? verdict.why : '',
    negatedMessage: `${plural(obeyed.length, 'page')} kept to the limit of ${category}, and ${obeyed.length === 1 ? 'was' : 'were'} to break it`,
  }
}

/** Nobody named a page, nothing of the category came that could be limited, or nothing came behind what was. */
function whyNobodyTold({ envelopes, items }: Case['evidence'], category: string): string {
  const unnamed = envelopes.filter(({ page }) => page === null).length
  const came = [...new Set(items.map((item) => truncate(item.category, 40)))]
  const isOther = came.length > 0 && category !== 'all' && !came.includes(category)
  return [
    `no page was told a limit of ${category}`,
    ...(isOther ? [`none of that came: what came was ${listFirst(came)}`] : []),
    ...(unnamed > 0
      ? [
          `${unnamed} of ${plural(envelopes.length, 'envelope')} ${unnamed === 1 ? 'names' : 'name'} no page, which nobody can judge: a client names itself by ${PAGE_HEADER_HOWTO}`,
        ]
      : []),
    ...(!isOther && unnamed < envelopes.length
      ? ['a page is told by the answer to its next post, behind the one that was refused']
      : []),
  ].join('; ')
}

const incomplete = (why: string): Answer => ({
  verdict: { verdict: 'incomplete', why },
  message: why,
  negatedMessage: '',
})

type Items = Pick<Case['evidence'], 'items'>

const firstIn = ({ category, violated: broke }: PageLimit, { items }: Items) =>
  items.find((one) => one.seq === broke?.seq && takes(category, one.category))

/** The category of what broke it. */
const sentIn = (told: PageLimit, items: Items): string => truncate(firstIn(told, items)?.category ?? told.category, 40)

function findingOf(told: PageLimit, { items }: Items): readonly Finding[] {
  const { page, violated: broke, sentAt: toldAt, until } = told
  if (broke === null) return []
  const item = firstIn(told, { items })
  return [
    {
      about: `page ${truncate(page, 40)}`,
      at: { seq: broke.seq, item: item?.item ?? 0 },
      path: '',
      actual: `${sentIn(told, { items })} ${durationText(broke.afterMs * 1000)} after it was told`,
      expected: `none for ${durationText((until - toldAt) * 1000)}`,
    },
  ]
}

/** The line by which a client names its page load, for a person: the app of this repository has it. */
export const PAGE_HEADER_HOWTO = `transportOptions: { headers: { '${PAGE_HEADER}': crypto.randomUUID() } } in its Sentry.init (stampHeaders() of waystation/vitest has it)`
