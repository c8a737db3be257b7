import { Received } from './received'
import styles from './service-name.module.css'
import { seriesOf } from './services'

/** A service's name with the colour its bars have. */
export function ServiceName({ service }: { readonly service: string }) {
  return (
    <span className={styles.service} data-series={seriesOf(service)}>
      <span className={styles.swatch} aria-hidden="true" />
      <Received text={service} />
    </span>
  )
}
