import { Fragment } from 'react'
import { formatCount, plural } from '../../lib/format'
import type { Contract } from '../../lib/wire/contract'
import { formatDateTime, formatShortTime } from '../ui/times'
import styles from './contract-board.module.css'
import { VerdictMark } from './rule-row'
import { sumOf, type VerdictWord } from './verdict-lines'

/** The number of verdicts by kind, the failed rules, and the telemetry that was judged. */
export function Sum({ contract, now }: { readonly contract: Contract; readonly now: number }) {
  const { failing, passed, incomplete, stated } = sumOf(contract)
  const { submissions, items, first, last, isPart, damaged } = contract.from
  return (
    <div className={styles.sum}>
      <dl className={styles.counts}>
        <Count word="fail" count={failing.length} />
        <Count word="pass" count={passed} />
        <Count word="incomplete" count={incomplete} />
        {stated > 0 && <Count word="stated" count={stated} />}
      </dl>
      {failing.length > 0 && (
        <p data-failing>
          Failed:{' '}
          {failing.map(({ id, title, isWarning }, index) => (
            <Fragment key={id}>
              {index > 0 && ', '}“<a href={`#${id}`}>{title}</a>”
              {isWarning && <span className="faint"> (warning)</span>}
            </Fragment>
          ))}
          .
        </p>
      )}
      <p className="small soft" data-submissions={submissions}>
        Judged from {isPart && 'the newest '}
        {plural(submissions, 'envelope')} with {plural(items, 'item')}
        {first !== null && last !== null && (
          <>
            , received <time title={formatDateTime(first)}>{formatShortTime(first, now)}</time> to{' '}
            <time title={formatDateTime(last)}>{formatShortTime(last, now)}</time>
          </>
        )}
        .{isPart && ' Older ones are stored but not judged here.'}
        {damaged.length > 0 && ` ${formatCount(damaged.length)} more are damaged and cannot be read.`}
      </p>
      <p className="small faint">
        Incomplete is neither pass nor fail: no suitable telemetry is recorded, or only a browser test can observe it.
      </p>
    </div>
  )
}

function Count({ word, count }: { readonly word: VerdictWord; readonly count: number }) {
  return (
    <div data-count={word}>
      <dt>
        <VerdictMark line={{ word, isWarning: false }} />
      </dt>
      <dd className="num">{formatCount(count)}</dd>
    </div>
  )
}
