import { collectorClient } from '../../lib/wire/collector-client'

/** The collector, asked by the app's own origin. */
export const client = collectorClient('/collector', (...args) => fetch(...args))
