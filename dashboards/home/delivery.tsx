'use client'

import { formatCount, plural } from '../../lib/format'
import type { Overview } from '../../lib/wire/overview'
import { useNow } from '../ui/clock'
import { DeliveryStatusGlyph } from '../ui/delivery-status-mark'
import { printable } from '../ui/printable'
import { TryNow } from '../ui/status-banner'
import { deliveryStatusWords } from '../ui/status-text'
import ledger from '../ui/tables.module.css'
import { strandedWords } from '../ui/upstream-text'
import { bookLines } from './books'
import styles from './delivery.module.css'
import { Limits } from './limits'
import { lastAnswerWords, upstreamWords } from './upstream-words'

/** Where envelopes go from here, and where the items that came are now. */
export function Delivery({ overview }: { readonly overview: Overview | null }) {
  const now = useNow()
  return (
    <section className={styles.delivery} aria-labelledby="delivery">
      <h2 id="delivery">Delivery</h2>
      {overview !== null && (
        <>
          {overview.localOnly && (
            <p data-delivery="local-only">
              <strong>Local only.</strong> No upstream is set: everything stays on this machine. Set{' '}
              <code>WAYSTATION_UPSTREAM</code> to your project’s DSN to relay.
            </p>
          )}
          {overview.upstreams.map((upstream) => {
            const words = upstreamWords(upstream, now)
            const last = lastAnswerWords(upstream.last)
            return (
              <div key={upstream.label} className={styles.upstream} data-delivery={upstream.state}>
                <p>
                  {upstream.standIn ? 'Relaying to the stand-in' : 'Relaying to'}{' '}
                  <strong className="mono">{printable(upstream.label)}</strong>
                  <span className={`toned ${styles.state}`} data-tone={words.tone}>
                    {words.state}
                  </span>
                </p>
                <p className="small soft num">
                  {words.detail}
                  {last !== null && <span className="faint"> {capital(printable(last))}.</span>}
                  {upstream.retryAt !== null && (
                    <>
                      {' '}
                      <TryNow />
                    </>
                  )}
                </p>
                {words.waiting.map(({ says, href, name }) => (
                  <p key={href} className="small num" data-waiting={href}>
                    {says} <a href={href}>{name}</a>
                  </p>
                ))}
              </div>
            )
          })}
          {overview.stranded.map((one) => (
            <p key={`${one.project} ${one.publicKey}`} className="banner warn small" data-stranded={one.project}>
              <strong>Stranded.</strong> {strandedWords(one)} <a href="/storage">Storage</a>
            </p>
          ))}
          <Limits limits={overview.limits} now={now} />
          <Books items={overview.items} />
        </>
      )}
    </section>
  )
}

function Books({ items }: { readonly items: Overview['items'] }) {
  return (
    <table className={ledger.ledger}>
      <caption>
        {plural(items.received, 'item')} received, and what became of {items.received === 1 ? 'it' : 'them'}
      </caption>
      <tbody>
        {bookLines(items).map(({ name, count }) => {
          const { word, means, tone } = deliveryStatusWords(name)
          return (
            <tr key={name} data-tone={tone}>
              <td className="num">{formatCount(count)}</td>
              <th scope="row">
                <DeliveryStatusGlyph name={name} /> {word}
              </th>
              <td>{means}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
