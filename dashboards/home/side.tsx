'use client'

import type { ComponentProps } from 'react'
import { formatCount, formatDurationUs } from '../../lib/format'
import type { ErrorGroup, ErrorGroupsPage } from '../../lib/wire/error-groups'
import type { Slow, SlowOperation } from '../../lib/wire/slow'
import { Bars } from '../errors/bars'
import { handledText } from '../errors/group-text'
import { GroupMark, GroupTitle } from '../errors/group-title'
import { Age } from '../ui/clock'
import { seriesOfSpan } from '../ui/labels'
import { Received } from '../ui/received'
import { Section } from '../ui/section'
import type { NextStep } from './next-step'
import styles from './side.module.css'
import { Spark } from './spark'

/** A part of the right column. */
export const Part = (section: Omit<ComponentProps<typeof Section>, 'className'>) => (
  <Section {...section} className={styles.part} />
)

/** The groups of errors with events in the last hour that arrived last. */
export function WhatBroke({ page }: { readonly page: ErrorGroupsPage | null }) {
  const groups = page?.groups.filter(({ bars }) => bars.some((count) => count > 0)) ?? []
  return (
    <Part id="broke" title="What broke" link={{ href: '/errors', name: 'Errors' }}>
      {groups.length === 0 ? (
        <p className="soft">{page === null ? 'Loading …' : 'No error in the last hour.'}</p>
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
  const { hash, transaction, bars, lastSeenUs } = group
  return (
    <li className={styles.row}>
      <GroupMark {...group} />
      <span className={styles.texts}>
        <a className={`cut ${styles.text}`} href={`/errors/${hash}`}>
          <GroupTitle group={group} />
        </a>
        <span className={`cut ${styles.below}`}>
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
        <p className="soft">{slow === null ? 'Loading …' : 'No span in the last hour.'}</p>
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
      <span className="square" aria-hidden="true" />
      <span className={styles.texts}>
        <a
          className={`cut ${styles.text}`}
          href={`/traces/${slowest.traceId}?span=${slowest.segmentId}`}
          title="Opens the slowest one"
        >
          <Received text={name} />
        </a>
        <span className={`cut ${styles.below}`}>
          <Received text={op === null ? service : `${op}, ${service}`} />
        </span>
      </span>
      <span className={styles.picture}>
        <Spark values={lastUs} label={`the last ${lastUs.length} durations`} />
      </span>
      <span className={styles.figure}>
        <b>{formatDurationUs(p95Us)}</b>
        <span className={`cut ${styles.below}`} title={isFew ? 'Too few for a p95' : undefined}>
          {isFew ? `of only ${count}` : `p95 of ${formatCount(count)}`}
        </span>
      </span>
    </li>
  )
}

/** One suggestion with one action. */
export const WhatToDo = ({ step }: { readonly step: NextStep }) => (
  <Section id="next" title="What to do next" className={`${styles.part} ${styles.step}`}>
    <p data-next>
      <bdi>{step.text}</bdi>
    </p>
    <p>
      <a className="button" href={step.action.href}>
        {step.action.label}
      </a>
    </p>
  </Section>
)
