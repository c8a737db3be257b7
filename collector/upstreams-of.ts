import { STAND_IN } from '../lib/config/environment'
import type { Config } from './config'
import type { ConfiguredUpstream } from './relay/relay'

/** What is configured to be relayed to. @param standInDsn where the collector plays upstream itself. */
export function upstreamsOf(config: Config, standInDsn: ConfiguredUpstream['dsn'] | undefined): readonly ConfiguredUpstream[] {
  const { upstream, furtherUpstreams } = config.environment
  const first = upstream === STAND_IN ? standInDsn : (upstream ?? undefined)
  return [
    ...(first === undefined ? [] : [{ dsn: first, standIn: upstream === STAND_IN }]),
    ...furtherUpstreams.map((dsn) => ({ dsn, standIn: false })),
  ]
}
