'use client'

import { useRef, useState } from 'react'
import type { Script, StandInState } from '../../lib/wire/stand-in'
import { ConnectionBanner, ConnectionState } from '../ui/board'
import board from '../ui/board.module.css'
import { useNow } from '../ui/clock'
import { printable } from '../ui/printable'
import { LimitForm } from './limit-form'
import { NoStandIn } from './no-stand-in'
import { Playing } from './playing'
import { ReceivedPosts } from './received-posts'
import { RuleFields } from './rule-fields'
import { limitRule, ruleOf, withRule } from './rule-form'
import styles from './stand-in-board.module.css'
import { useStandIn } from './use-stand-in'

/** `/stand-in`: what the collector plays as upstream, what to play next, and what came to it. */
export function StandInBoard() {
  const { standIn, isThereNone, aheadMs, play, ...live } = useStandIn()
  return (
    <div className={board.board}>
      <div className={board.bar}>
        <h1>Stand-in</h1>
        <ConnectionState {...live} />
      </div>
      <ConnectionBanner {...live} />
      {standIn === null && !isThereNone && live.failure === null && <p className="small faint">Reading …</p>}
      {isThereNone && <NoStandIn />}
      {standIn !== null && <Stage standIn={standIn} aheadMs={aheadMs} away={live.failure !== null} play={play} />}
    </div>
  )
}

interface StageProps {
  readonly standIn: StandInState
  readonly aheadMs: number
  /** The collector cannot be asked just now. */
  readonly away: boolean
  readonly play: (script: Script) => Promise<void>
}

function Stage({ standIn, aheadMs, away, play }: StageProps) {
  const now = useNow() + aheadMs
  const [done, setDone] = useState('')
  const [failure, setFailure] = useState<string | null>(null)
  const said = useRef<HTMLParagraphElement>(null)
  const act = async (script: Script, word: string): Promise<void> => {
    setFailure(null)
    try {
      await play(script)
      setDone(word)
    } catch (error) {
      setDone('')
      setFailure(error instanceof Error ? error.message : String(error))
    }
  }
  const at = (): number => Date.now() + aheadMs
  return (
    <>
      <p className="soft small">
        The collector plays upstream itself: what the relay posts comes here, and is answered 200 unless a rule says
        otherwise. The first rule that takes a post answers it.
      </p>
      <div className={board.columns}>
        <Playing
          standIn={standIn}
          now={now}
          away={away}
          play={async (script, word) => {
            await act(script, word)
            // The button that was pressed may be gone: the focus goes on to what came of it.
            said.current?.focus()
          }}
        />
        <section className={styles.section} aria-labelledby="add">
          <h2 id="add">Misbehave</h2>
          <LimitForm
            away={away}
            onLimit={(category, seconds) =>
              act(withRule(standIn, limitRule(category, seconds), at()), `Limits ${category} for ${seconds} s.`)
            }
          />
          <RuleFields
            away={away}
            onAdd={(form) => act(withRule(standIn, ruleOf(form), at()), 'Added, before the others.')}
          />
          <p ref={said} tabIndex={-1} role="status" className="small" data-done={done !== ''}>
            {done}
          </p>
          {failure !== null && (
            <p className="banner bad small" role="alert">
              It is not played: {printable(failure)}
            </p>
          )}
        </section>
      </div>
      <ReceivedPosts received={standIn.received} />
    </>
  )
}
