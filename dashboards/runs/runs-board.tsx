'use client'

import { useState } from 'react'
import type { KeptRuns, RunOrder } from '../../lib/wire/run'
import { Empty, TableHead } from '../ui/board'
import { BoardPage } from '../ui/board-page'
import { client } from '../ui/client'
import table from '../ui/plain-table.module.css'
import { printable } from '../ui/printable'
import { type LiveState, useLive } from '../ui/use-live'
import { type Order, RunRow } from './run-row'

/** `/runs`: the runs that `waystation run` keeps, to open, pin, name and delete. */
export function RunsBoard() {
  const { list, order, ...live } = useRuns()
  const [failure, setFailure] = useState<string | null>(null)
  const act: Order = async (one) => {
    setFailure(null)
    await order(one).catch((error: Error) => setFailure(error.message))
  }
  return (
    <BoardPage
      title="Runs"
      scope="saved by waystation run, newest first"
      live={live}
      reading={list === null ? 'Loading …' : null}
    >
      {failure !== null && (
        <p className="banner bad" role="alert">
          {printable(failure)}
        </p>
      )}
      {list !== null && list.runs.length === 0 && <NoRuns folder={list.folder} />}
      {list !== null && list.runs.length > 0 && (
        <>
          <p className="small soft">
            Recorded by <code>waystation run</code> in <code>{printable(list.folder)}</code>. The newest {list.kept} are
            kept, and those that are pinned, open or have pending envelopes.
          </p>
          <table className={table.table}>
            <caption className="visually-hidden">Runs, newest first</caption>
            <TableHead columns={['Run', 'Started', 'Ended', 'Time', 'Size', 'Actions']} />
            <tbody>
              {list.runs.map((run) => (
                <RunRow key={run.id} run={run} act={act} order={order} away={live.failure !== null} />
              ))}
            </tbody>
          </table>
        </>
      )}
    </BoardPage>
  )
}

function NoRuns({ folder }: { readonly folder: string }) {
  return (
    <Empty title="No runs in this folder" what="list">
      <p className="soft">
        A run is one command with a recording and a verdict of its own. They are kept in <code>runs</code> of the data
        folder; this one is <code>{printable(folder)}</code>.
      </p>
      <pre>
        <code>npx waystation run -- npx playwright test</code>
      </pre>
      <p className="soft">
        A file of <code>waystation run --save</code> opens with <code>waystation show FILE</code>.
      </p>
    </Empty>
  )
}

/** A command that records a run leaves no fact in this collector's journal. */
const EVERY_MS = 5000
const EVERY_MS_OF_OPENING = 500

interface RunsState extends LiveState {
  readonly list: KeptRuns | null
  /** Rejects with the collector's refusal. */
  readonly order: (order: RunOrder) => Promise<void>
}

function useRuns(): RunsState {
  const [list, setList] = useState<KeptRuns | null>(null)
  const isOpening = list?.runs.some(({ boards }) => boards?.state === 'opening') === true
  const live = useLive({
    read: async (signal) => setList(await client.runs(signal)),
    concerns: () => false,
    everyMs: isOpening ? EVERY_MS_OF_OPENING : EVERY_MS,
  })
  return { ...live, list, order: async (order) => setList(await client.orderRun(order)) }
}
