import { formatDurationUs } from '../../lib/format'
import { normaliseName } from '../../lib/protocol/trace/span-name'
import type { TraceSpan } from '../../lib/wire/trace-columns'

type CopiedSpan = Pick<TraceSpan, 'op' | 'name'>

/** A longer name ends with a star. */
const LONGEST_NAME = 200

/** A step of a span pattern that matches this span, and others that differ in ids, numbers and quoted texts only. */
function stepOf({ op, name }: CopiedSpan): string {
  const shownOp = op !== null && /^[\w.:/-]+$/.test(op) ? op : '*'
  const cut = normaliseName(name).slice(0, LONGEST_NAME)
  const isCut = cut.length < normaliseName(name).length
  // A backslash would escape what follows it, and a line end would end the statement.
  const text = cut.replaceAll(/[?\\]+|\p{Cc}+/gu, '*').replaceAll('"', '\\"')
  return text === '' ? shownOp : `${shownOp} "${text}${isCut ? '*' : ''}"`
}

type Attributes = Readonly<Record<string, unknown>>

/** A word stands without quotes. A longer value ends with a star. */
function conditionOf([name, value]: readonly [string, unknown]): string {
  const quote = (text: string): string => (/^[\w./:-]+$/.test(text) ? text : `"${text}"`)
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  // A backslash would escape what follows it.
  const start = text.slice(0, LONGEST_NAME).replaceAll(/[\\*"]/g, (one) => (one === '\\' ? '*' : `\\${one}`))
  return `${quote(name.replaceAll('"', '\\"'))}=${quote(text.length > LONGEST_NAME ? `${start}*` : start)}`
}

/**
 * A span pattern for `toHaveSpanTree`.
 * @param root of the span's tree; `null` for a root
 * @param attributes that the span must have, with these values
 */
export function spanPattern(span: CopiedSpan, root: CopiedSpan | null, attributes: Attributes = {}): string {
  const conditions = Object.entries(attributes).map(conditionOf)
  const step = `${stepOf(span)}${conditions.length === 0 ? '' : `[${conditions.join(', ')}]`}`
  return root === null ? step : `${stepOf(root)} >> ${step}`
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r' }

/** A statement of a test with the kit. */
export const spanAssertion = (pattern: string): string =>
  `expect(trace).toHaveSpanTree('${pattern.replaceAll(/[\\'\n\r]/g, (one) => ESCAPES[one] ?? `\\${one}`)}')\n`

/** A span for an issue. */
export function spanMarkdown(span: TraceSpan, url: string): string {
  const facts = [
    ['Op', span.op],
    ['Service', span.service],
    ['Duration', formatDurationUs(span.endUs - span.startUs)],
    ['Status', span.status],
    ['HTTP status', span.httpStatus],
    ['Start', new Date(span.startUs / 1000).toISOString()],
    ['Span', span.spanId],
  ] as const
  const inline = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(/[`*_<>[\]\\]/g, '\\$&')
  return [
    `## ${inline(span.name)}`,
    '',
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`- ${name}: ${inline(String(value))}`])),
    `- Waystation: ${url}`,
    '',
  ].join('\n')
}

const URL_KEYS = ['url.full', 'http.url', 'url'] as const
const METHOD_KEYS = ['http.request.method', 'http.method', 'method'] as const

/** The request of a span for a shell, without headers, body and password; `null` without an address. */
export function spanCurl(attributes: Attributes): string | null {
  const first = (keys: readonly string[]): string | undefined =>
    keys.map((key) => attributes[key]).find((value) => typeof value === 'string')
  const [url, method = 'GET'] = [first(URL_KEYS), first(METHOD_KEYS)]
  if (url === undefined || !URL.canParse(url) || !/^https?:/.test(url) || !/^[A-Z]+$/.test(method)) return null
  const address = new URL(url)
  // A password in the address is nobody's to copy.
  address.username = ''
  address.password = ''
  return `curl -X ${method} '${address.href.replaceAll("'", '%27')}'\n`
}
