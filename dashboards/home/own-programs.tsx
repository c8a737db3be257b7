'use client'

import { useState } from 'react'
import type { Overview } from '../../lib/wire/overview'
import { CopyButton } from '../ui/copy-button'
import { Tabs } from '../ui/tabs'
import styles from './own-programs.module.css'
import { type SnippetId, snippets } from './snippets'

/** How any program gets on the path: the local DSN, and what to paste. */
export function OwnPrograms({ overview }: { readonly overview: Overview | null }) {
  const [chosen, setChosen] = useState<SnippetId>('javascript')
  if (overview === null) {
    return (
      <section className={styles.own} aria-labelledby="own">
        <h2 id="own">Send it your own app</h2>
      </section>
    )
  }
  const { localDsn, dataFolder } = overview
  const all = snippets(localDsn)
  const snippet = all.find((one) => one.id === chosen)
  return (
    <section className={styles.own} aria-labelledby="own">
      <h2 id="own">Send it your own app</h2>
      <p className="soft small">Give any Sentry SDK this DSN. That is the whole set-up.</p>
      <div className={styles.dsn}>
        <code data-local-dsn>{localDsn}</code>
        <CopyButton text={localDsn} label="the local DSN" />
      </div>
      {snippet !== undefined && (
        <Tabs
          label="What to paste"
          tabs={all.map(({ id, name }) => ({ id, label: name }))}
          current={chosen}
          onChange={setChosen}
          tools={<CopyButton quiet text={snippet.code} label="this snippet" />}
        >
          <pre className={styles.code}>{snippet.code}</pre>
        </Tabs>
      )}
      <p className="small faint">
        Kept in <code className={styles.folder}>{dataFolder}</code>: <a href="/storage">how much, and what had to go</a>
      </p>
    </section>
  )
}
