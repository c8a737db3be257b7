import { setMaxListeners } from 'node:events'
import { SendError, type SendRequest, type UpstreamAnswer } from '../../../collector/relay/http-sender'
import { Relay } from '../../../collector/relay/relay'
import { parseDsn } from '../../../lib/protocol/dsn'
import { valueIn } from '../value-in'
import { answered, HandClock, relayTools } from './relay-parts'
import { SharedRecordInMemory } from './shared-record'

export const ONE = valueIn(parseDsn('http://key@one.test/1'))
export const TWO = valueIn(parseDsn('http://key@two.test/2'))

interface OpenPost {
  readonly seq: number
  readonly answer: (status: number) => void
}

/** One of several collectors that share a record and relay to the same two upstreams. */
export class CollectorOfLanes {
  readonly relay: Relay
  /** Numbers of the records that it posted, in order. */
  readonly posted: number[] = []
  /** Posts that wait for an answer of the test, unless `answersAtOnce`. */
  readonly open: OpenPost[] = []
  readonly aborted: number[] = []
  readonly log: string[] = []
  answersAtOnce = true
  readonly #frozen: (() => void)[] = []
  #isFrozen = false

  constructor(
    readonly name: string,
    clock: HandClock,
    record: SharedRecordInMemory,
  ) {
    const lanes = record.lanesOf(name)
    const tools = relayTools({
      reader: record.reader,
      now: clock.now,
      later: (work, ms) => clock.later(() => this.#whenRunning(work), ms),
      log: (line) => this.log.push(line),
    })
    this.relay = new Relay(
      [ONE, TWO].map((upstream) => ({ upstream, standIn: false })),
      record.reader,
      tools,
      () => (request) => this.#send(request),
      {
        lanes: {
          ...lanes,
          takeLanes: async (keys) => {
            const taken = await lanes.takeLanes(keys)
            await this.#thaw()
            return taken
          },
        },
        resultsOf: lanes.resultsOf,
        monotonic: clock.now,
        onGain: () => undefined,
      },
    )
  }

  /** Stops the process: neither timers nor answers arrive until `resume`. */
  freeze(): void {
    this.#isFrozen = true
  }

  /** Continues it: what arrived meanwhile, and timers that are due, run in their order. */
  async resume(): Promise<void> {
    this.#isFrozen = false
    for (const work of this.#frozen.splice(0)) {
      work()
      await settle()
    }
  }

  #thaw(): Promise<void> {
    return new Promise((resolve) => this.#whenRunning(resolve))
  }

  #whenRunning(work: () => void): void {
    if (this.#isFrozen) this.#frozen.push(work)
    else work()
  }

  #send({ body, signal }: SendRequest): Promise<UpstreamAnswer> {
    const seq = Number(Buffer.from(body).toString())
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.aborted.push(seq)
        reject(new SendError('aborted', 'aborted', true))
      }
      if (signal.aborted) return abort()
      setMaxListeners(0, signal)
      signal.addEventListener('abort', abort)
      this.posted.push(seq)
      const answer = (status: number): void =>
        this.#whenRunning(() => {
          signal.removeEventListener('abort', abort)
          resolve(answered(status))
        })
      if (this.answersAtOnce) answer(200)
      else this.open.push({ seq, answer })
    })
  }
}

/** Lets promises settle: the stand-ins wait for nothing else. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Advances the clock timer by timer, and lets promises settle after each. */
export async function pass(clock: HandClock, ms: number): Promise<void> {
  const end = clock.now() + ms
  await settle()
  while (clock.now() < end) {
    clock.pass(Math.min(clock.next ?? ms, end - clock.now()))
    await settle()
  }
}

/** Collectors that share one record; the first owns both upstreams, and the others have not started. */
export async function sharing<Name extends string>(...names: readonly Name[]) {
  const clock = new HandClock()
  const record = new SharedRecordInMemory(clock.now)
  const all = names.map((name) => new CollectorOfLanes(name, clock, record))
  const receive = (to: typeof ONE, count: number, lane = 0): readonly number[] => {
    const seqs = Array.from({ length: count }, () => record.receive(to, lane))
    for (const { relay } of all) relay.wake(seqs.at(-1))
    return seqs
  }
  all[0]?.relay.start()
  await settle()
  const collectorOf = (name: Name): CollectorOfLanes => {
    const found = all.find((one) => one.name === name)
    if (found === undefined) throw new Error(`no collector ${name}`)
    return found
  }
  return { clock, record, receive, collectorOf, pass: (ms: number) => pass(clock, ms) }
}
