import { formatDurationUs, plainText } from '../../format'
import { NO_ERRORS } from '../../protocol/trace/segment'
import { buildSpanTree, datedOrAll, nodesOf, type SpanNode } from '../../protocol/trace/span-tree'
import type { Span, TraceDetail } from '../../wire/trace'

/** Spans per trace; a line says how many more there are. */
const MOST_SPANS = 300
const ROW_PX = 18
const NAME_PX = 380
const BARS_PX = 560
const INDENT_PX = 10
const MOST_DEPTH = 20
const SHORTEST_BAR_PX = 2
const MOST_NAME_CHARACTERS = 200
const GAP_PX = 8
const DURATION_PX = 72
const WIDTH_PX = NAME_PX + BARS_PX + GAP_PX + DURATION_PX

/**
 * The spans of a trace as an SVG without script and inline style: a row per span in the order of the tree, with name, bar and
 * duration. Failed spans have a mark, not only a colour.
 */
export function waterfallSvg({ spans, errors, summary }: Pick<TraceDetail, 'spans' | 'errors' | 'summary'>): string {
  const rows = nodesOf(buildSpanTree(spans).roots)
  const shown = rows.slice(0, MOST_SPANS)
  const times = datedOrAll(spans)
  const startUs = times.reduce((first, one) => Math.min(first, one.startUs), Infinity)
  const endUs = times.reduce((last, one) => Math.max(last, one.endUs), -Infinity)
  const failed = new Set(errors.flatMap(({ spanId }) => spanId ?? []))
  const scale = BARS_PX / Math.max(1, endUs - startUs)
  const drawn = shown.map((node, index) => rowSvg(node, { top: index * ROW_PX, startUs, scale, failed }))
  const more = rows.length - shown.length
  const height = Math.max(1, shown.length) * ROW_PX + (more > 0 ? ROW_PX : 0)
  const rest = more > 0 ? textSvg(0, shown.length * ROW_PX, 'faint', `and ${more} more spans`) : ''
  const label = escapeHtml(`Waterfall of ${summary.name}, ${spans.length} spans`)
  const size = (width: number): string => `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`
  // An inner drawing clips the names.
  const names = `<svg ${size(NAME_PX - GAP_PX)}>${drawn.map(({ name }) => name).join('')}${rest}</svg>`
  return `<svg role="img" aria-label="${label}" ${size(WIDTH_PX)}>${names}${drawn.map(({ bar }) => bar).join('')}</svg>`
}

interface RowPlace {
  readonly top: number
  readonly startUs: number
  /** Pixels per microsecond. */
  readonly scale: number
  readonly failed: ReadonlySet<string>
}

/** The name of a span, and its bar with the duration. */
function rowSvg({ span, depth }: SpanNode<Span>, { top, startUs, scale, failed }: RowPlace) {
  const isBad = failed.has(span.spanId) || (span.status !== null && !NO_ERRORS.some((one) => one === span.status))
  const x = clamp((span.startUs - startUs) * scale, 0, BARS_PX - SHORTEST_BAR_PX)
  const width = clamp((span.endUs - span.startUs) * scale, SHORTEST_BAR_PX, BARS_PX - x)
  const name = `${isBad ? '✗ ' : ''}${span.op === null ? '' : `${span.op} `}${span.name}`.slice(0, MOST_NAME_CHARACTERS)
  const duration = formatDurationUs(Math.max(0, span.endUs - span.startUs))
  const title = `<title>${escapeHtml(`${name}, ${span.service}, ${duration}`)}</title>`
  const indent = Math.min(depth, MOST_DEPTH) * INDENT_PX
  return {
    name: `<g>${title}${textSvg(indent, top, isBad ? 'bad' : 'ink', name)}</g>`,
    bar:
      `<g>${title}<rect class="${isBad ? 'bar bad' : 'bar'}" x="${(NAME_PX + x).toFixed(1)}" y="${top + 4}" width="${width.toFixed(1)}" height="${ROW_PX - 8}" rx="2"/>` +
      `${textSvg(NAME_PX + BARS_PX + GAP_PX, top, 'faint', duration)}</g>`,
  }
}

const textSvg = (x: number, top: number, name: string, text: string): string =>
  `<text class="${name}" x="${x}" y="${top + ROW_PX - 5}">${escapeHtml(text)}</text>`

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Received text for HTML and attributes, without control characters. */
export const escapeHtml = (text: string): string =>
  plainText(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
