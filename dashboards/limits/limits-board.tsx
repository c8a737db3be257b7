'use client'

import { useState } from 'react'
import type { LimitsNow } from '../../lib/wire/limits'
import { ConnectionBanner, ConnectionState, Empty } from '../ui/board'
import board from '../ui/board.module.css'
import { client } from '../ui/client'
import { useNow } from '../ui/clock'
import { UnknownParameters } from '../ui/filter-notes'
import { type LiveState, useLive } from '../ui/use-live'
import { limitLines } from './limit-lines'
import { LimitsInForce, LimitsOver } from './limit-tables'
import { ToldPages } from './page-limits'

const KNOWN_PARAMS: readonly string[] = []

/** `/limits`: what is limited, by whom, why and until when, what was cut meanwhile, and whether pages obeyed. */
export function LimitsBoard() {
  const { limits, aheadMs, ...live } = useLimits()
  const now = useNow() + aheadMs
  const lines = limits === null ? null : limitLines(limits, now)
  const isBare = lines !== null && lines.running.length + lines.over.length === 0
  return (
    <div className={board.board}>
      <div className={board.bar}>
        <h1>Limits</h1>
        <ConnectionState {...live} />
      </div>
      <UnknownParameters page="Limits" known={KNOWN_PARAMS} />
      <ConnectionBanner {...live} />
      {limits === null && live.failure === null && <p className="small faint">Reading …</p>}
      {limits !== null && !limits.passLimits && (
        <p className="banner warn small" data-pass-limits="off">
          <strong>SDKs are not told.</strong> <code>WAYSTATION_PASS_LIMITS</code> is off: their answers name no limit,
          so they go on sending what is cut here.
        </p>
      )}
      {limits?.holdErrors === true && (
        <p className="small soft" data-hold-errors="on">
          <code>WAYSTATION_HOLD_ERRORS</code> is on: errors wait here for the end of a limit instead of being cut, and
          SDKs are not told of that limit.
        </p>
      )}
      {isBare && <NoLimits />}
      {limits !== null && lines !== null && !isBare && (
        <>
          <LimitsInForce lines={lines.running} />
          <ToldPages limits={limits} now={now} />
          <LimitsOver lines={lines.over} />
        </>
      )}
    </div>
  )
}

/** Nothing was ever limited: what this page is for, and how to see it at work. */
function NoLimits() {
  return (
    <Empty title="No limit yet" what="page">
      <p>
        An upstream that has had enough of a category says so with its answer. From then on Waystation cuts that
        category out of what it posts, counts what it cut, and tells each SDK with its next answer. Here is which
        category it is, by whom, why and until when, and whether each page obeyed. To see one:
      </p>
      <ol>
        <li>
          Start with <code>WAYSTATION_UPSTREAM=stand-in</code>: the collector plays upstream itself.
        </li>
        <li>
          On <a href="/stand-in">its board</a> limit <code>transaction</code> for some seconds.
        </li>
        <li>
          SuggestionButton a few things in <a href="/lab">the lab</a>. The first transaction is refused and tells the
          limit; those behind it are cut; and the page stops sending them once it was told.
        </li>
      </ol>
    </Empty>
  )
}

/** That a limit ends, and with it a verdict, makes no fact. */
const EVERY_MS = 5000

export interface LimitsState extends LiveState {
  /** `null` until it was read once; afterwards the last one read. */
  readonly limits: LimitsNow | null
  /** How far the collector’s clock is ahead of this one: its times are counted down by it. */
  readonly aheadMs: number
}

/** What upstreams limit, limited, and whom that was told. */
function useLimits(): LimitsState {
  const [read, setRead] = useState<{ readonly limits: LimitsNow; readonly aheadMs: number } | null>(null)
  const live = useLive({
    read: async (signal) => {
      const limits = await client.limits(signal)
      setRead({ limits, aheadMs: limits.now - Date.now() })
    },
    concerns: () => true,
    everyMs: EVERY_MS,
  })
  return { ...live, limits: read?.limits ?? null, aheadMs: read?.aheadMs ?? 0 }
}
