import * as Sentry from '@sentry/nextjs'
import { startBrowser } from './lib/sdk/browser'

startBrowser(document, window.fetch.bind(window))

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart
