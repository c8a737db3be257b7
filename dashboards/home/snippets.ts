export type SnippetId = 'javascript' | 'next' | 'python' | 'go' | 'php' | 'shell'

export interface Snippet {
  readonly id: SnippetId
  readonly name: string
  readonly code: string
}

/** What to paste, per SDK. The DSN is the whole set-up; sampling is said because SDKs trace nothing by default. */
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
      code: `// instrumentation-client.ts\nimport * as Sentry from '@sentry/nextjs'\n\nSentry.init({\n  dsn: '${dsn}',\n  tracesSampleRate: 1,\n})\n\nexport const onRouterTransitionStart = Sentry.captureRouterTransitionStart\n\n// Tunnel, server and lifeboat: see “Your own app” in the README`,
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
