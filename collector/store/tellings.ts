import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/items/signal'
import { isShownBefore, type ToldSpan } from '../walk/told-span'
import { PLACE_OF_TRACE } from './list-place'
import { ID_BYTES } from './span-ids'
import { MOST_TOLD_APART } from './trace-records'
import { readSpoolRecord, toldOf } from './trace-spans'

/** What records that were just read told stays so long. */
const REMEMBERED = 16

/** Which of several tellings of a span is shown, for one question: what it has read it keeps. */
export class Tellings {
  readonly #db: Database
  readonly #limits: ReadLimits
  readonly #mayRepeat = new Map<string, boolean>()
  readonly #told = new Map<string, readonly ToldSpan[]>()

  constructor(db: Database, limits: ReadLimits) {
    this.#db = db
    this.#limits = limits
  }

  isShown({ span, source, place }: ToldSpan): boolean {
    if (!this.#repeats(span.traceId)) return true
    const shown = this.shown(span.traceId, span.spanId)
    if (shown === null) return true
    return shown.source.seq === source.seq && shown.source.item === source.item && shown.place === place
  }

  /** @returns `null` where no record that is kept tells of it. */
  shown(traceId: string, spanId: string): ToldSpan | null {
    const id = Buffer.from(spanId, 'hex')
    const rows = this.#db
      .prepare('SELECT seq, spans FROM trace_records WHERE trace_id = ? AND instr(spans, ?) > 0')
      .all(traceId, id) as { readonly seq: number; readonly spans: Buffer }[]
    const told = rows
      .filter(({ spans }) => holds(spans, id))
      .flatMap(({ seq }) => this.#read(traceId, seq).filter(({ span }) => span.spanId === spanId))
    return told.reduce<ToldSpan | null>(
      (shown, one) => (shown === null || isShownBefore(one, shown) ? one : shown),
      null,
    )
  }

  /** Where the records of a trace tell of as many spans together as there are, none is told twice. */
  #repeats(traceId: string): boolean {
    const known = this.#mayRepeat.get(traceId)
    if (known !== undefined) return known
    const { told, spans } = this.#db
      .prepare(
        `SELECT (SELECT sum(span_count) FROM trace_records WHERE trace_id = @traceId) AS told,
           (SELECT span_count FROM traces WHERE list_place = ${PLACE_OF_TRACE}) AS spans`,
      )
      .get({ traceId }) as { readonly told: number | null; readonly spans: number | null }
    const repeats = told !== spans || (told ?? 0) > MOST_TOLD_APART
    this.#mayRepeat.set(traceId, repeats)
    return repeats
  }

  #read(traceId: string, seq: number): readonly ToldSpan[] {
    const key = `${seq}/${traceId}`
    const known = this.#told.get(key)
    if (known !== undefined) return known
    const record = readSpoolRecord(this.#db, seq)
    const told = record === null ? [] : toldOf(record, traceId, this.#limits)
    const [oldest] = this.#told.keys()
    if (this.#told.size >= REMEMBERED && oldest !== undefined) this.#told.delete(oldest)
    this.#told.set(key, told)
    return told
  }
}

/** Does this list hold the id? Eight bytes may look like it that are parts of two. */
function holds(list: Buffer, id: Buffer): boolean {
  let at = list.indexOf(id)
  while (at !== -1 && at % ID_BYTES !== 0) at = list.indexOf(id, at + 1)
  return at !== -1
}
