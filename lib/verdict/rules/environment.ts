import { DEFAULT_ENVIRONMENT } from '../../contract/values'
import { isWebVital } from './group-spans'
import { judgeField } from './missing-field'
import type { Rule } from './rule'

/**
 * Checks each error event and segment of any SDK; any name passes. Most SDKs default to `production` and `@sentry/nextjs`
 * to NODE_ENV, but a tunnel or `beforeSend` may remove it. Web vitals are not checked: SDKs 8 to 10 send them without one.
 */
export const environmentRule: Rule = {
  id: 'environment',
  title: 'Every event and segment names an environment',
  why: 'Without an environment, production data and data of developers’ machines are mixed.',
  setting: 'environment',
  judgedFrom: ['telemetry'],
  severity: 'off',
  contractSeverity: 'error',
  fix: `Set environment in every Sentry.init, such as '${DEFAULT_ENVIRONMENT}', or SENTRY_ENVIRONMENT on a server. For OpenTelemetry set OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=${DEFAULT_ENVIRONMENT}.`,
  judge: ({ evidence }) =>
    judgeField(evidence, {
      field: 'environment',
      isJudged: (segment) => !isWebVital(segment),
      has: ({ environment }) => environment !== null,
      expected: `an environment, such as ${DEFAULT_ENVIRONMENT}`,
    }),
}
