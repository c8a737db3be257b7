'use client'

import { useState } from 'react'
import type { Overview } from '../../lib/wire/overview'
import { CopyButton } from '../ui/facts'
import { Tabs } from '../ui/tabs'
import styles from './own-programs.module.css'

/** How to connect any program: the local DSN, and code to paste. */
export function OwnPrograms({ overview }: { readonly overview: Overview | null }) {
  const [chosen, setChosen] = useState<SnippetId>('javascript')
  if (overview === null) {
    return (
      <section className={styles.own} aria-labelledby="own">
        <h2 id="own">Connect your own app</h2>
      </section>
    )
  }
  const { localDsn, dataFolder } = overview
  const all = snippets(localDsn)
  const snippet = all.find((one) => one.id === chosen)
  return (
    <section className={styles.own} aria-labelledby="own">
      <h2 id="own">Connect your own app</h2>
      <p className="soft small">Set this DSN in any Sentry SDK. Nothing else is needed.</p>
      <div className={styles.dsn}>
        <code data-local-dsn>{localDsn}</code>
        <CopyButton text={localDsn} label="the local DSN" />
      </div>
      {snippet !== undefined && (
        <Tabs
          label="SDK"
          tabs={all.map(({ id, name }) => ({ id, label: name }))}
          current={chosen}
          onChange={setChosen}
          tools={<CopyButton quiet text={snippet.code} label="this snippet" />}
        >
          <pre className={styles.code}>{snippet.code}</pre>
        </Tabs>
      )}
      <p className="small faint">
        Stored in <code className={styles.folder}>{dataFolder}</code>: <a href="/storage">disk use and evictions</a>
      </p>
    </section>
  )
}

type SnippetId = 'javascript' | 'next' | 'python' | 'go' | 'php' | 'shell'

interface Snippet {
  readonly id: SnippetId
  readonly name: string
  readonly code: string
}

/** Set-up code per SDK. It sets the sample rate, because SDKs do not trace by default. */
export function snippets(dsn: string): readonly Snippet[] {
  return [
    {
      id: 'javascript',
      name: 'JavaScript',
      code: `Sentry.init({\n  dsn: '${dsn}',\n  tracesSampleRate: 1,\n})`,
    },
    {
      id: 'next',
      name: 'Next',
      code: `// instrumentation-client.ts\nimport * as Sentry from '@sentry/nextjs'\n\nSentry.init({\n  dsn: '${dsn}',\n  tracesSampleRate: 1,\n})\n\nexport const onRouterTransitionStart = Sentry.captureRouterTransitionStart\n\n// Tunnel, server and lifeboat: see “Put your own app on the path” in the README`,
    },
    {
      id: 'python',
      name: 'Python',
      code: `import sentry_sdk\n\nsentry_sdk.init(\n    dsn="${dsn}",\n    traces_sample_rate=1.0,\n)`,
    },
    {
      id: 'go',
      name: 'Go',
      code: `err := sentry.Init(sentry.ClientOptions{\n\tDsn:              "${dsn}",\n\tEnableTracing:    true,\n\tTracesSampleRate: 1.0,\n})`,
    },
    {
      id: 'php',
      name: 'PHP',
      code: `\\Sentry\\init([\n    'dsn' => '${dsn}',\n    'traces_sample_rate' => 1.0,\n]);`,
    },
    {
      id: 'shell',
      name: 'Any',
      code: `# SDKs without a dsn option, and sentry-cli, read it from here\nexport SENTRY_DSN='${dsn}'`,
    },
  ]
}
