'use client'

import { formatCount, formatDurationMs, plural } from '../../lib/format'
import type { RecordedRun } from '../../lib/wire/run'
import { runEnding, shortCommit } from '../../lib/wire/run-text'
import { printable } from '../ui/printable'
import styles from './run.module.css'

/** The run that was recorded in this folder: its command, how it ended, and the checks that did not pass. */
export function Run({ run }: { readonly run: RecordedRun }) {
  const { checks, passed, reasons, commit, startedAt, endedAt } = run
  return (
    <section className={styles.run} aria-labelledby="run">
      <h2 id="run">{printable(run.name ?? 'This run')}</h2>
      <p>
        <code>{printable(run.command)}</code> <strong data-verdict={run.verdict}>{runEnding(run)}</strong>
      </p>
      <p className="small soft">
        {commit !== null && (
          <>
            commit <code title={commit}>{shortCommit(commit)}</code> ·{' '}
          </>
        )}
        {new Date(startedAt).toLocaleString()} · {formatDurationMs(endedAt - startedAt)} · {plural(passed, 'check')}{' '}
        passed, {formatCount(checks.length)} did not
      </p>
      {reasons.length > 0 && (
        <ul className={styles.reasons}>
          {reasons.map((why) => (
            <li key={why}>{printable(why)}</li>
          ))}
        </ul>
      )}
      {checks.length > 0 && (
        <ul className={styles.checks} aria-label="Checks that did not pass">
          {checks.map((check) => (
            <Check key={check.id} check={check} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Check({ check }: { readonly check: RecordedRun['checks'][number] }) {
  const { id, title, severity, found, findings } = check
  const more = found - findings.length
  return (
    <li data-check={id}>
      <p>
        <span className={styles.severity} data-severity={severity}>
          {severity === 'error' ? '✗ failed' : '! warning'}
        </span>{' '}
        {printable(title)} <code className="faint small">{id}</code>
      </p>
      <ul>
        {findings.map(({ about, actual, expected, page }, index) => (
          <li key={`${index} ${about}`}>
            {page === null ? <bdi>{printable(about)}</bdi> : <a href={page}>{printable(about)}</a>}:{' '}
            <bdi>{printable(actual)}</bdi> <span className="faint">expected {printable(expected)}</span>
          </li>
        ))}
        {more > 0 && <li className="faint">and {formatCount(more)} more</li>}
      </ul>
    </li>
  )
}
