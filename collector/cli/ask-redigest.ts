import { type Redigest, redigestSchema } from '../../lib/wire/storage'
import { PATIENCE_MS, tooLate, within } from './within'

export interface Asked {
  /** Where the collector answers, without a trailing slash. */
  readonly url: string
  readonly token: string | undefined
  readonly fetch: typeof globalThis.fetch
  /** Settles after so long, or as soon as it is stopped. */
  readonly pause: (ms: number) => Promise<void>
  readonly stop: AbortSignal
  readonly onProgress: (done: number, of: number) => void
}

/** How it ended; `none` when nobody answers there, so that nothing was begun. */
export type Redigested =
  | { readonly ended: 'done'; readonly done: number; readonly ms: number }
  | { readonly ended: 'none' }
  | { readonly ended: 'stopped' }
  | { readonly ended: 'failed'; readonly sentence: string }

const ASK_EVERY_MS = 250

/** Asks a running collector to make its rows anew, and follows it to the end. What is under way already is followed. */
export async function redigestAt(asked: Asked): Promise<Redigested> {
  const begun = await ask(asked, 'POST')
  if (!('rebuild' in begun)) return begun
  for (let state = begun; ; ) {
    if (asked.stop.aborted) return { ended: 'stopped' }
    if (state.rebuild === null) return endOf(state, begun)
    asked.onProgress(state.rebuild.done, state.rebuild.of)
    await asked.pause(ASK_EVERY_MS)
    const next = await ask(asked, 'GET')
    if ('rebuild' in next) state = next
    else if (next.ended !== 'none') return next
    else
      return {
        ended: 'failed',
        sentence: `The collector at ${asked.url} has ended meanwhile; it goes on when it is started again.`,
      }
  }
}

function endOf({ last }: Redigest, begun: Redigest): Redigested {
  // An earlier one may have been finished, and this one given up.
  if (last === null || last.startedAt < (begun.rebuild?.startedAt ?? 0))
    return { ended: 'failed', sentence: 'The collector gave up making its rows anew; what it printed says why.' }
  return { ended: 'done', done: last.done, ms: last.endedAt - last.startedAt }
}

async function ask(asked: Asked, method: 'GET' | 'POST'): Promise<Redigest | Exclude<Redigested, { ended: 'done' }>> {
  const { url, token, stop } = asked
  let said: { readonly answer: Response; readonly body: unknown }
  try {
    const headers = new Headers(token === undefined ? [] : [['authorization', `Bearer ${token}`]])
    said = await within(PATIENCE_MS, stop, async (signal) => {
      const answer = await asked.fetch(`${url}/control/redigest`, { method, headers, signal })
      return { answer, body: await answer.json().catch(() => null) }
    })
  } catch (cause) {
    if (stop.aborted) return { ended: 'stopped' }
    if (tooLate(cause) === null) return { ended: 'none' }
    return { ended: 'failed', sentence: `What listens at ${url} has not answered within ${PATIENCE_MS / 1000} s.` }
  }
  const { answer, body } = said
  const parsed = redigestSchema.safeParse(body)
  if (answer.ok && parsed.success) return parsed.data
  const why = isProblem(body) ? body.detail : 'it is no Waystation collector, or an older one'
  return { ended: 'failed', sentence: `What answers at ${url} says ${answer.status}: ${why}.` }
}

const isProblem = (body: unknown): body is { detail: string } =>
  typeof body === 'object' && body !== null && 'detail' in body && typeof body.detail === 'string'
