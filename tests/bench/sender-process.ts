import { readFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import type { SendOrder, Sent, Waits } from './messages'
import { HexSupply, RenewingRequest } from './renewing-request'

/*
 * Sends envelopes over raw connections, one request at a time on each, with as little CPU as possible. In an open loop each
 * envelope has a due time; its answer time counts from there, even if no connection was free.
 */

interface Line {
  readonly request: RenewingRequest
  readonly server: URL
  socket: Socket | null
  /** The due time of its open request; NaN without one. */
  due: number
  received: Buffer | null
}

/** The longest wait for open answers after the load has ended. */
const LAST_ANSWERS_MS = 30_000
const HEAD_END = '\r\n\r\n'

// A child does not keep running because of its IPC channel alone, and this one has no other work yet.
process.channel?.ref()
let stop = new AbortController()
process.on('message', (message: SendOrder | { readonly stop: true }) => {
  if ('stop' in message) {
    stop.abort()
    return
  }
  stop = new AbortController()
  send(message, stop.signal).then(
    (sent) => process.send?.(sent),
    (error: Error) => {
      console.error(error.stack)
      process.exit(1)
    },
  )
})

async function send(order: SendOrder, stopped: AbortSignal): Promise<Sent> {
  const servers = [order.url, ...(order.furtherUrls ?? [])].map((url) => new URL(url))
  const supply = new HexSupply()
  const answers: Record<string, number> = {}
  const waits = new Samples()
  const ends = new Samples()
  const lates = new Samples()
  const dues: number[] = []
  let nextDue = 0
  let sent = 0
  let bytes = 0
  let isOver = false
  let openCount = 0
  const idle: Line[] = []
  const cpu = process.cpuUsage()
  const starvedBefore = starvedMs()
  const began = performance.now()
  let allAnswered: () => void = () => undefined
  const done = new Promise<void>((resolve) => {
    allAnswered = resolve
  })
  const note = (what: string): void => {
    answers[what] = (answers[what] ?? 0) + 1
  }

  const begin = (line: Line, due: number): void => {
    line.request.renew(supply, Math.floor(Date.now() / 1000))
    line.due = due
    sent += 1
    bytes += line.request.bodyBytes
    openCount += 1
    connected(line).write(line.request.bytes)
  }
  const finish = (line: Line, what: string): void => {
    const at = performance.now()
    note(what)
    waits.add(at - line.due)
    ends.add((at - began) / 1000)
    line.due = Number.NaN
    openCount -= 1
    if (order.perSecond === null) {
      if (!isOver) begin(line, at)
    } else if (nextDue < dues.length) {
      begin(line, dues[nextDue] ?? at)
      nextDue += 1
    } else {
      idle.push(line)
    }
    if (isOver && openCount === 0) allAnswered()
  }
  const connected = (line: Line): Socket => {
    if (line.socket !== null) return line.socket
    const socket = createConnection({ host: line.server.hostname, port: Number(line.server.port), noDelay: true })
    line.socket = socket
    line.received = null
    socket.on('data', (chunk: Buffer) => {
      const bytes = line.received === null ? chunk : Buffer.concat([line.received, chunk])
      const status = wholeAnswer(bytes)
      line.received = status === null ? bytes : null
      if (status !== null) finish(line, status)
    })
    const lose = (reason: string): void => {
      if (line.socket !== socket) return
      line.socket = null
      socket.destroy()
      if (!Number.isNaN(line.due)) finish(line, reason)
    }
    socket.on('error', (error) => lose(error.message))
    socket.on('close', () => lose('the connection ended'))
    return socket
  }

  const lines = Array.from({ length: order.connections }, (_, seed): Line => {
    const server = servers[seed % servers.length] as URL
    const request = new RenewingRequest({ host: server.host, path: order.path, body: order.body, seed: seed + 1 })
    return { request, server, socket: null, due: Number.NaN, received: null }
  })
  const { perSecond } = order
  if (perSecond === null) for (const line of lines) begin(line, performance.now())
  else idle.push(...lines)
  await new Promise<void>((resolve) => {
    let dueCount = 0
    const tick = (): void => {
      const now = performance.now()
      if (perSecond !== null) {
        const dueByNow = Math.floor((Math.min(now - began, order.seconds * 1000) / 1000) * perSecond)
        for (; dueCount < dueByNow; dueCount += 1) {
          const due = began + ((dueCount + 1) / perSecond) * 1000
          lates.add(now - due)
          const line = idle.shift()
          if (line === undefined) dues.push(due)
          else begin(line, due)
        }
      }
      if (now - began < order.seconds * 1000 && !stopped.aborted) setTimeout(tick, perSecond === null ? 20 : 1)
      else resolve()
    }
    tick()
  })
  const elapsed = (performance.now() - began) / 1000
  const unsent = dues.length - nextDue
  nextDue = dues.length
  isOver = true
  const used = process.cpuUsage(cpu)
  const starvedAfter = starvedMs()
  const giveUp = setTimeout(() => {
    note(`${openCount} without an answer after ${LAST_ANSWERS_MS / 1000} s`)
    allAnswered()
  }, LAST_ANSWERS_MS)
  if (openCount > 0) await done
  clearTimeout(giveUp)
  for (const line of lines) {
    line.due = Number.NaN
    line.socket?.destroy()
    line.socket = null
  }
  return {
    sent,
    bytes,
    answers,
    whole: summed(waits, ends, [0, elapsed]),
    windows: order.windows.map((window) => summed(waits, ends, window)),
    late: { p50: at(lates.sorted(), 0.5), p99: at(lates.sorted(), 0.99) },
    unsent,
    busy: (used.user + used.system) / 1e6 / elapsed,
    starved: starvedBefore === null || starvedAfter === null ? null : (starvedAfter - starvedBefore) / 1000 / elapsed,
  }
}

/** The status of a complete answer; null while it is incomplete. */
function wholeAnswer(bytes: Buffer): string | null {
  const head = bytes.indexOf(HEAD_END)
  if (head < 0) return null
  const text = bytes.toString('latin1', 0, head)
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
  const isWhole =
    length === undefined
      ? bytes.toString('latin1', bytes.length - 5) === `0${HEAD_END}`
      : bytes.length >= head + HEAD_END.length + Number(length)
  return isWhole ? text.slice(9, 12) : null
}

/** A growing list of numbers without an allocation for each. */
class Samples {
  #values = new Float64Array(1 << 16)
  #count = 0
  #sorted: Float64Array | null = null

  add(value: number): void {
    if (this.#count === this.#values.length) {
      const more = new Float64Array(this.#values.length * 2)
      more.set(this.#values)
      this.#values = more
    }
    this.#values[this.#count] = value
    this.#count += 1
  }

  get values(): Float64Array {
    return this.#values.subarray(0, this.#count)
  }

  sorted(): Float64Array {
    this.#sorted ??= this.values.slice().sort()
    return this.#sorted
  }
}

/** The figures of the answers in a time window. */
function summed(waits: Samples, ends: Samples, [from, to]: readonly [number, number]): Waits {
  const within = waits.values.filter((_, index) => {
    const end = ends.values[index] ?? 0
    return end >= from && end < to
  })
  const sorted = within.sort()
  return {
    answered: sorted.length,
    perSecond: sorted.length / (to - from),
    p50: at(sorted, 0.5),
    p95: at(sorted, 0.95),
    p99: at(sorted, 0.99),
    longest: sorted.at(-1) ?? 0,
  }
}

const at = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/** How long this process was runnable without a core; null where the system does not report it. */
function starvedMs(): number | null {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6
  } catch {
    return null
  }
}
