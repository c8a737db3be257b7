'use client'

import { useEffect, useRef, useState } from 'react'
import { formatBytes, formatDurationMs } from '../../lib/format'
import type { KeptRun, RunOrder } from '../../lib/wire/run'
import { isRunName, MOST_RUN_NAME_CHARACTERS, shortCommit } from '../../lib/wire/run-text'
import { Age } from '../ui/clock'
import { ConfirmButton } from '../ui/confirm-button'
import { printable } from '../ui/printable'
import styles from './run-row.module.css'

/** Shows failures in a banner; resolves in any case. */
export type Order = (order: RunOrder) => Promise<void>

interface RowProps {
  readonly run: KeptRun
  readonly act: Order
  readonly order: Order
  /** The collector does not answer. */
  readonly away: boolean
}

/** A run with its actions. */
export function RunRow({ run, act, order, away }: RowProps) {
  const { id, facts, isPinned, bytes } = run
  const [isNaming, setNaming] = useState(false)
  const end = runEnd(run)
  const title = printable(facts?.name ?? facts?.command ?? id)
  return (
    <tr data-run={id}>
      <th scope="row" data-column="Run">
        <div className={styles.run}>
          {isNaming ? (
            <RunName run={run} act={act} onDone={() => setNaming(false)} />
          ) : (
            <span>
              {isPinned && <span className={styles.pin}>pinned</span>} {title}
            </span>
          )}
          <span className={styles.detail}>
            {facts?.name != null && <code>{printable(facts.command)}</code>}{' '}
            {facts?.commit != null && <code title={facts.commit}>{shortCommit(facts.commit)}</code>}
          </span>
        </div>
      </th>
      <td data-column="Started">
        <Age atMs={startOfRun(run)} ago />
      </td>
      <td data-column="Ended">
        <span className="toned" data-tone={end.tone} data-end>
          {end.text}
        </span>
      </td>
      <td className="num" data-column="Time">
        {facts === null ? '' : formatDurationMs(facts.endedAt - facts.startedAt)}
      </td>
      <td className="num" data-column="Size">
        {formatBytes(bytes)}
      </td>
      <td data-column="Actions">
        <div className={styles.actions}>
          <Boards run={run} act={act} away={away} />
          <button
            type="button"
            className="button"
            disabled={away}
            onClick={() => act({ do: isPinned ? 'unpin' : 'pin', run: id })}
          >
            {isPinned ? 'Unpin' : 'Pin'}
          </button>
          <button
            type="button"
            className="button"
            disabled={away || facts === null || isNaming}
            onClick={() => setNaming(true)}
          >
            Name
          </button>
          <ConfirmButton
            label="Delete"
            text={{
              goes: `The run ${title} with everything that it recorded (${formatBytes(bytes)}) is deleted.`,
              stays: 'Other runs, and files of waystation run --save, stay.',
              warning: null,
            }}
            confirm="Delete"
            keep="Keep it"
            disabled={away || run.isRecording}
            act={() => order({ do: 'delete', run: id })}
            grave
          />
        </div>
      </td>
    </tr>
  )
}

/** Opens the boards of a run: a collector of its own shows a copy. */
function Boards({ run, act, away }: Omit<RowProps, 'order'>) {
  const { id, boards, isRecording } = run
  if (boards?.state === 'open')
    return (
      <>
        <a className="button primary" href={boards.url} target="_blank" rel="noreferrer">
          Boards <span className="visually-hidden">of this run, in a new tab</span>↗
        </a>
        <button type="button" className="button" disabled={away} onClick={() => act({ do: 'close', run: id })}>
          Close
        </button>
      </>
    )
  return (
    <>
      <button
        type="button"
        className="button"
        disabled={away || isRecording || boards?.state === 'opening'}
        onClick={() => act({ do: 'open', run: id })}
      >
        {boards?.state === 'opening' ? 'Opening …' : 'Open'}
      </button>
      {boards?.state === 'failed' && <span className={styles.failure}>{printable(boards.message)}</span>}
    </>
  )
}

function RunName({ run, act, onDone }: Pick<RowProps, 'run' | 'act'> & { readonly onDone: () => void }) {
  const [name, setName] = useState(run.facts?.name ?? '')
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  return (
    <form
      className={styles.actions}
      onSubmit={(event) => {
        event.preventDefault()
        void act({ do: 'name', run: run.id, name }).then(onDone)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone()
      }}
    >
      <input
        aria-label="Name of the run"
        maxLength={MOST_RUN_NAME_CHARACTERS}
        value={name}
        ref={input}
        onChange={(event) => setName(event.target.value)}
      />
      <button type="submit" className="button primary" disabled={!isRunName(name)}>
        Save
      </button>
      <button type="button" className="button" onClick={onDone}>
        Cancel
      </button>
    </form>
  )
}

/** How a run ended, in a word or two. */
function runEnd({ facts, isRecording }: KeptRun): {
  readonly text: string
  readonly tone: 'good' | 'quiet' | 'warn' | 'bad'
} {
  if (isRecording) return { text: '… recording', tone: 'quiet' }
  if (facts === null) return { text: '✗ killed', tone: 'bad' }
  const { exit, verdict } = facts
  const end = exit.signal ?? (exit.code === 0 ? null : `code ${exit.code}`)
  const suffix = end === null ? '' : `, ${end}`
  if (verdict === null) return { text: `not judged${suffix}`, tone: end === null ? 'quiet' : 'bad' }
  if (verdict === 'pass')
    return end === null ? { text: '✓ pass', tone: 'good' } : { text: `✗ pass${suffix}`, tone: 'bad' }
  return { text: `${verdict === 'fail' ? '✗' : '?'} ${verdict}${suffix}`, tone: verdict === 'fail' ? 'bad' : 'warn' }
}

/** When a run started, in ms since the epoch. A run without facts has it only in its id: `20261121T194712.123Z-3f2a`. */
function startOfRun({ id, facts }: Pick<KeptRun, 'id' | 'facts'>): number {
  if (facts !== null) return facts.startedAt
  return Date.parse(id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3}Z).*$/, '$1-$2-$3T$4:$5:$6'))
}
