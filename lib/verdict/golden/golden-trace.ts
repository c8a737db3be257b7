import { PLACEHOLDERS, parameterise } from '../../grouping/parameterise'
import { namesOf } from '../../otlp/registered-attributes'
import { fail, type Result, succeed } from '../../protocol/result'
import { httpStatusOf, isErrorStatus } from '../../protocol/trace/span-status'
import { nodesOf, type SpanNode } from '../../protocol/trace/span-tree'
import { QUERY } from '../compare/stable-names'
import type { SeenSpan } from '../evidence/evidence'
import type { Trace } from '../expectations/trace'
import { requestOf } from '../rules/describe'
import { truncate, withoutSecrets } from '../text'
import { type Golden, type GoldenLine, MAX_GOLDEN_LEVELS, MAX_GOLDEN_LINES, sorted, subtreeLines } from './golden-file'

/** Characters of a name, and of a value of an attribute. */
const LONGEST_TEXT = 200

/** They depend on the speed of the machine, on a cache, or on what a browser happens to paint. */
const UNSTEADY_OPS = /^(?:browser|resource|paint|mark|measure|element|ui|tcp|tls|dns)(?:\.|$)/
/** A pool decides when it connects. */
const CONNECTIONS =
  /^(?:connect$|(?:pg|pg-pool|redis|ioredis|mysql2?|mongoose|mongodb|tedious|tcp|tls|dns|net)[.-](?:connect|lookup)\b)/
/** Next loads the code of a route with its first request. */
const NEXT_LOADS =
  /^(?:NextNodeServer\.(?:clientComponentLoading|findPageComponents)|LoadComponents\.|\w*RouteModule\.(?:prepare|loadUserland))/

/** A recorded trace in the form of a file. @param attributes names of further attributes to keep @returns it, or why there is none */
export function goldenOf(trace: Trace, attributes: readonly string[]): Result<Golden, string> {
  const { kept, childrenOf, roots } = keptSpans(trace.roots)
  if (kept.length === 0) return fail(`none of its ${trace.spans.length} spans is kept in a golden trace`)
  if (kept.length > MAX_GOLDEN_LINES)
    return fail(`it has ${kept.length} spans besides the dropped ones; a golden trace has at most ${MAX_GOLDEN_LINES}`)
  const deepest = Math.max(...kept.map(({ level }) => level))
  if (deepest > MAX_GOLDEN_LEVELS)
    return fail(`it is ${deepest} levels deep; a golden trace has at most ${MAX_GOLDEN_LEVELS}`)
  const lines = new Map<SeenSpan, GoldenLine>()
  const linesOf = (spans: readonly SeenSpan[]): readonly GoldenLine[] =>
    counted(spans.flatMap((span) => lines.get(span) ?? []))
  // Children come after their parents.
  for (const { span, parent } of kept.toReversed())
    lines.set(span, {
      label: labelOf(span, parent?.service ?? null, attributes),
      isOptional: false,
      least: 1,
      most: 1,
      children: linesOf(childrenOf.get(span) ?? []),
    })
  const ids = new Set(kept.map(({ span }) => span.segmentId))
  const lifecycles = new Set(trace.segments.filter(({ segmentId }) => ids.has(segmentId)).map((one) => one.lifecycle))
  if (lifecycles.size === 0) return fail('none of its segments arrived')
  return succeed({ lifecycle: [...lifecycles].sort().join(', '), roots: linesOf(roots) })
}

interface Kept {
  readonly span: SeenSpan
  readonly parent: SeenSpan | null
  /** 1 for a root. */
  readonly level: number
}

/** Children of a dropped span belong to the span above it; a prefetch is dropped with all below. */
function keptSpans(all: readonly SpanNode<SeenSpan>[]) {
  const kept: Kept[] = []
  const roots: SeenSpan[] = []
  const childrenOf = new Map<SeenSpan, SeenSpan[]>()
  const parents = new Map<SpanNode<SeenSpan>, Kept | null>()
  const prefetched = new Set<SpanNode<SeenSpan>>()
  for (const node of nodesOf(all)) {
    const { span } = node
    const parent = parents.get(node) ?? null
    const isPrefetched = prefetched.has(node) || isPrefetch(span)
    const isKept = !isPrefetched && !isDropped(span)
    const one = { span, parent: parent?.span ?? null, level: (parent?.level ?? 0) + 1 }
    for (const child of node.children) {
      parents.set(child, isKept ? one : parent)
      if (isPrefetched) prefetched.add(child)
    }
    if (!isKept) continue
    kept.push(one)
    childrenOf.set(span, [])
    const siblings = parent === null ? roots : childrenOf.get(parent.span)
    siblings?.push(span)
  }
  return { kept, childrenOf, roots }
}

