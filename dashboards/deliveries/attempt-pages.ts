import type { PlottedAttempt } from './plotted-attempts'

const PAGE = 200

/** Reads a page of attempts, newest first. @returns `next`: the cursor of older ones; `null` when there are none */
export type ReadAttemptPage = (page: { readonly limit: number; readonly cursor?: string }) => Promise<AttemptPage>

interface AttemptPage {
  readonly deliveries: readonly PlottedAttempt[]
  readonly next: string | null
}

export interface AttemptPages {
  /** Newest first. */
  readonly attempts: readonly PlottedAttempt[]
  /** The last attempt of the last page. */
  readonly last: PlottedAttempt | undefined
  readonly pages: number
  /** `null` when there are no older attempts. */
  readonly next: string | null
}

/** Reads at least one page, and further ones until `isEnough` or the end. @throws what `readPage` throws */
export async function readPagesUntil(
  isEnough: (read: AttemptPages) => boolean,
  readPage: ReadAttemptPage,
): Promise<AttemptPages> {
  let read: AttemptPages = { attempts: [], last: undefined, pages: 0, next: null }
  do {
    const { deliveries, next } = await readPage({ limit: PAGE, ...(read.next !== null && { cursor: read.next }) })
    read = { attempts: [...read.attempts, ...deliveries], last: deliveries.at(-1), pages: read.pages + 1, next }
  } while (read.next !== null && !isEnough(read))
  return read
}
