import { formatCount, formatDurationUs, plural, withoutTrailingZeros } from '../../lib/format'
import { isChosen } from '../../lib/protocol/outcome'
import { lossReason } from '../../lib/wire/loss-text'
import type { Visit, VisitDetail, VisitPage, VisitRow } from '../../lib/wire/visits'
import { categoryWord } from '../ui/category-word'
import { printable } from '../ui/printable'
import { formatClock, formatOffset } from '../ui/times'

type DetailPage = VisitDetail['pages'][number]

/** A stretch of time that a line shows, in µs since the epoch. */
export interface Axis {
  readonly startUs: number
  readonly endUs: number
}

/** The first characters of a visit's key: `3f9a` of `page:3f9a…`. */
export const shortVisitId = (id: string): string => printable(id.slice(id.indexOf(':') + 1).slice(0, 4))

/** Pages of the path that a header names. */
const PATH_PAGES = 4

/** The path of a visit: `… → /cart → ` and the newest page, which stands out. */
export function pathOf({ pages, pageCount }: Pick<Visit, 'pages' | 'pageCount'>): readonly [string, string] {
  const names = pages.slice(-PATH_PAGES).map(({ name }) => printable(name))
  const last = names.pop() ?? ''
  const before = pageCount > PATH_PAGES ? ['…', ...names] : names
  return [before.map((name) => `${name} → `).join(''), last]
}

/** The time of a page, and of a row without one, is that of the clock; that of a row the offset from its page. */
export const pageTime = (startUs: number): string => formatClock(startUs / 1000).slice(0, 8)
export function rowTime(startUs: number | null, page: Axis | null): string {
  if (startUs === null) return ''
  return page === null ? pageTime(startUs) : formatOffset(startUs - page.startUs)
}

/** From the first to the last time of a page and of its rows. */
export function axisOf(page: Axis, rows: readonly VisitRow[]): Axis {
  const starts = rows.flatMap(({ startUs }) => startUs ?? [])
  const ends = rows.flatMap(({ endUs }) => endUs ?? [])
  return { startUs: Math.min(page.startUs, ...starts), endUs: Math.max(page.endUs, ...ends) }
}

/** Position on an axis in per cent; what lies outside is at its edge. */
export const percentOf = ({ startUs, endUs }: Axis, us: number): number =>
  Math.min(100, Math.max(0, ((us - startUs) / Math.max(1, endUs - startUs)) * 100))

const STRIP_GAP = 2
const STRIP_LEAST = 3

export interface Strip {
  readonly pages: readonly { readonly key: string; readonly x: number; readonly width: number }[]
  /** The ends of pages with errors. */
  readonly errors: readonly number[]
}

/** The pages of a visit on its axis, each until the next one starts, in a picture of this width. */
export function stripOf({ pages, startUs, endUs }: Pick<Visit, 'pages' | 'startUs' | 'endUs'>, width: number): Strip {
  const first = pages[0]?.startUs ?? startUs
  const axis = { startUs: Math.min(first, endUs), endUs }
  const at = (us: number): number => (percentOf(axis, us) / 100) * width
  const drawn = pages.map((page, index) => {
    const next = pages[index + 1]
    const x = Math.min(at(page.startUs), width - STRIP_LEAST)
    const until = next === undefined ? width : at(next.startUs) - STRIP_GAP
    return { key: page.segmentId, x, width: Math.max(STRIP_LEAST, until - x), hasErrors: page.errorCount > 0 }
  })
  return {
    pages: drawn.map(({ key, x, width: wide }) => ({ key, x, width: wide })),
    errors: drawn.filter(({ hasErrors }) => hasErrors).map(({ x, width: wide }) => Math.min(x + wide, width) - 1),
  }
}

export const errorsText = (count: number): string => (count === 0 ? 'no errors' : plural(count, 'error'))