const isDropped = ({ op, name, attributes }: SeenSpan): boolean =>
  UNSTEADY_OPS.test(op ?? '') || CONNECTIONS.test(name) || NEXT_LOADS.test(String(attributes['next.span_type'] ?? ''))

const isPrefetch = ({ attributes }: SeenSpan): boolean =>
  PREFETCH_ATTRIBUTES.some((name) => attributes[name] === true || attributes[name] === 'true')

const PREFETCH_ATTRIBUTES = ['http.request.prefetch', 'sentry.http.prefetch']

/** Equal lines as one with their number, in order. */
function counted(lines: readonly GoldenLine[]): readonly GoldenLine[] {
  const groups = new Map<string, GoldenLine>()
  for (const line of lines) {
    const key = subtreeLines(line).join('\n')
    const count = (groups.get(key)?.most ?? 0) + 1
    groups.set(key, { ...line, least: count, most: count })
  }
  return sorted([...groups.values()])
}

/** @param above the service of the parent: a line names its service only where it changes */
function labelOf(span: SeenSpan, above: string | null, extra: readonly string[]): string {
  const { op, service, status, attributes } = span
  const name = nameOf(span)
  const kind = kindOf(span)
  // Next names it also in spans within a request.
  const routed = requestOf(span) === null ? null : firstText(attributes, ['http.route'])
  const route = routed?.replace(/(?<=.)\/route$/, '') ?? null
  const database = ['db.system.name', 'db.operation.name'].flatMap((one) => firstText(attributes, namesOf(one)) ?? [])
  const details = [
    ...(service === above ? [] : [`service=${service}`]),
    ...(kind === null || op?.endsWith(`.${kind}`) === true ? [] : [`kind=${kind}`]),
    ...(isErrorStatus(status) ? ['error'] : []),
    ...(route === null || name.includes(plain(route)) ? [] : [`route=${route}`]),
    ...(httpStatusOf(attributes) === null ? [] : [`status=${httpStatusOf(attributes)}`]),
    ...(database.length === 0 ? [] : [`db=${database.join(' ')}`]),
    ...extra.flatMap((one) => (attributes[one] === undefined ? [] : [`${one}=${stable(valueText(attributes[one]))}`])),
  ].map(plain)
  return `${plain(op ?? '-').replaceAll(' ', '_')} ${name}${details.length === 0 ? '' : ` [${details.join(', ')}]`}`
}

/** Method and path of a request, whose host and port may be others in each run; else the name. */
function nameOf(span: SeenSpan): string {
  const name = requestOf(span)?.short ?? span.name.replace(QUERY, '')
  return stable(name) || '-'
}

/** Without ids and numbers, the lengths of SQL lists, and the id of a build of Next's pages router. */
const stable = (text: string): string =>
  plain(
    parameterise(text.replace(/\/_next\/data\/[^/]+\//, '/_next/data/*/'))
      .replace(ANY_PLACEHOLDER, '*')
      .replace(SQL_LIST, 'IN (*)'),
  )

const SQL_LIST = /\bIN ?\((?:[\s,?*]|\$\*|%s)+\)/gi
const ANY_PLACEHOLDER = new RegExp(PLACEHOLDERS.join('|'), 'g')

/** One line, safe to print and to commit, without the signs that have a meaning in the file. */
const plain = (text: string): string =>
  truncate(withoutSecrets(text).replaceAll(/\s+/g, ' ').trim(), LONGEST_TEXT).replaceAll('×', 'x').replace(/^\?/, '-')

/** `null` for a span within its program. */
function kindOf({ otel, attributes }: SeenSpan): string | null {
  const kind = (otel?.kind ?? firstText(attributes, ['sentry.kind', 'otel.kind']) ?? '').toLowerCase()
  return ['server', 'client', 'producer', 'consumer'].find((one) => one === kind) ?? null
}

function firstText(attributes: SeenSpan['attributes'], names: readonly string[]): string | null {
  const value = names.map((name) => attributes[name]).find((one) => typeof one === 'string' && one !== '')
  return typeof value === 'string' ? value : null
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
