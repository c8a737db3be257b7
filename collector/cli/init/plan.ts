import type { Plan, Setup } from './own-files'
import { planNext } from './plan-next'
import { planServer } from './plan-server'
import { planVite } from './plan-vite'
import type { Planned } from './planned-file'
import type { Framework } from './project'

const PLANS: Readonly<Record<Framework, (setup: Setup) => Plan>> = {
  next: planNext,
  vite: planVite,
  express: (setup) => planServer(setup, 'express'),
  hono: (setup) => planServer(setup, 'hono'),
  python: ({ dsn }) => printed('Python: install sentry-sdk, and run this before all other code:', pythonSdk(dsn)),
  go: ({ dsn }) =>
    printed('Go: install github.com/getsentry/sentry-go, and run this at the start of main:', goSdk(dsn)),
}

const printed = (title: string, paste: string): Plan => ({ planned: [{ step: { title, paste } }], packages: [] })

export const pythonSdk = (dsn: string): string => `sentry_sdk.init(dsn="${dsn}", traces_sample_rate=1.0)\n`
export const goSdk = (dsn: string): string =>
  `sentry.Init(sentry.ClientOptions{Dsn: "${dsn}", EnableTracing: true, TracesSampleRate: 1})\n`

/** The changes of all frameworks. Files that several of them need occur once. */
export function planFrameworks(setup: Setup, frameworks: readonly Framework[]): Plan {
  const plans = frameworks.map((name) => PLANS[name](setup))
  const seen = new Set<string>()
  const isFirst = (one: Planned): boolean => {
    const key = 'file' in one ? one.file.path : one.step.title
    return seen.has(key) ? false : seen.add(key).has(key)
  }
  return {
    planned: plans.flatMap(({ planned }) => planned).filter(isFirst),
    packages: [...new Set(plans.flatMap(({ packages }) => packages))],
  }
}
