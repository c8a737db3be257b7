import { filteringTransport } from './filtering-transport'
import { isProxy } from './leave-out'
import type { Envelope, EnvelopeItem, Transport } from './sdk'

/**
 * Takes the line's own traffic out of what the server sends: the proxy's segments, and the counts of the requests that
 * the sampler turned away. It turns away nothing else but what its caller does not sample (`sampleRate`), and a report of
 * each poll would be an envelope a minute, made by looking.
 */
export function withoutOwnTraffic(inner: Transport): Transport {
  const withoutProxy = filteringTransport(inner, isProxy, () => undefined)
  return {
    flush: (timeout) => withoutProxy.flush(timeout),
    send: (envelope) => {
      const kept = envelope[1].flatMap((item) => reportWithout(item))
      return kept.length === 0 ? Promise.resolve({}) : withoutProxy.send([envelope[0], kept] as Envelope)
    },
  }
}

function reportWithout(item: EnvelopeItem): readonly EnvelopeItem[] {
  const report: unknown = item[1]
  if (item[0].type !== 'client_report' || !isReport(report)) return [item]
  const discarded = report.discarded_events.filter((one) => one.reason !== 'sample_rate')
  if (discarded.length === report.discarded_events.length) return [item]
  return discarded.length === 0 ? [] : [[item[0], { ...report, discarded_events: discarded }] as EnvelopeItem]
}

const isReport = (value: unknown): value is { readonly discarded_events: readonly { readonly reason: string }[] } =>
  typeof value === 'object' && value !== null && 'discarded_events' in value && Array.isArray(value.discarded_events)
