import { request } from 'node:http'
import { afterEach } from 'vitest'
import { type StandIn, type StandInOptions, startStandIn } from '../../../collector/stand-in/stand-in'

const started: StandIn[] = []
/** A stand-in that ends with its test. */
export const standIn = async (options: StandInOptions = {}): Promise<StandIn> => {
  const one = await startStandIn(options)
  started.push(one)
  return one
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.close()))
})

export const ENVELOPE = '{}\n{"type":"event"}\n{}\n{"type":"attachment"}\nbytes\n{"type":"event"}\n{}'

export const post = (to: StandIn, path = '/api/1/envelope/', body = ENVELOPE): Promise<Response> =>
  fetch(`http://${to.dsn.host}${path}`, { method: 'POST', body })

/** Timers that a test lets go on. */
export function heldBack() {
  const timers = new Set<{ readonly work: () => void; readonly ms: number }>()
  return {
    later: (work: () => void, ms: number) => {
      const timer = { work, ms }
      timers.add(timer)
      return () => {
        timers.delete(timer)
      }
    },
    waits: () => [...timers].map(({ ms }) => ms),
    run: () => {
      for (const timer of [...timers]) if (timers.delete(timer)) timer.work()
    },
  }
}

/** Opens a post and leaves it open; what it hears comes as text. */
export function openPost(to: StandIn) {
  let heard = ''
  let status: number | null = null
  let failure: string | null = null
  const asked = request(`http://${to.dsn.host}/api/1/envelope/`, { method: 'POST', agent: false })
  asked.on('response', (response) => {
    status = response.statusCode ?? null
    response.on('data', (chunk: Buffer) => {
      heard += chunk.toString()
    })
    response.on('error', (error: NodeJS.ErrnoException) => {
      failure = error.code ?? error.message
    })
  })
  asked.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code ?? error.message
  })
  asked.end(ENVELOPE)
  return { status: () => status, heard: () => heard, failure: () => failure }
}
