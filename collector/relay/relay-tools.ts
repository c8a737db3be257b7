import type { Reader } from '../index/reader'
import type { Spool } from '../spool/spool'
import type { BreakerTools } from './condition'
import type { RateLimits } from './limits'
import type { Scrub } from './prepare'
import type { Send } from './send'

/** What a relay works with: everything that is not its own. */
export interface RelayTools extends BreakerTools {
  readonly spool: Pick<Spool, 'deliver' | 'limit' | 'settle'>
  readonly reader: Pick<Reader, 'pending' | 'record'>
  readonly limits: RateLimits
  /** Errors wait for the end of their limit instead of being cut. */
  readonly holdErrors: boolean
  /** Takes out what must not leave; `null` where nothing is scrubbed. */
  readonly scrub: Scrub | null
  /** Intake has its hands full: it goes first. */
  readonly isIntakeBusy: () => boolean
  readonly send: Send
  /** Tells whoever reads the terminal. */
  readonly log: (line: string) => void
  /** A failure of our own disk or threads: the process ends with it. */
  readonly onDeath: (error: Error) => void
}
