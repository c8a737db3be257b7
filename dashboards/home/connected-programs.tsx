'use client'

import { useState } from 'react'
import type { Program, Programs } from '../../lib/wire/programs'
import { Age, useIsRecent } from '../ui/clock'
import { CopyButton } from '../ui/facts'
import { printable } from '../ui/printable'
import { ServiceName } from '../ui/received'
import styles from './connected-programs.module.css'
import { OwnPrograms } from './own-programs'
import { Part } from './side'

const DOCTOR = 'npx waystation doctor'

interface ConnectedProps {
  readonly programs: Programs | null
  readonly localDsn: string | null
  readonly isShown: boolean
}

/** The programs that sent something in the last hour, with their misconfigurations. */
export function ConnectedPrograms({ programs, localDsn, isShown }: ConnectedProps) {
  const [isOpen, setOpen] = useState(false)
  const seen = programs?.programs ?? []
  return (
    <Part id="programs" title={isShown ? 'Programs of this run' : 'Connected programs'}>
      {seen.length === 0 ? (
        <p className="soft">{programs === null ? 'Loading …' : 'No program sent anything in the last hour.'}</p>
      ) : (
        <ul className={styles.programs}>
          {seen.map((program) => (
            <One
              key={JSON.stringify([program.service, program.sdk, program.project])}
              program={program}
              isShown={isShown}
            />
          ))}
        </ul>
      )}
      {!isShown && (
        <>
          <p className={`soft ${styles.doctor}`}>
            Check the set-up: <code>{DOCTOR}</code> <CopyButton quiet text={DOCTOR} label="the command" />
          </p>
          <button type="button" className="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Connect another app
          </button>
          {isOpen && localDsn !== null && <OwnPrograms localDsn={localDsn} />}
        </>
      )}
    </Part>
  )
}

const RECENT_MS = 60_000

function One({ program, isShown }: { readonly program: Program; readonly isShown: boolean }) {
  const { service, sdk, release, environment, lastSeen, problems } = program
  const isRecent = useIsRecent(lastSeen, RECENT_MS)
  const named = [sdk ?? 'unknown SDK', release, environment].filter((part) => part !== null)
  return (
    <li data-program={service}>
      <span className={styles.dot} data-recent={isRecent && !isShown} aria-hidden="true" />
      <span className={styles.service}>
        <ServiceName service={service} />
      </span>
      <bdi className="cut soft" title={printable(named.join(', '))}>
        {printable(named.join(', '))}
      </bdi>
      <Age atMs={lastSeen} ago />
      {problems.map(({ found, fix }) => (
        <details key={found} className={styles.problem}>
          <summary className="toned" data-tone="warn">
            {found}
          </summary>
          {fix}
        </details>
      ))}
    </li>
  )
}
