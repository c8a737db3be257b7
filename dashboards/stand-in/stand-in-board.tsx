'use client'

import { useState } from 'react'
import type { Script, StandInState } from '../../lib/wire/stand-in'
import { BoardPage } from '../ui/board-page'
import { client } from '../ui/client'
import { useNow } from '../ui/clock'
import { notifyDone } from '../ui/live-stream'
import { printable } from '../ui/printable'
import { IS_STANDALONE } from '../ui/standalone'
import { type LiveState, useLive } from '../ui/use-live'
import { useStatus } from '../ui/use-status'
import { PRESETS, presetScript } from './preset-scripts'
import { Presets } from './presets'
import { ReceivedPosts } from './received-posts'

/** Our own client reports arrive without a fact in the journal, so the board also reads at intervals. */
const EVERY_MS = 10_000

/** `/stand-in`: how the mock upstream answers, and what it received. */
export function StandInBoard() {
  const { standIn, hasNoStandIn, aheadMs, play, ...live } = useStandIn()
  return (
    <BoardPage
      title="Stand-in"
      scope="the mock upstream of this collector"
      live={live}
      reading={standIn === null && !hasNoStandIn ? 'Reading …' : null}
    >
      {hasNoStandIn && <NoStandIn />}
      {standIn !== null && <Controls standIn={standIn} aheadMs={aheadMs} isAway={live.failure !== null} play={play} />}
    </BoardPage>
  )
}

interface ControlsProps {
  readonly standIn: StandInState
  readonly aheadMs: number
  readonly isAway: boolean
  readonly play: (script: Script) => Promise<void>
}

function Controls({ standIn, aheadMs, isAway, play }: ControlsProps) {
  const now = useNow() + aheadMs
  const [done, setDone] = useState('')
  const [failure, setFailure] = useState<string | null>(null)
  return (
    <>
      <p className="soft small">The collector is its own upstream: the relay posts to this mock server.</p>
      <Presets
        answers={standIn.answers}
        now={now}
        isAway={isAway}
        onPlay={async (preset, category, seconds) => {
          setFailure(null)
          setDone('')
          try {
            await play(presetScript(preset, category, seconds))
            setDone(`Set: ${PRESETS.find(({ id }) => id === preset)?.name}.`)
          } catch (error) {
            setFailure(error instanceof Error ? error.message : String(error))
          }
        }}
      />
      <p role="status" className="small soft">
        {done}
      </p>
      {failure !== null && (
        <p className="banner bad small" role="alert">
          The script was not changed: {printable(failure)}
        </p>
      )}
      <ReceivedPosts received={standIn.received} />
    </>
  )
}

function NoStandIn() {
  const status = useStatus()?.status
  return (
    <div className="stack" data-stand-in="none">
      <p>
        {status !== undefined &&
          (status.upstreams.length === 0 ? 'No upstream is set. ' : 'The upstream is a real one. ')}
        Start the collector with <code>WAYSTATION_UPSTREAM=stand-in</code> to use a mock upstream:
      </p>
      <pre>
        <code>WAYSTATION_UPSTREAM=stand-in {IS_STANDALONE ? 'npx waystation start' : 'npm start'}</code>
      </pre>
    </div>
  )
}

interface StandInBoardState extends LiveState {
  /** `null` until the first answer, and where the collector has no stand-in. */
  readonly standIn: StandInState | null
  readonly hasNoStandIn: boolean
  readonly aheadMs: number
  /** Resolves when the script is in force; rejects with the collector’s answer. */
  readonly play: (script: Script) => Promise<void>
}

function useStandIn(): StandInBoardState {
  const [read, setRead] = useState<{ readonly standIn: StandInState | null; readonly aheadMs: number } | null>(null)
  const { readAgain, ...live } = useLive({
    read: async (signal) => {
      const standIn = await client.standIn(signal)
      setRead({ standIn, aheadMs: standIn === null ? 0 : standIn.now - Date.now() })
    },
    concerns: () => true,
    everyMs: EVERY_MS,
  })
  return {
    ...live,
    standIn: read?.standIn ?? null,
    hasNoStandIn: read !== null && read.standIn === null,
    aheadMs: read?.aheadMs ?? 0,
    play: async (script) => {
      await client.play(script)
      readAgain()
      notifyDone()
    },
  }
}
