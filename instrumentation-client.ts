import * as Sentry from '@sentry/nextjs'
import { startBrowser } from './lib/sdk/start-browser'

startBrowser(document, window.fetch.bind(window))

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart
