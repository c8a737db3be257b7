import { formatBytes, plural } from '../../lib/format'
import type { Storage } from '../../lib/wire/storage'
import { Age } from '../ui/clock'
import ledger from '../ui/ledger.module.css'
import { Section } from '../ui/section'
import { settledRecords } from './clearing'
import styles from './storage-board.module.css'

/** The classes that eviction empties one after the other, the record that it takes next, and what it never takes. */
export function EvictionOrder({ storage }: { readonly storage: Storage }) {
  const { next, store } = storage
  const title = store === undefined ? 'What goes next' : 'What leaves the copy next'
  return (
    <Section id="next" title={title} className={styles.section}>
      <p className="soft">{nextText(storage)}</p>
      <table className={ledger.ledger} aria-labelledby="next">
        <tbody>
          {evictionOrder(storage).map(({ what, order, count, name, meaning }) => (
            <tr key={what} data-class={what} data-next={next?.what === what || undefined}>
              <td className="num">{order}</td>
              <th scope="row">{name}</th>
              <td>
                <span className="num soft">{count}</span> {meaning}
                {next?.what === what && (
                  <>
                    {' '}
                    <strong>Next:</strong> <a href={`/envelopes/${next.seq}`}>envelope {next.seq}</a>, received{' '}
                    <Age atMs={next.receivedAt} ago />.
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

type Evictable = Pick<Storage, 'records' | 'pending' | 'deadLetters' | 'used' | 'evictsAt' | 'next' | 'store'>

/** How far eviction is away, and whether there is anything that it may take. */
export function nextText({ records, used, evictsAt, next, store }: Evictable): string {
  const when =
    used < evictsAt
      ? `Eviction starts after ${formatBytes(evictsAt - used)} more.`
      : 'Eviction runs, because its start is reached.'
  if (store !== undefined)
    return `${when} It deletes copies only, oldest first, and empties each class before the next one; PostgreSQL keeps the records.`
  if (next !== null) return `${when} It empties each class, oldest record first, before the next one.`
  return records === 0 ? `${when} No record is stored yet.` : `${when} All stored records are protected, so none goes.`
}

interface EvictionClass {
  readonly what: NonNullable<Storage['next']>['what'] | 'pending' | 'protected'
  readonly order: string
  readonly name: string
  readonly count: string
  readonly meaning: string
}

/** The classes in the order of eviction, and last the records that it never takes. */
export function evictionOrder(storage: Evictable): readonly EvictionClass[] {
  const { pending, deadLetters } = storage
  if (storage.store !== undefined) return copyEvictionOrder(storage)
  return [
    {
      what: 'settled',
      order: '1',
      name: 'settled records',
      count: plural(settledRecords(storage), 'record'),
      meaning: 'with their rows: delivered, kept, limited or dropped, and copies.',
    },
    {
      what: 'rows',
      order: '2',
      name: 'rows',
      count: `at most ${plural(pending.records + deadLetters.records, 'record')}`,
      meaning: 'pending, or dead letters: their rows go, the records stay.',
    },
    {
      what: 'dead_letter',
      order: '3',
      name: 'dead letters',
      count: `${plural(deadLetters.records, 'record')}, ${formatBytes(deadLetters.bytes)}.`,
      meaning: 'They end as invalid.',
    },
    {
      what: 'expired',
      order: '4',
      name: 'expired',
      count: '',
      meaning: 'Pending for more than 24 h of running time, or the maximum age if that is longer. They end as expired.',
    },
    {
      what: 'protected',
      order: '–',
      name: 'protected',
      count: `of ${plural(pending.records, 'pending record')}, dead letters excepted,`,
      meaning: 'those that are younger: never evicted. What would be pending is refused instead.',
    },
  ]
}

/** A copy protects nothing, and what leaves it has no outcome. */
function copyEvictionOrder(storage: Evictable): readonly EvictionClass[] {
  const { pending, deadLetters } = storage
  return [
    {
      what: 'settled',
      order: '1',
      name: 'settled records',
      count: plural(settledRecords(storage), 'record'),
      meaning: 'with their rows: delivered, kept, limited or dropped, and copies by an SDK.',
    },
    {
      what: 'rows',
      order: '2',
      name: 'rows',
      count: `at most ${plural(pending.records + deadLetters.records, 'record')}`,
      meaning: 'pending, or dead letters: their rows go first.',
    },
    {
      what: 'dead_letter',
      order: '3',
      name: 'dead letters',
      count: `${plural(deadLetters.records, 'record')}, ${formatBytes(deadLetters.bytes)}.`,
      meaning: 'In PostgreSQL they wait for a person as before.',
    },
    {
      what: 'pending',
      order: '4',
      name: 'pending records',
      count: `${plural(pending.records, 'record')}, ${formatBytes(pending.bytes)}.`,
      meaning:
        'They are relayed from PostgreSQL as before, and expire only there: after 24 h of running time or the maximum age, whichever is longer, once their partition is to be dropped.',
    },
  ]
}
