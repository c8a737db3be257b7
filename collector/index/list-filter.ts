import type { DeliveryStatusName, Outcome } from '../../lib/protocol/outcome'
import type { Endpoint } from '../../lib/protocol/request'

/** Of a trace `error` also where an error was reported in it; `unset` where nobody says, and where that is said. */
export type Status = 'ok' | 'error' | 'unset'

/**
 * What a list is asked for, in the words of the rows: what stands here must all hold, what is `undefined` is not asked for.
 * Times are µs since the epoch also where the rows count ms.
 */
export interface ListFilter {
  readonly op?: string
  readonly name?: string
  readonly status?: Status
  /** Both inclusive. */
  readonly minDurationUs?: number
  readonly maxDurationUs?: number
  /** Inclusive. */
  readonly sinceUs?: number
  /** Exclusive. */
  readonly untilUs?: number
  /** Each begins a word of the thing's names or messages; as `wordsOf` cuts them, at least one. */
  readonly text?: readonly string[]
  readonly environment?: string
  readonly release?: string
  readonly service?: string
  readonly stamp?: string
  readonly level?: string
  /** `null` where the event does not say. */
  readonly handled?: boolean | null
  /** 32 small hex digits. */
  readonly trace?: string
  /** 16 small hex digits. */
  readonly segment?: string
  /** 32 small hex digits. */
  readonly event?: string
  readonly lifecycle?: 'static' | 'stream'
  /** Of an item of the envelope. */
  readonly type?: string
  readonly endpoint?: Endpoint
  readonly deliveryStatus?: DeliveryStatusName
  readonly sdk?: string
  /** Of a delivery: upstream's status, `null` where no answer came. */
  readonly answer?: number | null
  readonly upstream?: string
  /** The envelope's number. */
  readonly envelope?: number
  readonly category?: string
  readonly outcome?: Outcome
  readonly reason?: string
}
