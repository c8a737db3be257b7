import { join } from 'node:path'
import { sleep } from '../../lib/time'
import { keepCollector } from './keep-collector'
import { type SuperviseInput, supervise as superviseMode } from './supervisor'

const MEANWHILE = 'the tunnel stores envelopes in the lifeboat, and SDKs that send to the DSN get no connection'

/** `npm start`: runs a build. Restarts a collector that ends by itself; ends when the app ends. */
export const supervise = (input: SuperviseInput): Promise<number> =>
  superviseMode(input, {
    isDev: false,
    bundles: join(input.folder, 'collector'),
    dist: join(input.folder, 'next'),
    tsconfig: join(input.folder, 'tsconfig.json'),
    watchCollector: (collector, stopping) =>
      keepCollector({
        collector,
        stopping,
        now: () => performance.now(),
        sleep,
        log: console.error,
        meanwhile: MEANWHILE,
      }),
  })
