import { benchCommand, choice, count, type Folders, PROFILE, profilesIn, toggle, type Values } from './bench-command'
import { startProcess } from './processes'
import { coresOf, measureDisk } from './resources'
import { deliverMany } from './scale-deliveries'
import { printScale, type ScaleFigures } from './scale-report'
import { measureSetup, type SetupFigures } from './scale-run'
import { startServer } from './scale-server'
import { setupsOf } from './scale-setups'
import { type EngineFigures, measureStores, type StoreRound } from './scale-store'

const FLAGS = {
  quick: toggle('one round of short loads with one and two collectors; too short for reliable figures'),
  rounds: count('rounds; the report contains medians', 3, 1),
  seconds: count('seconds of each load', 12, 2),
  collectors: {
    value: 'N,N',
    about: 'numbers of collectors on one PostgreSQL',
    valid: 'positive integers, separated by commas',
    default: '1,2,4, or 1,2 with --quick',
    read: (found: string | null, isQuick: boolean) => {
      const numbers = (found ?? (isQuick ? '1,2' : '1,2,4')).split(',').map(Number)
      return numbers.every((number) => Number.isInteger(number) && number > 0) ? numbers : undefined
    },
  },
  roles: toggle('adds two collectors that take and relay next to one that answers queries'),
  only: choice('measures only one part', ['http', 'store', 'growth'], 'all of them'),
  deliveries: count('deliveries after which the growth of the tables is measured', 100_000, 1000),
  profile: PROFILE,
}

/** `npm run bench:scale`. */
export const { run, parse } = benchCommand({
  name: 'scale',
  about: `Posts envelopes of 11 KB (a transaction, 20 spans, 15 breadcrumbs) to collectors with everything on: they sync, mirror, digest,
and relay to an upstream of the benchmark. In turns: one collector with SQLite, and 1, 2 and 4 collectors that share one
PostgreSQL. Each takes a load over 64 connections as fast as it answers, and then one of half the rate that it reached. Prints
rates, answer times, CPU per envelope of each process, the lag of the mirrors, and the bytes of each record. Then it measures
both stores alone, without HTTP and digest: appends, results, mirrors and two relays, in processes of their own. At last it
stores and delivers many records in one PostgreSQL, and compares its tables with rewritten ones. It starts a PostgreSQL
of its own; WAYSTATION_TEST_POSTGRES names another, whose user may create databases (its CPU is then not measured). All
processes share the machine. Compare figures only within one run. Takes about 30 minutes on an otherwise idle machine.`,
  flags: FLAGS,
  measure,
  print: printScale,
})

async function measure(flags: Values<typeof FLAGS>, { own, shared }: Folders): Promise<ScaleFigures> {
  const disk = measureDisk(own)
  const inMemory = disk.isMemory ? ', IN MEMORY: syncs cost nothing here' : ''
  console.log(`${own}: a synced write takes ${disk.syncMs.toFixed(2)} ms${inMemory}`)
  const server = await startServer(own)
  const [sender, upstream] = [await startProcess('sender-process', false), await startProcess('upstream-process', true)]
  try {
    const cores = [
      ['sender', coresOf(sender.pid)],
      ['upstream', coresOf(upstream.pid)],
      ['collectors', coresOf(process.pid)],
      ['PostgreSQL', server.pid === null ? null : coresOf(server.pid)],
    ] as const
    console.log(`${server.version}, ${server.settings}`)
    console.log(`Cores: ${cores.map(([name, found]) => `${name} ${found ?? 'unknown'}`).join(', ')}.`)
    const profiles = profilesIn(shared, flags.profile)
    const bench = { sender, upstream, server, own, seconds: flags.seconds, profiles }
    const has = (part: 'http' | 'store' | 'growth'): boolean => flags.only === null || flags.only === part
    const setups = has('http') ? setupsOf(flags.collectors, flags.roles) : []
    const found: SetupFigures[] = []
    for (let round = 1; round <= flags.rounds; round += 1)
      for (const setup of setups) {
        const figures = await measureSetup(bench, setup)
        found.push(figures)
        const { full, half } = figures
        console.log(
          `round ${round} of ${flags.rounds}, ${setup.name}: ${full.perSecond.toFixed(0)} accepted a second, p99 ${full.p99.toFixed(0)} ms; at ${half.targetPerSecond} a second ${half.p99.toFixed(0)} ms`,
        )
      }
    const stores: StoreRound[] = []
    for (let round = 1; has('store') && round <= flags.rounds; round += 1) {
      const figures = await measureStores(server, own, flags.quick)
      stores.push(figures)
      const rate = ({ append }: EngineFigures): string => append.perSecond.toFixed(0)
      console.log(
        `round ${round} of ${flags.rounds}, without HTTP: SQLite ${rate(figures.sqlite)} appends a second, PostgreSQL ${rate(figures.postgres)}`,
      )
    }
    const deliveries = has('growth') ? await deliverMany(server, flags.deliveries, console.log) : null
    const wrong = [...found, ...stores, ...(deliveries === null ? [] : [deliveries])].flatMap(
      (figures) => figures.wrong,
    )
    return {
      disk,
      postgres: `${server.version}, ${server.settings}`,
      cores,
      setups: found,
      stores,
      deliveries,
      profiles,
      wrong,
    }
  } finally {
    await Promise.all([sender.end(), upstream.end()])
    await server.end()
  }
}
