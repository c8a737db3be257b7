import { request } from 'node:http'
import { afterEach } from 'vitest'
import { type StandIn, type StandInOptions, startStandIn } from '../../../collector/stand-in/stand-in'

const started: StandIn[] = []
/** A stand-in that closes after its test. */
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

/** Timers that run when a test says so. */
export function manualTimers() {
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

/** Posts, and does not wait for the answer. */
export function openPost(to: StandIn) {
  let status: number | null = null
  let failure: string | null = null
  const onError = (error: NodeJS.ErrnoException): void => {
    failure = error.code ?? error.message
  }
  const posted = request(`http://${to.dsn.host}/api/1/envelope/`, { method: 'POST', agent: false })
  posted.on('response', (response) => {
    status = response.statusCode ?? null
    response.resume().on('error', onError)
  })
  posted.on('error', onError)
  posted.end(ENVELOPE)
  return { status: () => status, failure: () => failure }
}
