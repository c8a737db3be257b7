import { codeOf } from '../runtime/sqlite-errors'
import { UnfitStoreError } from './migrate'
import { StoreAwayError } from './store-away'

const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 2000
/** A lock or a statement took too long, as while another collector migrates. */
const BUSY: ReadonlySet<string> = new Set(['40001', '40P01', '55P03', '57014'])

interface PauseTools {
  readonly wait: (ms: number) => Promise<unknown>
  readonly log: (line: string) => void
}

interface WaitingTools<Store> extends PauseTools {
  /** Connects and checks the server. */
  readonly open: () => Promise<Store>
}

/**
 * Logs that envelopes are refused, tries again after 50 ms and then up to every 2 s, and logs that PostgreSQL answers.
 * @param attempt resolves with `null` while it is away
 */
export async function untilBack<Value>(
  away: StoreAwayError | null,
  attempt: () => Promise<Value | null>,
  { wait, log }: PauseTools,
): Promise<Value> {
  log(`${away?.message}; envelopes are refused with 503 until it answers`)
  for (let pause = FIRST_WAIT_MS; ; pause = Math.min(2 * pause, LONGEST_WAIT_MS)) {
    await wait(pause)
    const value = await attempt()
    if (value === null) continue
    log('PostgreSQL answers: envelopes are stored')
    return value
  }
}

/**
 * A store that opens as soon as PostgreSQL answers: it tries again after 50 ms, and then up to every 2 s. An error that
 * does not end by itself ends the tries: a wrong password, a server or a schema that does not fit.
 */
export class WaitingStore<Store> {
  /** Whether the first try has opened it. Rejects as `opened`. */
  readonly firstTry: Promise<boolean>
  /** @throws UnfitStoreError, or any other error that waiting does not mend */
  readonly opened: Promise<Store>
  readonly #open: () => Promise<Store>
  #store: Store | null = null
  #away: StoreAwayError | null = null

  constructor(tools: WaitingTools<Store>) {
    this.#open = tools.open
    this.firstTry = this.#try().then((store) => store !== null)
    this.opened = this.firstTry.then(() => this.#store ?? untilBack(this.#away, () => this.#try(), tools))
  }

  get isOpen(): boolean {
    return this.#store !== null
  }

  /** Waits for the first try only. @throws StoreAwayError while PostgreSQL is away */
  async current(): Promise<Store> {
    if (this.#store === null) await this.firstTry
    if (this.#store !== null) return this.#store
    throw this.#away
  }

  /** @returns `null` while it is away */
  async #try(): Promise<Store | null> {
    try {
      this.#store = await this.#open()
      return this.#store
    } catch (error) {
      this.#away = awayFrom(error)
      return null
    }
  }
}

/** @throws the error if waiting does not mend it */
function awayFrom(error: unknown): StoreAwayError {
  if (error instanceof StoreAwayError) {
    if (error.isPassing) return error
    throw new UnfitStoreError(`${error.message}; check WAYSTATION_STORE`)
  }
  const code = codeOf(error)
  if (!(error instanceof Error) || code === null || !BUSY.has(code)) throw error
  return new StoreAwayError('WAYSTATION_STORE', error.message)
}
