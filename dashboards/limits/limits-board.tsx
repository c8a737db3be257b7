'use client'

import { useState } from 'react'
import type { LimitsNow } from '../../lib/wire/limits'
import { Empty } from '../ui/board'
import { BoardPage } from '../ui/board-page'
import { client } from '../ui/client'
import { useNow } from '../ui/clock'
import { RANGE_PARAM } from '../ui/links'
import { HAS_LAB } from '../ui/standalone'
import { type LiveState, useLive } from '../ui/use-live'
import { limitLines } from './limit-lines'
import { LimitPlot } from './limit-plot'
import { LimitsInForce, LimitsOver } from './limit-tables'
import { PageLimits } from './page-limits'

const KNOWN_PARAMS: readonly string[] = [RANGE_PARAM]

/** `/limits`: the rate limits with reason and end, what was cut, and whether pages obeyed them. */
export function LimitsBoard() {
  const { limits, aheadMs, ...live } = useLimits()
  const now = useNow() + aheadMs
  const lines = limits === null ? null : limitLines(limits, now)
  const isBare = lines !== null && lines.running.length + lines.over.length === 0
  return (
    <BoardPage
      title="Limits"
      scope="of all upstreams, in force and ended"
      live={live}
      reading={limits === null ? 'Loading …' : null}
      known={KNOWN_PARAMS}
    >
      {limits !== null && !limits.passLimits && (
        <p className="banner warn small" data-pass-limits="off">
          <strong>Limits are not passed to SDKs.</strong> <code>WAYSTATION_PASS_LIMITS</code> is off: SDKs keep sending
          what is cut here.
        </p>
      )}
      {limits?.holdErrors === true && (
        <p className="small soft" data-hold-errors="on">
          <code>WAYSTATION_HOLD_ERRORS</code> is on: errors wait for the end of a limit instead of being cut, and SDKs
          are not sent that limit.
        </p>
      )}
      {isBare && <NoLimits />}
      {limits !== null && lines !== null && !isBare && (
        <>
          <LimitPlot limits={limits} now={now} />
          <LimitsInForce lines={lines.running} />
          <PageLimits limits={limits} now={now} />
          <LimitsOver lines={lines.over} />
        </>
      )}
    </BoardPage>
  )
}

function NoLimits() {
  return (
    <Empty title="No limits yet" what="page">
      <p>
        An upstream limits a category in its answer. Waystation then cuts that category from its posts, counts what it
        cut, and passes the limit to each SDK with the next answer. This page shows each limit with its reason and end,
        and whether each page obeyed it. To see one:
      </p>
      <ol>
        <li>
          Start with <code>WAYSTATION_UPSTREAM=stand-in</code>: the collector runs a mock upstream.
        </li>
        <li>
          On <a href="/stand-in">its page</a>, limit <code>transaction</code> for some seconds.
        </li>
        <li>
          {HAS_LAB ? (
            <>
              Press a few buttons in <a href="/lab">the lab</a>.
            </>
          ) : (
            'Cause a few transactions in your own program.'
          )}{' '}
          The answer to the first transaction contains the limit; the following ones are cut, and the page stops sending
          them once it received the limit.
        </li>
      </ol>
    </Empty>
  )
}

/** The end of a limit is not a fact of the stream. */
const EVERY_MS = 5000

function useLimits(): LiveState & { readonly limits: LimitsNow | null; readonly aheadMs: number } {
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
