import { formatDurationMs, plural } from '../../lib/format'
import type { LimitsNow, PageLimit } from '../../lib/wire/limits'
import { Age } from '../ui/clock'
import { Mark } from '../ui/delivery-status-mark'
import table from '../ui/plain-table.module.css'
import { Received } from '../ui/received'
import { formatLeft } from '../ui/times'
import styles from './limits-board.module.css'

interface ToldPagesProps {
  readonly limits: Pick<LimitsNow, 'pages' | 'unnamed' | 'passLimits'>
  readonly now: number
}

const GLYPHS = { good: 'accepted', bad: 'invalid', open: 'pending' } as const

/** Whom a limit was told, and whether it was obeyed from then on. */
export function ToldPages({ limits: { pages, unnamed, passLimits }, now }: ToldPagesProps) {
  return (
    <section className={styles.section} aria-labelledby="told">
      <h2 id="told">Did pages obey?</h2>
      {pages.length === 0 ? (
        <p className="small soft">
          {passLimits
            ? 'No page was told a limit yet: it is told with the answer to the next envelope that it sends.'
            : 'No page is told a limit, so none can be judged.'}
        </p>
      ) : (
        <table className={table.table} aria-labelledby="told">
          <thead>
            <tr>
              <th scope="col">Page</th>
              <th scope="col">Verdict</th>
              <th scope="col">Category</th>
              <th scope="col">Told</th>
              <th scope="col">Sent while it ran</th>
              <th scope="col">Sent since it ended</th>
            </tr>
          </thead>
          <tbody>
            {pages.map((page) => (
              <PageRow key={`${page.page} ${page.upstream} ${page.category} ${page.sentAt}`} page={page} now={now} />
            ))}
          </tbody>
        </table>
      )}
      {unnamed > 0 && (
        <p className="small faint" data-unnamed={unnamed}>
          {plural(unnamed, 'answer')} told a limit to a client that names no page: it cannot be judged, for an SDK’s
          limits live as long as its page, and nothing says which page it was.
        </p>
      )}
    </section>
  )
}

function PageRow({ page, now }: { readonly page: PageLimit; readonly now: number }) {
  const { word, tone, meanwhile, afterwards } = pageVerdictText(page, now)
  return (
    <tr data-told-page={page.page} data-verdict={page.verdict}>
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
      <td data-column="Told">
        <span>
          with <a href={`/envelopes/${page.sentWith}`}>envelope {page.sentWith}</a>{' '}
          <span className="faint">
            <Age atMs={page.sentAt} ago />
          </span>
        </span>
      </td>
      <td data-column="While it ran" className="num">
        <Came seen={meanwhile} />
      </td>
      <td data-column="Since it ended" className="num">
        {afterwards === null ? <span className="faint">it still runs</span> : <Came seen={afterwards} />}
      </td>
    </tr>
  )
}

function Came({ seen: { words, seq } }: { readonly seen: Reaction }) {
  if (seq === null) return <span>{words}</span>
  return (
    <span>
      {words}, <a href={`/envelopes/${seq}`}>envelope {seq}</a>
    </span>
  )
}

/** Something that came, and what it says of the page. */
interface Reaction {
  readonly words: string
  /** The envelope it came with; `null` where nothing came. */
  readonly seq: number | null
}

export interface PageVerdictText {
  readonly word: 'obeyed' | 'broke it' | 'waiting'
  readonly tone: 'good' | 'bad' | 'open'
  /** While the limit ran. */
  readonly meanwhile: Reaction
  /** Since it ended; `null` while it runs. */
  readonly afterwards: Reaction | null
}

const WORDS = {
  obeyed: { word: 'obeyed', tone: 'good' },
  violated: { word: 'broke it', tone: 'bad' },
  waiting: { word: 'waiting', tone: 'open' },
} as const

/** Whether a page obeyed a limit, judged from the moment that it was told, and by what. */
export function pageVerdictText(page: PageLimit, nowMs: number): PageVerdictText {
  const { violated, resumed, until } = page
  const left = formatLeft(until, nowMs)
  const afterwards =
    resumed === null
      ? { words: 'nothing yet', seq: null }
      : { words: `the first ${formatDurationMs(resumed.afterMs)} after its end`, seq: resumed.seq }
  return {
    ...WORDS[page.verdict],
    meanwhile:
      violated === null
        ? { words: left === null ? 'nothing' : `nothing so far, ${left} left`, seq: null }
        : { words: `the first ${formatDurationMs(violated.afterMs)} after it was told`, seq: violated.seq },
    afterwards: left === null || resumed !== null ? afterwards : null,
  }
}

/** Enough of a page’s random name to tell it from others. */
export const shortPage = (page: string): string => page.slice(0, 8)
