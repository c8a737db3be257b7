import {
  type GivenScript,
  type PlayedAnswer,
  type Script,
  type ScriptedAnswer,
  scriptSentence,
  standInStateSchema,
} from '../../lib/wire/stand-in'
import { type StandIn, startStandIn } from './stand-in'

/** The setting that holds a script which goes on after a restart; empty where none does. */
const KEPT = 'upstream_script'

const keptSchema = standInStateSchema.pick({ answers: true })

/** The stand-in as the collector plays it: what changes is told to whoever looks, and what was asked for outlives it. */
export interface PlayedUpstream {
  readonly standIn: StandIn
  /** Resolves when the script is played, and on disk where it is to be kept. Rejects, and plays on, where it cannot be. */
  readonly play: (script: Script) => Promise<void>
  /** What is being played, in words; `null` where everything is answered 200. */
  readonly sentence: () => string | null
}

/** Starts a stand-in with the script that was kept, if any; rules whose time ended meanwhile are left out. */
export async function playUpstream(tools: {
  readonly setting: (name: string) => Promise<string | null>
  readonly keep: (name: string, value: string) => Promise<void>
  /** Tells boards that something changed. */
  readonly changed: () => Promise<void>
  readonly now: () => number
  readonly say: (line: string) => void
}): Promise<PlayedUpstream> {
  const { now, say } = tools
  let isKept = false
  let isChanging = false
  const keep = (answers: readonly PlayedAnswer[]): Promise<void> =>
    tools.keep(KEPT, answers.length === 0 ? '' : JSON.stringify({ answers }))
  // What counts down while the next script is written would be written over that.
  const write = async (): Promise<void> => {
    if (isKept && !isChanging) await keep(standIn.answers())
  }
  const writeSoon = oneAtATime(write, (error) => say(`a kept script could not be written down: ${error.message}`))
  const standIn = await startStandIn({
    now,
    onTaken: () => {
      if (isKept) writeSoon()
    },
    onRuleEnd: () => {
      tools.changed().catch((error: Error) => say(`that a script's rule ended is not told: ${error.message}`))
    },
  })
  const kept = readKept(await tools.setting(KEPT), now(), say)
  if (kept !== null) {
    standIn.play(kept)
    isKept = true
  }
  /** On disk first: a script that plays now and another one after a restart would be none that anybody asked for. */
  const change = async (script: Script): Promise<void> => {
    const willBeKept = script.keep && script.answers.length > 0
    if (isKept || willBeKept) {
      isChanging = true
      try {
        await keep(willBeKept ? script.answers.map((answer) => asPlayed(answer, now())) : [])
      } finally {
        isChanging = false
      }
    }
    isKept = willBeKept
    standIn.play(script)
    await tools.changed()
  }
  let last: Promise<void> = Promise.resolve()
  return {
    standIn,
    sentence: () => scriptSentence(standIn.answers(), now()),
    play: (script) => {
      // One after the other, also behind one that could not be played.
      const turn = last.then(() => change(script))
      last = turn.catch(() => undefined)
      return turn
    },
  }
}

/** A script that was changed is tried at once: what upstream answered before it says nothing of it. */
export const triedAnew = (played: PlayedUpstream, tryNow: () => void): PlayedUpstream => ({
  ...played,
  play: async (script) => {
    await played.play(script)
    tryNow()
  },
})

/** A rule at the moment that it is loaded. */
const asPlayed = (answer: ScriptedAnswer, now: number): PlayedAnswer => ({
  ...answer,
  endsAt: answer.forMs === undefined ? null : now + answer.forMs,
})

/** Calls that come while the work is done have it done once more when it ended. */
function oneAtATime(work: () => Promise<void>, onError: (error: Error) => void): () => void {
  let isRunning = false
  let isStale = false
  const run = async (): Promise<void> => {
    isRunning = true
    try {
      while (isStale) {
        isStale = false
        await work()
      }
    } finally {
      isRunning = false
    }
  }
  return () => {
    isStale = true
    if (!isRunning) run().catch(onError)
  }
}

/** What is left of a kept script; `null` where nothing is. A time goes on while nobody plays. */
function readKept(text: string | null, now: number, say: (line: string) => void): GivenScript | null {
  if (text === null || text === '') return null
  const kept = keptSchema.safeParse(parse(text))
  if (!kept.success) {
    say('the kept script of the stand-in cannot be read, so that it is not played')
    return null
  }
  const answers = kept.data.answers
    .filter(({ endsAt }) => endsAt === null || endsAt > now)
    // Of a clock that was set back it does not last longer than it was meant to.
    .map(({ endsAt, forMs, ...answer }) =>
      endsAt === null || forMs === undefined ? answer : { ...answer, forMs: Math.min(forMs, Math.ceil(endsAt - now)) },
    )
  return answers.length === 0 ? null : { answers, keep: true }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