/** `3 earlier pages: 4 traces, 107 requests, no errors`; of more pages than are read, what is counted of the newest. */
export function earlierPagesText(pages: readonly DetailPage[], pageCount: number): string {
  const traces = new Set(pages.map(({ traceId }) => traceId))
  const requests = pages
    .flatMap(({ rows }) => rows)
    .reduce((sum, { kind, count }) => sum + (kind === 'request' ? count : 0), 0)
  const isCut = pageCount > pages.length || pages.some(({ hiddenRows, isPart }) => hiddenRows > 0 || isPart)
  const counts = [
    plural(traces.size, 'trace'),
    ...(requests > 0 ? [plural(requests, 'request')] : []),
    errorsText(pages.reduce((sum, { errorCount }) => sum + errorCount, 0)),
  ]
  return `${plural(pageCount, 'earlier page')}: ${isCut ? 'at least ' : ''}${counts.join(', ')}`
}

/** The text of a row. */
export function rowText({ kind, name, op, count, slowestUs }: VisitRow): string {
  if (kind === 'lost') {
    const items = `${formatCount(count)} ${categoryWord(op ?? 'item', count)} of this page`
    return isChosen(name)
      ? `${items} ${count === 1 ? 'was' : 'were'} not sent by choice: ${lossText(name)}`
      : `${items} never left the browser: ${lossText(name)}`
  }
  return repeatedText({ name, count, slowestUs })
}

/** `12 × GET /api/item/?, slowest 61 ms` */
export function repeatedText({ name, count, slowestUs }: Pick<VisitRow, 'name' | 'count' | 'slowestUs'>): string {
  const shown = printable(name)
  if (count === 1) return shown
  return `${count} × ${shown}, slowest ${withoutTrailingZeros(formatDurationUs(slowestUs))}`
}

/** `6 spans lost and more`: what client reports of the page counted, without choices; `null` for nothing. */
export function lostText(reported: Visit['reported']): string | null {
  const [first, ...others] = reported.filter(({ reason }) => !isChosen(reason))
  if (first === undefined) return null
  const { category, quantity } = first
  return `${formatCount(quantity)} ${categoryWord(category, quantity)} lost${others.length > 0 ? ' and more' : ''}`
}

const lossText = (reason: string): string => printable(lossReason({ by: 'sdk', reason }))

interface RowTag {
  readonly text: string
  readonly tone: 'bad' | 'quiet'
}

/** Short facts behind the name of a row. */
export function rowTags({ kind, httpStatus, failed, isNew, handled, spanCount }: VisitRow): readonly RowTag[] {
  if (kind === 'error')
    return [
      ...(isNew ? [{ text: 'new', tone: 'bad' } as const] : []),
      ...(handled === true ? [{ text: 'handled', tone: 'quiet' } as const] : []),
    ]
  const status = httpStatus !== null && httpStatus >= 400 ? String(httpStatus) : failed ? 'failed' : null
  return [
    ...(status === null ? [] : [{ text: status, tone: 'bad' } as const]),
    ...(spanCount > 0 ? [{ text: `+${plural(spanCount, 'span')}`, tone: 'quiet' } as const] : []),
  ]
}

/** The duration of what took time; a moment and what has no time have none. */
export function rowDuration({ startUs, endUs, kind }: Pick<VisitRow, 'startUs' | 'endUs' | 'kind'>): string {
  if (startUs === null || endUs === null || (kind !== 'request' && kind !== 'server')) return ''
  return formatDurationUs(endUs - startUs)
}

/** The pages of a visit: the newest one, and those before it. */
export function splitPages(pages: readonly DetailPage[]): {
  readonly earlier: readonly DetailPage[]
  readonly newest: DetailPage | undefined
} {
  return { earlier: pages.slice(0, -1), newest: pages.at(-1) }
}

export const pageKey = ({ traceId, segmentId }: Pick<VisitPage, 'traceId' | 'segmentId'>): string =>
  `${traceId} ${segmentId}`
