import { plural } from '../../lib/format'
import type { OtelResource, OtelScope } from '../../lib/wire/open-telemetry'
import { PlainAttributes } from './attribute-table'
import styles from './otel-source.module.css'
import { Received } from './received'

interface OtelSourceProps {
  readonly resource: OtelResource | null
  readonly scope: OtelScope | null
}

/** Resource and scope of telemetry of OpenTelemetry. Collapsed, because they repeat in all telemetry of a program. */
export function OtelSource({ resource, scope }: OtelSourceProps) {
  return (
    <>
      {scope !== null && isNamed(scope) && (
        <Collapsed name="Scope" summary={scopeName(scope)} of={scope} schemaUrl={scope.schemaUrl} />
      )}
      {resource !== null && (
        <Collapsed
          name="Resource"
          summary={plural(Object.keys(resource.attributes).length, 'attribute')}
          of={resource}
          schemaUrl={resource.schemaUrl}
        />
      )}
    </>
  )
}

const isNamed = (scope: OtelScope): boolean =>
  scope.name !== null || scope.schemaUrl !== null || Object.keys(scope.attributes).length > 0

/** `@opentelemetry/instrumentation-http 0.223.0` */
export const scopeName = ({ name, version }: Pick<OtelScope, 'name' | 'version'>): string =>
  [name ?? '(unnamed)', version].filter((part) => part !== null).join(' ')

interface CollapsedProps {
  readonly name: string
  readonly summary: string
  readonly of: Pick<OtelResource, 'attributes' | 'droppedAttributes'>
  readonly schemaUrl: string | null
}

function Collapsed({ name, summary, of, schemaUrl }: CollapsedProps) {
  const heading = (
    <>
      <strong>{name}</strong> <Received className="mono" text={summary} />
    </>
  )
  const hasMore = schemaUrl !== null || of.droppedAttributes > 0 || Object.keys(of.attributes).length > 0
  if (!hasMore) return <p className={styles.source}>{heading}</p>
  return (
    <details className={styles.source}>
      <summary>{heading}</summary>
      {schemaUrl !== null && (
        <p className={styles.schema}>
          schema <Received className="mono" text={schemaUrl} />
        </p>
      )}
      <PlainAttributes attributes={of.attributes} dropped={of.droppedAttributes} />
    </details>
  )
}
