'use client'

import { ConnectionBanner, ConnectionState } from '../ui/board'
import board from '../ui/board.module.css'
import { useNow } from '../ui/clock'
import { StrangeSaid } from '../ui/filter-notes'
import { limitLines } from './limit-lines'
import { LimitsInForce } from './limits-in-force'
import { LimitsOver } from './limits-over'
import { NoLimits } from './no-limits'
import { ToldPages } from './told-pages'
import { useLimits } from './use-limits'

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
      <StrangeSaid page="Limits" known={KNOWN_PARAMS} />
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
