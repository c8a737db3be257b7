import { runWithTimeout, timeoutMessage } from '../../lib/time'
import { CollectorError } from '../../lib/wire/errors'
import type { Redigest } from '../../lib/wire/storage'
import { ANSWER_TIMEOUT_MS, type AskedCollector, explainUnanswered } from './asked-collector'

export interface Asked {
  readonly collector: Pick<AskedCollector, 'url' | 'client'>
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
  const { client, url } = asked.collector
  const begun = await ask(asked, client.redigest)
  if (!('rebuild' in begun)) return begun
  for (let state = begun; ; ) {
    if (asked.stop.aborted) return { ended: 'stopped' }
    if (state.rebuild === null) return endOf(state, begun)
    asked.onProgress(state.rebuild.done, state.rebuild.of)
    await asked.pause(ASK_EVERY_MS)
    const next = await ask(asked, client.redigestState)
    if ('rebuild' in next) state = next
    else if (next.ended !== 'none') return next
    else
      return {
        ended: 'failed',
        sentence: `The collector at ${url} has ended meanwhile; it goes on when it is started again.`,
      }
  }
}

function endOf({ last }: Redigest, begun: Redigest): Redigested {
  // An earlier one may have been finished, and this one given up.
  if (last === null || last.startedAt < (begun.rebuild?.startedAt ?? 0))
    return { ended: 'failed', sentence: 'The collector gave up making its rows anew; what it printed says why.' }
  return { ended: 'done', done: last.done, ms: last.endedAt - last.startedAt }
}

async function ask(
  { collector, stop }: Asked,
  question: (signal: AbortSignal) => Promise<Redigest>,
): Promise<Redigest | Exclude<Redigested, { ended: 'done' }>> {
  try {
    return await runWithTimeout(ANSWER_TIMEOUT_MS, stop, question)
  } catch (cause) {
    if (stop.aborted) return { ended: 'stopped' }
    const isNobodyThere = cause instanceof CollectorError && cause.status === null && timeoutMessage(cause) === null
    if (isNobodyThere) return { ended: 'none' }
    return { ended: 'failed', sentence: explainUnanswered(cause, collector).sentence }
  }
}
