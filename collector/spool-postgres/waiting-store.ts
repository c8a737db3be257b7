import { codeOf } from '../runtime/sqlite-errors'
import { UnfitStoreError } from './migrate'
import { StoreAwayError } from './store-away'

const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 2000
/** A lock or a statement took too long, as while another collector migrates. */
const BUSY: ReadonlySet<string> = new Set(['40001', '40P01', '55P03', '57014'])

interface WaitingTools<Store> {
  /** Connects and checks the server. */
  readonly open: () => Promise<Store>
  readonly wait: (ms: number) => Promise<unknown>
  readonly log: (line: string) => void
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
  readonly #tools: WaitingTools<Store>
  #store: Store | null = null
  #away: StoreAwayError | null = null

  constructor(tools: WaitingTools<Store>) {
    this.#tools = tools
    this.firstTry = this.#try().then((store) => store !== null)
    this.opened = this.firstTry.then(() => this.#store ?? this.#tryAgain())
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

  async #tryAgain(): Promise<Store> {
    const { wait, log } = this.#tools
    log(`${this.#away?.message}; envelopes are refused with 503 until it answers`)
    for (let pause = FIRST_WAIT_MS; ; pause = Math.min(2 * pause, LONGEST_WAIT_MS)) {
      await wait(pause)
      const store = await this.#try()
      if (store === null) continue
      log('PostgreSQL answers: envelopes are stored')
      return store
    }
  }

  /** @returns `null` while it is away */
  async #try(): Promise<Store | null> {
    try {
      this.#store = await this.#tools.open()
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
