'use client'

import { formatCount, plural } from '../../lib/format'
import { OUTCOMES } from '../../lib/protocol/outcome'
import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import type { Limit } from '../../lib/wire/limits'
import type { Overview } from '../../lib/wire/overview'
import { useNow } from '../ui/clock'
import { Glyph } from '../ui/glyph'
import ledger from '../ui/ledger.module.css'
import { printable } from '../ui/printable'
import { TryNow } from '../ui/status-banner'
import { capitalise, statusNameText } from '../ui/status-text'
import { formatLeft } from '../ui/times'
import { lastAnswerText, limitsInForce, strandedText, upstreamText } from '../ui/upstream-text'
import styles from './delivery.module.css'

export function Delivery({ overview }: { readonly overview: Overview | null }) {
  const now = useNow()
  return (
    <section className={styles.delivery} aria-labelledby="delivery">
      <h2 id="delivery">Delivery</h2>
      {overview !== null && (
        <>
          {overview.localOnly && !overview.isShown && (
            <p data-delivery="local-only">
              <strong>Local only.</strong> No upstream is set, so nothing leaves this machine. Set{' '}
              <code>WAYSTATION_UPSTREAM</code> to the DSN of your project to relay.
            </p>
          )}
          {overview.upstreams.map((upstream) => {
            const words = upstreamText(upstream, now)
            const last = lastAnswerText(upstream.last)
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
                  {last !== null && <span className="faint"> {capitalise(printable(last))}.</span>}
                  {upstream.retryAt !== null && (
                    <>
                      {' '}
                      <TryNow />
                    </>
                  )}
                </p>
                {words.waiting.map(({ text, href, name }) => (
                  <p key={href} className="small num" data-waiting={href}>
                    {text} <a href={href}>{name}</a>
                  </p>
                ))}
              </div>
            )
          })}
          {overview.stranded.map((one) => (
            <p key={`${one.project} ${one.publicKey}`} className="banner warn small" data-stranded={one.project}>
              <strong>Stranded.</strong> {strandedText(one)} <a href="/storage">Storage</a>
            </p>
          ))}
          <Limits limits={overview.limits} now={now} />
          <ItemStatuses items={overview.items} />
        </>
      )}
    </section>
  )
}

function ItemStatuses({ items }: { readonly items: Overview['items'] }) {
  return (
    <table className={ledger.ledger}>
      <caption>{plural(items.received, 'item')} received, by delivery status</caption>
      <tbody>
        {itemStatuses(items).map(({ name, count }) => {
          const { word, meaning, tone } = statusNameText(name)
          return (
            <tr key={name} data-tone={tone}>
              <td className="num">{formatCount(count)}</td>
              <th scope="row">
                <Glyph name={name} /> {word}
              </th>
              <td>{meaning}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function Limits({ limits, now }: { readonly limits: readonly Limit[]; readonly now: number }) {
  const inForce = limitsInForce(limits, now)
  if (inForce.length === 0) return null
  return (
    <div className={styles.limits}>
      <h3>
        <Glyph name="rate_limited" /> Limited by upstream: <a href="/limits">reasons, and whether pages obey</a>
      </h3>
      <ul>
        {inForce.map((limit) => (
          <li key={`${limit.upstream} ${limit.category}`} title={limit.upstream}>
            <strong>{printable(limit.category)}</strong>
            <span className="num">{formatLeft(limit.until, now) ?? '0 s'} left</span>
            {limit.reason !== null && <span className="faint">{printable(limit.reason.replaceAll('_', ' '))}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface ItemStatus {
  readonly name: DeliveryStatus['name']
  readonly count: number
}

/** The received items by status: pending first, then every outcome with items. */
export function itemStatuses(items: Overview['items']): readonly ItemStatus[] {
  const settled = OUTCOMES.map((name) => ({ name, count: items.outcomes[name] ?? 0 }))
  return [{ name: 'pending' as const, count: items.pending }, ...settled.filter((line) => line.count > 0)]
}
