import { escapeMarkup, formatDurationUs, plainText, plural } from '../../format'
import { isErrorStatus } from '../../protocol/trace/span-status'
import { datedOrAll, isUndated, type SpanNode, type TreeSpan } from '../../protocol/trace/span-tree'

/** Spans per trace; a line says how many more there are. */
const MOST_SPANS = 300
const ROW_PX = 18
const NAME_PX = 380
const BARS_PX = 560
const INDENT_PX = 10
const MOST_DEPTH = 20
const SHORTEST_BAR_PX = 2
const MOST_NAME_CHARACTERS = 200
const MOST_SERVICE_CHARACTERS = 40
const COLOURS = 4
const GAP_PX = 8
const DURATION_PX = 90
const WIDTH_PX = NAME_PX + BARS_PX + GAP_PX + DURATION_PX

interface WaterfallSpan extends TreeSpan {
  readonly name: string
  readonly status: string | null
}

interface Waterfall {
  readonly name: string
  readonly spans: readonly SpanNode<WaterfallSpan>[]
  readonly errors: readonly { readonly spanId: string | null }[]
}

/**
 * The spans of a trace as an SVG without script and inline style: a row per span in the order of the tree, with name, bar and
 * duration. Failed spans have a mark, not only a colour.
 */
export function waterfallSvg(waterfall: Waterfall): string {
  const { rows, height } = drawRows(waterfall)
  const label = escapeHtml(`Waterfall of ${waterfall.name}, ${waterfall.spans.length} spans`)
  return `<svg role="img" aria-label="${label}" ${sizeOf(WIDTH_PX, height)}>${rows}</svg>`
}

const TOP_PX = 32
const MARGIN_PX = 10
/** Reports show the picture as a file, where no style sheet of a page applies. */
const STYLE =
  '<style>text{font:12px monospace;fill:#111}.faint{fill:#555}text.bad{fill:#c62828}.bar{fill:#1565c0}.s1{fill:#0f7f6e}.s2{fill:#7a4fc4}.s3{fill:#a3611a}.bar.bad{fill:#c62828}</style>'

/** The same as a file of its own, without scripts, fonts and addresses, under a line with name, counts and duration. */
export function waterfallPicture(waterfall: Waterfall): string {
  const { name, spans, errors } = waterfall
  const { rows, height, durationUs } = drawRows(waterfall)
  const facts = [name, plural(spans.length, 'span'), plural(errors.length, 'error')]
  const took = spans.length === 0 ? [] : [formatDurationUs(durationUs)]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${sizeOf(WIDTH_PX + 2 * MARGIN_PX, TOP_PX + height + MARGIN_PX)}>${STYLE}`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    textSvg(MARGIN_PX, 5, 'ink', [...facts, ...took].join(' · ')),
    `<g transform="translate(${MARGIN_PX} ${TOP_PX})">${rows}</g></svg>\n`,
  ].join('\n')
}

const sizeOf = (width: number, height: number): string =>
  `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`

function drawRows({ spans, errors }: Waterfall) {
  const shown = spans.slice(0, MOST_SPANS)
  const times = datedOrAll(spans.map(({ span }) => span))
  const startUs = times.reduce((first, one) => Math.min(first, one.startUs), Infinity)
  const endUs = times.reduce((last, one) => Math.max(last, one.endUs), -Infinity)
  const failed = new Set(errors.flatMap(({ spanId }) => spanId ?? []))
  const durationUs = Math.max(1, endUs - startUs)
  const scale = BARS_PX / durationUs
  const services = [...new Set(spans.map(({ span }) => span.service))]
  const drawn = shown.map((node, index) => rowSvg(node, { top: index * ROW_PX, startUs, scale, failed, services }))
  const more = spans.length - shown.length
  const height = Math.max(1, shown.length) * ROW_PX + (more > 0 ? ROW_PX : 0)
  const rest = more > 0 ? textSvg(0, shown.length * ROW_PX, 'faint', `and ${more} more spans`) : ''
  // An inner drawing clips the names.
  const names = `<svg ${sizeOf(NAME_PX - GAP_PX, height)}>${drawn.map(({ name }) => name).join('')}${rest}</svg>`
  return { rows: names + drawn.map(({ bar }) => bar).join(''), height, durationUs }
}

interface RowPlace {
  readonly top: number
  readonly startUs: number
  /** Pixels per microsecond. */
  readonly scale: number
  readonly failed: ReadonlySet<string>
  /** Several are distinguished by colour and by their names. */
  readonly services: readonly string[]
}

/** The name of a span, and its bar with the duration. */
function rowSvg({ span, depth, orphan }: SpanNode<WaterfallSpan>, { top, startUs, scale, failed, services }: RowPlace) {
  const isBad = failed.has(span.spanId) || isErrorStatus(span.status)
  const isElsewhere = isUndated(span) && !isUndated({ startUs })
  const x = isElsewhere ? 0 : clamp((span.startUs - startUs) * scale, 0, BARS_PX - SHORTEST_BAR_PX)
  const width = isElsewhere ? 0 : clamp((span.endUs - span.startUs) * scale, SHORTEST_BAR_PX, BARS_PX - x)
  const service = services.length > 1 ? `${span.service.slice(0, MOST_SERVICE_CHARACTERS)} · ` : ''
  const mark = `${isBad ? '✗ ' : ''}${orphan ? '⋯ ' : ''}${service}`
  const colour = `bar s${services.indexOf(span.service) % COLOURS}`
  const name = `${mark}${span.op === null ? '' : `${span.op} `}${span.name}`.slice(0, MOST_NAME_CHARACTERS)
  const duration = isElsewhere ? 'starts in 1970' : formatDurationUs(Math.max(0, span.endUs - span.startUs))
  const title = `<title>${escapeHtml(`${name}, ${span.service}, ${duration}`)}</title>`
  const indent = Math.min(depth, MOST_DEPTH) * INDENT_PX
  return {
    name: `<g>${title}${textSvg(indent, top, isBad ? 'bad' : 'ink', name)}</g>`,
    bar:
      `<g>${title}<rect class="${isBad ? 'bar bad' : colour}" x="${(NAME_PX + x).toFixed(1)}" y="${top + 4}" width="${width.toFixed(1)}" height="${ROW_PX - 8}" rx="2"/>` +
      `${textSvg(NAME_PX + BARS_PX + GAP_PX, top, 'faint', duration)}</g>`,
  }
}

const textSvg = (x: number, top: number, name: string, text: string): string =>
  `<text class="${name}" x="${x}" y="${top + ROW_PX - 5}">${escapeHtml(text)}</text>`

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

/** Received text for HTML, XML and attributes, without control characters. XML cannot contain U+FFFE and U+FFFF. */
export const escapeHtml = (text: string): string => escapeMarkup(plainText(text).replaceAll(/[\ufffe\uffff]/g, '?'))
