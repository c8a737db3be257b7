'use client'

import { plural } from '../../lib/format'
import type { Overview } from '../../lib/wire/overview'
import { CopyButton } from '../ui/facts'
import { Glyph } from '../ui/glyph'
import { HAS_LAB } from '../ui/standalone'
import { OwnPrograms } from './own-programs'
import styles from './set-up.module.css'

const DOCTOR = 'npx waystation doctor --app http://localhost:3000'

/** The steps until the first app sends something; the one that is due is marked. */
export function SetUp({ overview }: { readonly overview: Overview | null }) {
  const refused = overview?.counts.refused ?? 0
  return (
    <section className={styles.steps} aria-labelledby="set-up" data-waiting>
      <h2 id="set-up">Connect an app</h2>
      <ol>
        <li data-done="true">
          <Mark isDone />
          <div>
            <h3>The collector runs</h3>
            {overview !== null && (
              <p>
                It stores what arrives in <code className={styles.folder}>{overview.dataFolder}</code>
                {overview.localOnly ? '; nothing leaves this machine.' : ', and relays it.'}
              </p>
            )}
          </div>
        </li>
        <li data-done={refused > 0}>
          <Mark isDone={refused > 0} />
          <div>
            <h3>Set the local DSN in any SDK</h3>
            {overview !== null && <OwnPrograms localDsn={overview.localDsn} />}
          </div>
        </li>
        <li data-done="false">
          <Mark isDone={false} />
          <div>
            <h3>{refused > 0 ? `${plural(refused, 'request')} refused` : 'Waiting for the first envelope'}</h3>
            <p>
              {refused > 0
                ? 'Something came, but not with this DSN, or not as an envelope: the reasons stand under “What did not arrive”.'
                : 'Open your app, or cause an error in it. This page shows it within a second.'}
              {HAS_LAB && (
                <>
                  {' '}
                  <a href="/lab">The lab</a> can send something, too.
                </>
              )}
            </p>
            <p>
              If nothing arrives: <code>{DOCTOR}</code> <CopyButton quiet text={DOCTOR} label="the command" />
            </p>
          </div>
        </li>
      </ol>
    </section>
  )
}

const Mark = ({ isDone }: { readonly isDone: boolean }) => (
  <span className={styles.mark} role="img" aria-label={isDone ? 'done' : 'to do'}>
    <Glyph name={isDone ? 'accepted' : 'more'} />
  </span>
)
