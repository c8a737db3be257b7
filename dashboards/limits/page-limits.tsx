import { formatDurationMs, plural } from '../../lib/format'
import { writeFilter } from '../../lib/wire/filter'
import type { LimitsNow, PageLimit } from '../../lib/wire/limits'
import { TableHead } from '../ui/board'
import { Age } from '../ui/clock'
import { Mark } from '../ui/delivery-status-mark'
import { typeLimitedBy } from '../ui/labels'
import table from '../ui/plain-table.module.css'
import { Received } from '../ui/received'
import { Section } from '../ui/section'
import { formatLeft } from '../ui/times'

interface PageLimitsProps {
  readonly limits: Pick<LimitsNow, 'pages' | 'unnamed' | 'passLimits'>
  readonly now: number
}

const GLYPHS = { good: 'accepted', bad: 'invalid', open: 'pending' } as const

export function PageLimits({ limits: { pages, unnamed, passLimits }, now }: PageLimitsProps) {
  return (
    <Section id="pages" title="Did pages obey?">
      {pages.length === 0 ? (
        <p className="small soft">
          {passLimits
            ? 'No page was sent a limit yet. A page receives it with the answer to its next envelope.'
            : 'Limits are not passed to pages, so none can be judged.'}
        </p>
      ) : (
        <table className={table.table} aria-labelledby="pages">
          <TableHead columns={['Page', 'Verdict', 'Category', 'Sent', 'While in force', 'After its end']} />
          <tbody>
            {pages.map((page) => (
              <PageRow key={`${page.page} ${page.upstream} ${page.category} ${page.sentAt}`} page={page} now={now} />
            ))}
          </tbody>
        </table>
      )}
      {unnamed > 0 && (
        <p className="small faint" data-unnamed={unnamed}>
          {plural(unnamed, 'answer')} sent a limit to a client without a page id. It cannot be judged, because the
          limits of an SDK live as long as its page.
        </p>
      )}
    </Section>
  )
}

function PageRow({ page, now }: { readonly page: PageLimit; readonly now: number }) {
  const { word, tone, meanwhile, afterwards } = pageVerdictText(page, now)
  return (
    <tr data-page-limit={page.page} data-verdict={page.verdict}>
      <th scope="row" data-column="Page" title={page.page}>
        <Received className="mono" text={shortPage(page.page)} />
      </th>
      <td data-column="Verdict">
        <Mark glyph={GLYPHS[tone]} tone={tone}>
          {tone === 'bad' ? <strong>{word}</strong> : word}
        </Mark>
      </td>
      <td data-column="Category" title={page.upstream}>
        <Received className="mono" text={page.category} />
      </td>
      <td data-column="Sent">
        <span>
          with <a href={`/envelopes/${page.sentWith}`}>envelope {page.sentWith}</a>{' '}
          <span className="faint">
            <Age atMs={page.sentAt} ago />
          </span>
        </span>
      </td>
      <td data-column="While in force" className="num">
        <span>
          <EvidenceLink evidence={meanwhile} />
          {page.violated !== null && (
            <>
              , <a href={violationsHref(page, page.violated.at)}>all until its end</a>
            </>
          )}
        </span>
      </td>
      <td data-column="After its end" className="num">
        {afterwards === null ? <span className="faint">still in force</span> : <EvidenceLink evidence={afterwards} />}
      </td>
    </tr>
  )
}

function EvidenceLink({ evidence: { text, seq } }: { readonly evidence: Evidence }) {
  if (seq === null) return <span>{text}</span>
  return (
    <span>
      {text}, <a href={`/envelopes/${seq}`}>envelope {seq}</a>
    </span>
  )
}

interface Evidence {
  readonly text: string
  /** `null` when no such envelope arrived. */
  readonly seq: number | null
}

interface PageVerdictText {
  readonly word: 'obeyed' | 'violated' | 'waiting'
  readonly tone: 'good' | 'bad' | 'open'
  readonly meanwhile: Evidence
  /** After its end; `null` while it is in force. */
  readonly afterwards: Evidence | null
}

const WORDS = {
  obeyed: { word: 'obeyed', tone: 'good' },
  violated: { word: 'violated', tone: 'bad' },
  waiting: { word: 'waiting', tone: 'open' },
} as const

export function pageVerdictText(page: PageLimit, nowMs: number): PageVerdictText {
  const { violated, resumed, until } = page
  const left = formatLeft(until, nowMs)
  const afterwards =
    resumed === null
      ? { text: 'nothing yet', seq: null }
      : { text: `the first ${formatDurationMs(resumed.afterMs)} after its end`, seq: resumed.seq }
  return {
    ...WORDS[page.verdict],
    meanwhile:
      violated === null
        ? { text: left === null ? 'nothing' : `nothing so far, ${left} left`, seq: null }
        : { text: `the first ${formatDurationMs(violated.afterMs)} after it was sent`, seq: violated.seq },
    afterwards: left === null || resumed !== null ? afterwards : null,
  }
}

/** The envelopes of a violation, of which the record has only the first. */
export function violationsHref({ page, category, until }: PageLimit, sinceMs: number): string {
  const query = new URLSearchParams()
  const [since, before] = [sinceMs, until].map((ms) => new Date(ms).toISOString())
  writeFilter(query, { page, type: typeLimitedBy(category), since, until: before, own: 'show' })
  return `/envelopes?${query}`
}

/** Ids that SDKs make are longer, and random. */
const LONGEST_SHOWN = 12

/** A page id as a cell shows it; its title has the whole one. */
export const shortPage = (page: string): string => (page.length <= LONGEST_SHOWN ? page : `${page.slice(0, 8)}…`)
