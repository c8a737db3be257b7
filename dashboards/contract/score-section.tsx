import { Fragment } from 'react'
import { plural } from '../../lib/format'
import type { Contract, ServiceScore } from '../../lib/wire/contract'
import table from '../ui/plain-table.module.css'
import { Received } from '../ui/received'
import styles from './contract-board.module.css'
import { FoldedFindings, VerdictMark } from './rule-row'
import { lineOfScoreRule, sumOfScore } from './verdict-lines'

/** The Instrumentation Score of each service, with all rules folded under it. */
export function ScoreSection({ score: { services, omitted } }: Pick<Contract, 'score'>) {
  if (services.length === 0) return null
  return (
    <section className={styles.section} aria-labelledby="score">
      <h2 id="score">Instrumentation Score</h2>
      <p className="small soft">
        The public score from 0 to 100 says how well a service is instrumented. A recording cannot judge each rule of
        the specification, so the score may be incomplete.
      </p>
      {services.map((service) => (
        <Service key={service.service} service={service} />
      ))}
      {omitted > 0 && <p className="small faint">{plural(omitted, 'more service')} not shown.</p>}
    </section>
  )
}

function Service({ service }: { readonly service: ServiceScore }) {
  return (
    <details className={styles.score} data-service={service.service} data-score={service.score}>
      <summary>
        <strong>
          <Received text={service.service} />
        </strong>{' '}
        <span className="soft">{sumOfScore(service)}</span>
      </summary>
      <table className={`${table.table} ${styles.beyond}`} aria-label={`Rules of the score of ${service.service}`}>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">Result</th>
            <th scope="col">Impact</th>
          </tr>
        </thead>
        <tbody>
          {service.rules.map((rule) => (
            <ScoreRule key={rule.id} rule={rule} />
          ))}
        </tbody>
      </table>
    </details>
  )
}

function ScoreRule({ rule }: { readonly rule: ServiceScore['rules'][number] }) {
  const { id, title, impact, verdict } = rule
  const line = lineOfScoreRule(rule)
  return (
    <Fragment>
      <tr data-score-rule={id} data-verdict={line.word}>
        <th scope="row" data-column="Rule">
          <span>
            {title}
            <span className={styles.holds}>{id}</span>
          </span>
        </th>
        <td data-column="Result">
          <span>
            <VerdictMark line={line} />
            <Received className={styles.basis} text={line.text} />
          </span>
        </td>
        <td data-column="Impact" className="soft">
          <span>{impact}</span>
        </td>
      </tr>
      {verdict.verdict === 'fail' && (
        <tr className={styles.broken}>
          <td colSpan={3}>
            <div className={styles.findings}>
              <FoldedFindings {...verdict} />
            </div>
          </td>
        </tr>
      )}
    </Fragment>
  )
}
