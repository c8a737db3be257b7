'use client'

import type { ReactNode } from 'react'
import { formatCount, formatDurationUs } from '../../lib/format'
import type { ErrorGroup, ErrorGroupsPage } from '../../lib/wire/error-groups'
import type { Slow, SlowOperation } from '../../lib/wire/slow'
import { Bars } from '../errors/bars'
import { handledText, messageOf } from '../errors/group-text'
import { Pattern } from '../errors/pattern'
import { Age } from '../ui/clock'
import { Glyph } from '../ui/glyph'
import { seriesOfSpan } from '../ui/labels'
import { Received } from '../ui/received'
import type { NextStep } from './next-step'
import styles from './side.module.css'
import { Spark } from './spark'

interface PartProps {
  readonly id: string
  readonly title: string
  readonly link?: { readonly href: string; readonly name: string }
  readonly children: ReactNode
}

/** A part of the right column. */
export const Part = ({ id, title, link, children }: PartProps) => (
  <section className={styles.part} aria-labelledby={id}>
    <div className={styles.heading}>
      <h2 id={id}>{title}</h2>
      {link !== undefined && <a href={link.href}>{link.name}</a>}
    </div>
    {children}
  </section>
)

/** The groups of errors with events in the last hour that arrived last. */
export function WhatBroke({ page }: { readonly page: ErrorGroupsPage | null }) {
  const groups = page?.groups.filter(({ bars }) => bars.some((count) => count > 0)) ?? []
  return (
    <Part id="broke" title="What broke" link={{ href: '/errors', name: 'Errors' }}>
      {groups.length === 0 ? (
        <p className={styles.none}>{page === null ? 'Loading …' : 'No error in the last hour.'}</p>
      ) : (
        <ul className={styles.rows}>
          {groups.map((group) => (
            <Broken key={group.hash} group={group} />
          ))}
        </ul>
      )}
    </Part>
  )
}

function Broken({ group }: { readonly group: ErrorGroup }) {
  const { hash, type, level, unhandled, transaction, bars, lastSeenUs } = group
  const message = messageOf(group)
  return (
    <li className={styles.row}>
      <span className="toned" data-tone={unhandled > 0 ? 'bad' : undefined}>
        <Glyph name={level === 'warning' ? 'warning' : 'error'} />
      </span>
      <span className={styles.texts}>
        <a className={styles.text} href={`/errors/${hash}`}>
          {type !== null && (
            <strong>
              <Received text={type} />
              {message !== '' && ': '}
            </strong>
          )}
          <Pattern text={message} />
        </a>
        <span className={styles.below}>
          {transaction !== null && (
            <>
              <Received text={transaction} />,{' '}
            </>
          )}
          {handledText(group) !== null && `${handledText(group)}, `}
          <Age atMs={lastSeenUs / 1000} ago />
        </span>
      </span>
      <span className={styles.picture}>
        <Bars bars={bars} />
      </span>
      <b className={styles.figure}>{formatCount(bars.reduce((sum, count) => sum + count, 0))}</b>
    </li>
  )
}

/** The operations with the highest p95 of the last hour. */
export function WhatIsSlow({ slow }: { readonly slow: Slow | null }) {
  return (
    <Part id="slow" title="What is slow" link={{ href: '/traces', name: 'Traces' }}>
      {slow === null || slow.operations.length === 0 ? (
        <p className={styles.none}>{slow === null ? 'Loading …' : 'No span in the last hour.'}</p>
      ) : (
        <ul className={styles.rows}>
          {slow.operations.map((operation) => (
            <Operation
              key={`${operation.service} ${operation.op} ${operation.name} ${operation.project}`}
              {...operation}
            />
          ))}
        </ul>
      )}
    </Part>
  )
}

function Operation(operation: SlowOperation) {
  const { service, op, name, p95Us, count, isFew, lastUs, slowest } = operation
  return (
    <li className={styles.row} data-series={seriesOfSpan(operation)}>
      <span className={styles.square} aria-hidden="true" />
      <span className={styles.texts}>
        <a
          className={styles.text}
          href={`/traces/${slowest.traceId}?span=${slowest.segmentId}`}
          title="Opens the slowest one"
        >
          <Received text={name} />
        </a>
        <span className={styles.below}>
          <Received text={op === null ? service : `${op}, ${service}`} />
        </span>
      </span>
      <span className={styles.picture}>
        <Spark values={lastUs} label={`the last ${lastUs.length} durations`} />
      </span>
      <span className={styles.figure}>
        <b>{formatDurationUs(p95Us)}</b>
        <span className={styles.below} title={isFew ? 'Too few for a p95' : undefined}>
          {isFew ? `of only ${count}` : `p95 of ${formatCount(count)}`}
        </span>
      </span>
    </li>
  )
}

/** One suggestion with one action. */
export const WhatToDo = ({ step }: { readonly step: NextStep }) => (
  <section className={`${styles.part} ${styles.step}`} aria-labelledby="next" data-next>
    <h2 id="next">What to do next</h2>
    <p>
      <bdi>{step.text}</bdi>
    </p>
    <p>
      <a className="button" href={step.action.href}>
        {step.action.label}
      </a>
    </p>
  </section>
)
