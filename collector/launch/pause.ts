import { setTimeout } from 'node:timers/promises'

/** Settles after so long, or as soon as it is stopped. */
export async function pause(ms: number, stop: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal: stop }).catch((cause) => {
    if (!stop.aborted) throw cause
  })
}

/** Settles as soon as it is stopped. */
export const aborted = (stop: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    if (stop.aborted) resolve(null)
    else stop.addEventListener('abort', () => resolve(null), { once: true })
  })
