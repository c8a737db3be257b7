import * as Sentry from '@sentry/nextjs'
import type { LabAction, LabRenderError } from '../entry'
import { LabError, newMarker } from '../lab-error'
import { inOwnTrace, nextEventId } from '../own-trace'

export const handledError: LabAction = {
  kind: 'run',
  id: 'handled-error',
  title: 'Handled error',
  expect: 'One handled event in its own segment.',
  run: async () => {
    const { traceId, value: eventId } = await inOwnTrace('lab: handled error', async () =>
      Sentry.captureException(new LabError(`handled (${newMarker()})`)),
    )
    return { traceId, eventId }
  },
}

export const unhandledError: LabAction = {
  kind: 'run',
  id: 'unhandled-error',
  title: 'Unhandled error',
  expect: 'One unhandled event (onerror); the session is marked as well.',
  run: async () => {
    const marker = newMarker()
    const { traceId, value: eventId } = await inOwnTrace('lab: unhandled error', async () => {
      const reported = nextEventId(marker)
      // A microtask, because the SDK wraps timers and would report its own handler instead of `onerror`.
      queueMicrotask(() => {
        throw new LabError(`unhandled (${marker})`)
      })
      return reported
    })
    return { traceId, eventId }
  },
}

export const promiseRejection: LabAction = {
  kind: 'run',
  id: 'promise-rejection',
  title: 'Promise rejection',
  expect: 'One unhandled event (onunhandledrejection).',
  run: async () => {
    const marker = newMarker()
    const { traceId, value: eventId } = await inOwnTrace('lab: promise rejection', async () => {
      const reported = nextEventId(marker)
      void Promise.reject(new LabError(`rejected (${marker})`))
      return reported
    })
    return { traceId, eventId }
  },
}

export const renderError: LabRenderError = {
  kind: 'render',
  id: 'render-error',
  title: 'Render error',
  expect: 'The fallback page with the client-side text and no digest; it links its event and trace.',
}
