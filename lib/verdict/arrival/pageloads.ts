import { groupBy } from '../../group-by'
import type { Evidence, SeenSegment } from '../evidence/evidence'
import { reportedDiscard } from '../evidence/reported-discard'
import type { Judged } from '../expectations/report'
import { bareUrl, pathOf } from '../rules/browser-requests'
import { atSegment, atSpan } from '../rules/describe'
import { type Finding, finding, verdictOf } from '../verdict'
import type { ObservedTest, SeenDocument } from './observed'

/** Comparing opened documents with arrived pageloads. */
export interface PageloadJudgement {
  readonly judged: readonly Judged[]
  /** Why the run is incomplete; empty otherwise. */
  readonly gaps: readonly string[]
}

const CHECK = {
  title: 'Each opened page has a pageload',
  group: 'arrival',
  why: 'A page without a pageload is missing in every statistic, and its errors may be missing, too.',
} as const

type OpeningTest = Pick<ObservedTest, 'test' | 'stamp' | 'documents' | 'posts'>

/**
 * Compares the documents that tests opened with the pageloads that arrived: of the same test and address, else of the same
 * test, else (for pageloads without a stamp) of the same address. A page that was closed or left before it had sent
 * everything proves nothing: without its pageload the run is incomplete. Pure.
 * @param isExempt pages that need no pageload, by path
 */
export function judgePageloads(
  tests: readonly OpeningTest[],
  evidence: Evidence,
  isExempt: (path: string) => boolean,
): PageloadJudgement {
  const opened = tests.map((test) => ({
    ...test,
    // Those that prove something first, for the pageloads whose address changed.
    counted: test.documents
      .filter(({ exempt, url }) => exempt === null && !isExempt(pathOf(url)))
      .sort((one, other) => Number(other.hasSent) - Number(one.hasSent)),
  }))
  const count = opened.reduce((sum, { counted }) => sum + counted.length, 0)
  if (count === 0) return { judged: [], gaps: [] }
  const pageloads = pageloadsOf(evidence)
  if (pageloads.length === 0) return withoutPageloads(count, tests, evidence)

  const pools = poolsOf(pageloads)
  const missing: Finding[] = []
  const unsampled: Finding[] = []
  const twice: Finding[] = []
  const unproven: string[] = []
  for (const { test, stamp, counted, documents } of opened) {
    const own = pools.byStamp.get(stamp) ?? []
    const left = counted.filter((document) => !take(own, document) && !take(pools.unstamped, document))
    // A page may change its address before the SDK reads it.
    const open = left.filter(() => own.length === 0 || own.pop() === undefined)
    const discards = Math.min(open.length, unsampledBy(evidence, stamp))
    if (discards > 0) unsampled.push(unsampledFinding(test, discards, counted.length))
    const reasons = open.length > discards ? lostBy(evidence, stamp) : []
    for (const document of open.slice(discards)) {
      if (document.hasSent) missing.push(missingFinding(test, document, reasons))
      else unproven.push(unprovenText(test, document))
    }
    twice.push(...surplus(test, documents, own))
  }
  return {
    judged: [
      {
        ...CHECK,
        id: 'pageloads',
        severity: 'error',
        fix: 'Is Sentry.init called on that page, before its load event, with browserTracingIntegration? Name pages without the SDK in expect: { pages: { without: [...] } }.',
        verdict: verdictOf(count, missing, ''),
      },
      {
        ...CHECK,
        id: 'pageloads-once',
        title: 'No pageload or navigation is recorded twice',
        severity: 'error',
        fix: 'Is Sentry.init called twice, by two copies of the SDK, or does a proxy send each envelope twice?',
        verdict: verdictOf(count, [...twice, ...nestedPageloads(evidence), ...doubledNavigations(evidence)], ''),
      },
      {
        ...CHECK,
        id: 'pageloads-sampled',
        title: 'Pageloads are sampled',
        severity: 'warning',
        fix: 'Set tracesSampleRate: 1 for tests, or state the rate in sampling: { browser: 0.5 }.',
        verdict: verdictOf(count, unsampled, ''),
      },
    ],
    gaps: unproven,
  }
}

