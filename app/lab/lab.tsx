'use client'

import { useState } from 'react'
import { ActionRow } from './action-row'
import { EntryRow } from './entry-row'
import styles from './lab.module.css'
import { LabError, newMarker } from './lab-error'
import { LabRelay } from './lab-relay'
import { PlaceRow } from './place-row'
import { LAB } from './registry'

/** Where a person causes telemetry on purpose, and then follows it. */
export function Lab() {
  const [broken, setBroken] = useState(false)
  if (broken) throw new LabError(`while rendering (${newMarker()})`)
  return (
    <div className="page stack">
      <h1>Lab</h1>
      <p className="soft">
        Cause something, then follow it: each action has a trace of its own. Everything caused here is tagged{' '}
        <code>waystation.lab</code>.
      </p>
      <LabRelay />
      {LAB.map((group) => (
        <section key={group.title} className={styles.group}>
          <h2>{group.title}</h2>
          <ul className={styles.entries}>
            {group.entries.map((entry) => {
              if (entry.kind === 'run') return <ActionRow key={entry.id} action={entry} />
              if (entry.kind === 'visit') return <PlaceRow key={entry.id} place={entry} />
              return (
                <EntryRow key={entry.id} expect={entry.expect}>
                  <button
                    className="button"
                    type="button"
                    data-testid={`lab-${entry.id}`}
                    onClick={() => setBroken(true)}
                  >
                    {entry.title}
                  </button>
                </EntryRow>
              )
            })}
          </ul>
        </section>
      ))}
    </div>
  )
}
