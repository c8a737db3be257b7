import type { Quantity } from '../../../lib/protocol/data-category'

/** An answer that was sent this long before the page counted its discards may still have been on its way. */
export const ANSWER_MS = 1000
/** Beyond this difference between a report's time and its arrival, the clocks of sender and collector may differ. */
const SAME_CLOCK_MS = 5000
/** A report and the posts that it counts arrive within this time. */
const REMEMBERED_MS = 10_000
const MAX_POSTS = 500
const MAX_REPORTS = 100
/** Posts of one page that are tried in combination. */
const MAX_CANDIDATES = 12

export interface ArrivedPost {
  readonly receipt: string
  /** Page or stamp, with key and project. */
  readonly source: string
  readonly quantities: readonly Quantity[]
  /** Ms since the epoch by the clock of the page; `null` for an envelope without `sent_at`, such as one of logs. */
  readonly sentAt: number | null
  readonly receivedAt: number
}

export interface NetworkErrors {
  readonly source: string
  /** When the page wrote its report, in ms since the epoch: whatever it counts failed before. */
  readonly countedAt: number
  readonly receivedAt: number
  readonly quantities: readonly Quantity[]
}

interface OpenReport extends Omit<NetworkErrors, 'quantities'> {
  readonly left: Quantity[]
}

/**
 * Finds posts that a page counts as `network_error` although they arrived. A browser that leaves a page rejects its open
 * posts, yet those with `keepalive` are still delivered, and the collector sends an answer that nobody reads. Such a post
 * began before the page wrote its report, and arrived at about that time or later; and posts of the page must have
 * exactly the quantity that it reports. An error counts only if it arrived after the report was written, because a
 * quantity of 1 may match by chance. Remembers 10 s, in memory.
 */
export class AbortedPosts {
  readonly #posts: ArrivedPost[] = []
  #reports: OpenReport[] = []
  readonly #matched = new Set<string>()

  /** @returns quantities of reports that are now known to have arrived */
  addPost(post: ArrivedPost): readonly Quantity[] {
    this.#forget(post.receivedAt)
    this.#posts.push(post)
    if (this.#posts.length > MAX_POSTS) this.#dropOldest()
    return this.#reports.filter(({ source }) => source === post.source).flatMap((report) => this.#match(report))
  }

  /** @returns quantities of the report that are known to have arrived */
  addReport({ quantities, ...report }: NetworkErrors): readonly Quantity[] {
    this.#forget(report.receivedAt)
    if (Math.abs(report.receivedAt - report.countedAt) > SAME_CLOCK_MS) return []
    const open = { ...report, left: [...quantities] }
    this.#reports = [...this.#reports, open].slice(-MAX_REPORTS)
    return this.#match(open)
  }

  /** Was the post with this receipt matched? Then it must not count a second time. */
  isMatched(receipt: string): boolean {
    return this.#matched.has(receipt)
  }

  #match(report: OpenReport): readonly Quantity[] {
    const found: Quantity[] = []
    for (const reported of report.left) {
      const posts = this.#posts.filter(
        (post) => !this.#matched.has(post.receipt) && wasOpen(post, report, reported.category),
      )
      const exact = withSum(posts.slice(-MAX_CANDIDATES), reported)
      if (exact === null) continue
      for (const { receipt } of exact) this.#matched.add(receipt)
      found.push(reported)
    }
    report.left.splice(0, report.left.length, ...report.left.filter((one) => !found.includes(one)))
    return found
  }

  #forget(now: number): void {
    const isNew = ({ receivedAt }: { readonly receivedAt: number }): boolean => receivedAt > now - REMEMBERED_MS
    for (let [oldest] = this.#posts; oldest !== undefined && !isNew(oldest); [oldest] = this.#posts) this.#dropOldest()
    if (this.#reports.length > 0)
      this.#reports = this.#reports.filter((report) => isNew(report) && report.left.length > 0)
  }

  #dropOldest(): void {
    const dropped = this.#posts.shift()
    if (dropped !== undefined) this.#matched.delete(dropped.receipt)
  }
}

function wasOpen({ source, sentAt, receivedAt }: ArrivedPost, report: OpenReport, category: string): boolean {
  const { countedAt } = report
  if (source !== report.source) return false
  if (receivedAt < countedAt - (category === 'error' ? 0 : ANSWER_MS)) return false
  return sentAt === null ? receivedAt <= countedAt + ANSWER_MS : sentAt <= countedAt
}

/** Some of the posts that have exactly this quantity together; `null` if there are none. */
function withSum(posts: readonly ArrivedPost[], { category, quantity }: Quantity): readonly ArrivedPost[] | null {
  const bySum = new Map<number, readonly ArrivedPost[]>([[0, []]])
  for (const post of posts) {
    const own = quantityOf(post, category)
    if (own === 0) continue
    for (const [sum, of] of [...bySum]) if (!bySum.has(sum + own)) bySum.set(sum + own, [...of, post])
  }
  return bySum.get(quantity) ?? null
}

const quantityOf = ({ quantities }: ArrivedPost, category: string): number =>
  quantities.reduce((sum, one) => (one.category === category ? sum + one.quantity : sum), 0)
