'use client'

import { useState } from 'react'
import { CopyButton } from '../ui/facts'
import { Tabs } from '../ui/tabs'
import styles from './own-programs.module.css'

/** The local DSN, and code to paste. */
export function OwnPrograms({ localDsn }: { readonly localDsn: string }) {
  const [chosen, setChosen] = useState<SnippetId>('browser')
  const all = snippets(localDsn)
  const snippet = all.find((one) => one.id === chosen)
  return (
    <div className={styles.own}>
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
    </div>
  )
}

type SnippetId = 'browser' | 'react' | 'node' | 'otel' | 'next' | 'python' | 'go' | 'php' | 'shell'

interface Snippet {
  readonly id: SnippetId
  readonly name: string
  readonly code: string
}

/** Set-up code per SDK. It sets the sample rate, because SDKs do not trace by default. */
export function snippets(dsn: string): readonly Snippet[] {
  return [
    {
      id: 'browser',
      name: 'Browser',
      code: `import * as Sentry from '@sentry/browser'\n\nSentry.init({\n  dsn: '${dsn}',\n  integrations: [Sentry.browserTracingIntegration()],\n  tracesSampleRate: 1,\n})`,
    },
    {
      id: 'react',
      name: 'Vite, React',
      code: `// src/main.tsx, before the app renders\nimport * as Sentry from '@sentry/react'\n\nSentry.init({\n  dsn: '${dsn}',\n  integrations: [Sentry.browserTracingIntegration()],\n  tracesSampleRate: 1,\n})`,
    },
    {
      id: 'next',
      name: 'Next',
      code: `// instrumentation-client.ts\nimport * as Sentry from '@sentry/nextjs'\n\nSentry.init({\n  dsn: '${dsn}',\n  tracesSampleRate: 1,\n})\n\nexport const onRouterTransitionStart = Sentry.captureRouterTransitionStart\n\n// Tunnel, server and lifeboat: see “Put your own app on the path” in the README`,
    },
    {
      id: 'node',
      name: 'Node',
      code: `// instrument.mjs: node --import ./instrument.mjs server.mjs\nimport * as Sentry from '@sentry/node'\n\nSentry.init({\n  dsn: '${dsn}',\n  tracesSampleRate: 1,\n})`,
    },
    {
      id: 'otel',
      name: 'OpenTelemetry',
      code: `# Any language; OTLP over HTTP needs no DSN\nexport OTEL_EXPORTER_OTLP_ENDPOINT='${new URL(dsn).origin}'\nexport OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\nexport OTEL_SERVICE_NAME=my-app`,
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
