import type * as Sentry from '@sentry/nextjs'

/* The SDK's own words for what crosses its transport; it exports the functions, not all of the types. */
export type Transport = ReturnType<typeof Sentry.createTransport>
export type TransportOptions = Parameters<typeof Sentry.createTransport>[0]
export type Envelope = Parameters<Transport['send']>[0]
export type EnvelopeItem = Envelope[1][number]
export type RecordDrop = TransportOptions['recordDroppedEvent']
export type Integration = Parameters<typeof Sentry.addIntegration>[0]
