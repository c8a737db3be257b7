'use client'

import type { Figures } from '../../lib/wire/figures'
import { ConnectionBanner } from '../ui/board'
import { client } from '../ui/client'
import { useNow } from '../ui/clock'
import { TopBar } from '../ui/top-bar'
import { useLive } from '../ui/use-live'
import { polled } from '../ui/use-polled'
import { useStatus } from '../ui/use-status'
import { ConnectedPrograms } from './connected-programs'
import { Feed, readFeedAhead } from './feed'
import styles from './home-board.module.css'
import { Line } from './line'
import { nextStep } from './next-step'
import { WhatDidNotArrive } from './not-arrived'
import { Run } from './run'
import { SetUp } from './set-up'
import { WhatBroke, WhatIsSlow, WhatToDo } from './side'
import { Trends } from './trends'

/** Facts cause a read of the slower parts at most this often. */
const SLOW_GAP_MS = 5000
const EVERY_MS = 5000
/** Without facts, only the end of the last hour moves. */
const IDLE_MS = 30_000
const SHOWN_GROUPS = 3

/** The state of delivery, the last envelope and what was refused. */
const useOverview = polled((signal) => client.overview(signal), EVERY_MS)

/** The figures with the counts of each minute. */
const useMinutes = polled((signal) => client.figures(true, signal), EVERY_MS)

/** The groups of errors that arrived last. */
const useBroken = polled((signal) => client.errors({ limit: SHOWN_GROUPS, signal }), IDLE_MS, SLOW_GAP_MS)

const useSlow = polled((signal) => client.slow(signal), IDLE_MS, SLOW_GAP_MS)

const usePrograms = polled((signal) => client.programs(signal), IDLE_MS, SLOW_GAP_MS)

/** The parts of the page read on their own, after facts of this stream. */
const NO_READ = { read: async () => undefined, concerns: () => false }

/** `/`: whether telemetry arrives and is delivered, what happened, and what to do. */
export function HomeBoard() {
  const live = useLive(NO_READ)
  const { answer: overview, failure } = useOverview()
  const { answer: figures } = useMinutes()
  const { answer: broken } = useBroken()
  const { answer: slow } = useSlow()
  const { answer: programs } = usePrograms()
  const status = useStatus()
  const nowMs = useNow() + (status?.aheadMs ?? 0)
  const isShown = overview?.isShown ?? false
  const isConnected = isShown || figures === null || hasArrived(figures)
  const step =
    overview === null || figures === null
      ? null
      : nextStep({
          overview,
          diskTrouble: status?.status.storage.trouble ?? null,
          losses: figures.navigation.losses,
          programs: programs?.programs ?? [],
          nowMs,
        })
  return (
    <>
      <TopBar
        title="Live"
        live={{ ...live, failure }}
        scope={isShown ? 'a recorded run' : 'everything your apps send, as it arrives'}
      />
      <ConnectionBanner {...live} failure={failure} />
      <Line figures={figures} overview={overview} isConnected={isConnected} nowMs={nowMs} />
      {isConnected && !isShown && <Trends figures={figures} slow={slow} />}
      <div className={styles.columns}>
        <div className={styles.main}>
          {overview?.run != null && <Run run={overview.run} />}
          {isConnected ? <Feed /> : <SetUp overview={overview} />}
        </div>
        <div className={styles.side}>
          {isConnected && <WhatBroke page={broken} />}
          {isConnected && <WhatIsSlow slow={slow} />}
          <WhatDidNotArrive figures={figures} overview={overview} nowMs={nowMs} />
          {step !== null && <WhatToDo step={step} />}
          {isConnected && (
            <ConnectedPrograms programs={programs} localDsn={overview?.localDsn ?? null} isShown={isShown} />
          )}
        </div>
      </div>
    </>
  )
}

/** Begins to read what the page shows first. */
export const readAhead = (): Promise<void> => readFeedAhead()

/** Whether an app ever sent something that is still stored, or did in the last hour. */
const hasArrived = ({ line, projects }: Figures): boolean => line.lastEnvelope !== null || projects.length > 0
