import type { Reader } from '../index/reader'
import type { Spool } from '../spool/spool'
import type { ConditionTools } from './condition'
import type { LimitBook } from './limits'
import type { Scrub } from './prepare'
import type { Send } from './send'

/** What a relay works with: everything that is not its own. */
export interface RelayTools extends ConditionTools {
  readonly spool: Pick<Spool, 'deliver' | 'limit' | 'settle'>
  readonly reader: Pick<Reader, 'pending' | 'record'>
  readonly limits: LimitBook
  /** Errors wait for the end of their limit instead of being cut. */
  readonly holdErrors: boolean
  /** Takes out what must not leave; `null` where nothing is scrubbed. */
  readonly scrub: Scrub | null
  /** Intake has its hands full: it goes first. */
  readonly isIntakeBusy: () => boolean
  readonly send: Send
  /** Tells whoever reads the terminal. */
  readonly say: (line: string) => void
  /** A failure of our own disk or threads: the process ends with it. */
  readonly onDeath: (error: Error) => void
}