const unprovenText = (test: string, { url }: SeenDocument): string =>
  `the pageload of ${bareUrl(url)} did not arrive, and the page was closed or left before it had sent everything, in ${test}`

const pageloadsOf = ({ segments }: Evidence): readonly SeenSegment[] =>
  segments.filter(({ op, copy }) => op === 'pageload' && !copy)

interface Pools {
  readonly byStamp: ReadonlyMap<string, SeenSegment[]>
  readonly unstamped: SeenSegment[]
}

const poolsOf = (pageloads: readonly SeenSegment[]): Pools => ({
  byStamp: groupBy(pageloads, ({ stamp }) => stamp),
  unstamped: pageloads.filter(({ stamp }) => stamp === null),
})

/** Removes the pageload of a document. @returns whether there was one */
function take(pageloads: SeenSegment[], document: SeenDocument): boolean {
  const index = pageloads.findIndex((pageload) => isOf(pageload, document.url))
  if (index < 0) return false
  pageloads.splice(index, 1)
  return true
}

/** Compared by path: an app may change its query at once. */
const isOf = (pageload: SeenSegment, url: string): boolean => addressOf(pageload) === pathOf(url)

/** The path of a page, or its name: SDK 7 names it by its path, later ones perhaps by its route. */
function addressOf({ name, attributes }: Pick<SeenSegment, 'name' | 'attributes'>): string {
  const { 'url.full': full, 'url.path': path } = attributes
  return typeof full === 'string' ? pathOf(full) : typeof path === 'string' ? path : name
}

/** Pageloads that are left when each document has one, and that no exempt document can have sent. */
function surplus(test: string, documents: readonly SeenDocument[], left: readonly SeenSegment[]): readonly Finding[] {
  const rest = [...left]
  for (const document of documents) if (document.exempt !== null) take(rest, document)
  const byPath = new Map<string, number>()
  for (const document of documents) {
    if (document.exempt !== null) continue
    const path = pathOf(document.url)
    if (byPath.has(path)) continue
    byPath.set(path, rest.filter((pageload) => isOf(pageload, document.url)).length)
  }
  return [...byPath].flatMap(([path, more]) => {
    const opened = documents.filter(({ url, exempt }) => exempt === null && pathOf(url) === path).length
    return more === 0
      ? []
      : [
          finding(
            path,
            `${opened + more} pageloads of ${opened} opened: is Sentry.init called twice?`,
            `${opened}`,
            test,
          ),
        ]
  })
}

/** The second `Sentry.init` of one copy of the SDK starts its pageload within that of the first. */
function nestedPageloads({ spans }: Evidence): readonly Finding[] {
  const pageloads = spans.filter(({ op, copy }) => op === 'pageload' && !copy)
  const ids = new Set(pageloads.map(({ traceId, spanId }) => `${traceId} ${spanId}`))
  return pageloads
    .filter(({ traceId, parentSpanId }) => ids.has(`${traceId} ${parentSpanId}`))
    .map((span) => ({
      about: `pageload ${addressOf(span)}`,
      at: atSpan(span),
      path: '',
      actual: 'within another pageload of the same page: is Sentry.init called twice?',
      expected: 'one pageload for each page',
    }))
}

/** Two navigations of one page to one address, so soon after each other, come from two copies of the SDK. */
const TWIN_US = 150_000
/** One pair may be a coincidence, such as two tabs. */
const LEAST_TWINS = 2

function doubledNavigations({ segments }: Evidence): readonly Finding[] {
  const navigations = segments
    .filter(({ op, copy, stamp }) => op === 'navigation' && !copy && stamp !== null)
    .sort((one, other) => one.startUs - other.startUs)
  const last = new Map<string, SeenSegment>()
  const twins: Finding[] = []
  for (const one of navigations) {
    const key = `${one.stamp} ${addressOf(one)}`
    const before = last.get(key)
    last.set(key, one)
    if (before === undefined || before.traceId === one.traceId || one.startUs - before.startUs > TWIN_US) continue
    last.delete(key)
    twins.push({
      about: `navigation ${addressOf(one)}`,
      at: atSegment(one),
      path: '',
      actual: 'recorded twice at once: is Sentry.init called twice, or is there a second copy of the SDK?',
      expected: 'once',
    })
  }
  return twins.length < LEAST_TWINS ? [] : twins
}

/** @param reasons why the SDK discarded spans of the test's pages */
function missingFinding(test: string, { url }: SeenDocument, reasons: readonly string[]): Finding {
  const why = reasons.length === 0 ? '' : `: ${discardedText(reasons)}`
  return finding(bareUrl(url), `opened, and no pageload arrived${why}`, 'a pageload', test)
}

/** The table of causes recognises this text. */
const discardedText = (reasons: readonly string[]): string => `the SDK discarded spans (${reasons.join(', ')})`

const unsampledFinding = (test: string, count: number, of: number): Finding =>
  finding(
    `${count} of ${of} pages`,
    'not sampled, as a client report says: is tracesSampleRate below 1?',
    'every page sampled',
    test,
  )

/** Spans or transactions of the test's pages that the SDK discarded, as client reports say. */
const discardsOf = ({ signals }: Evidence, stamp: string) =>
  signals
    .flatMap((signal) => (signal.stamp === stamp ? (reportedDiscard(signal) ?? []) : []))
    .filter(({ category }) => category === 'transaction' || category === 'span')

/** How many it left out by their sample rate. */
const unsampledBy = (evidence: Evidence, stamp: string): number =>
  discardsOf(evidence, stamp).reduce((sum, { reason, quantity }) => (reason === SAMPLED ? sum + quantity : sum), 0)

/** The other reasons, without those that explain no missing pageload. */
const lostBy = (evidence: Evidence, stamp: string): readonly string[] =>
  [...new Set(discardsOf(evidence, stamp).map(({ reason }) => reason))]
    .filter((reason) => !OTHERWISE.has(reason))
    .sort()

const SAMPLED = 'sample_rate'
/** A page that is left ends its posts, a failed post is a finding of its own, and requests without a parent span are no pageloads. */
const OTHERWISE: ReadonlySet<string> = new Set([SAMPLED, 'no_parent_span', 'network_error', 'send_error'])

/** Did a browser report anything, such as a session or an error? */
export const hasReported = ({ segments, events, spans, signals }: Evidence): boolean =>
  [...segments, ...events, ...spans, ...signals].some(({ service, copy }) => service === 'browser' && !copy)

function withoutPageloads(count: number, tests: readonly OpeningTest[], evidence: Evidence): PageloadJudgement {
  const pages = `${count} ${count === 1 ? 'page' : 'pages'} opened`
  if (!hasReported(evidence))
    return { judged: [], gaps: [`${pages}, nothing arrived from a browser: ${causes(tests)}`] }
  const rate = tests.reduce((sum, { stamp }) => sum + unsampledBy(evidence, stamp), 0)
  const reasons = [...new Set(tests.flatMap(({ stamp }) => lostBy(evidence, stamp)))]
  const unsent =
    reasons.length === 0 ? 'is browserTracingIntegration missing, or tracesSampleRate?' : discardedText(reasons)
  const why =
    rate > 0 ? 'client reports say that all were left out by their sample rate: is tracesSampleRate 0?' : unsent
  return {
    judged: [
      {
        ...CHECK,
        id: 'pageloads',
        severity: 'warning',
        fix: 'If the app measures no pageloads, say so: expect: { pageloads: { min: 0 } }.',
        verdict: verdictOf(
          count,
          [finding(pages, `a browser reported, but no pageload arrived: ${why}`, `${count} pageloads`)],
          '',
        ),
      },
    ],
    gaps: [],
  }
}

/** The likely causes, in order, after what the browser did. */
function causes(tests: readonly OpeningTest[]): string {
  const posts = tests.flatMap((test) => test.posts)
  const [first] = posts
  if (first === undefined)
    return 'its pages posted no envelope. Is Sentry.init called (instrumentation-client.ts), is enabled not false, is there a DSN when the pages are built, and does the transport send?'
  const answers = [...new Set(posts.map(({ status, failure }) => status ?? failure ?? 'no answer seen'))]
  return `its pages posted ${posts.length === 1 ? 'an envelope' : `${posts.length} envelopes`} to ${bareUrl(first.url)} (answered: ${answers.join(', ')}). Is the tunnel path right, does the tunnel forward to this collector, and is the DSN that of the run?`
}
