import { afterAll, expect, it } from 'vitest'
import { DiskBudget } from '../../../collector/spool/disk/disk-budget'
import { randomFrom } from '../../faults/random'
import { removeFolders } from './in-process-spool'
import { MirroredTraffic, mirrorAnswers, openMirror } from './mirrored-traffic'

afterAll(removeFolders)

/** `MIRROR_SEED=7` generates other traffic. */
const SEEDS = process.env.MIRROR_SEED === undefined ? [1, 2] : [Number(process.env.MIRROR_SEED)]

it.each(SEEDS)(
  'a mirror answers every query as the record that it copies, in pages of any size and through restarts (seed %i)',
  async (seed) => {
    const draw = randomFrom(seed)
    const traffic = new MirroredTraffic(draw)
    let open = openMirror()
    const seqs: number[] = []
    for (let pages = 0; pages < 40; pages += 1) {
      for (const page of await traffic.pages(draw.between(1, 12))) {
        seqs.push(...page.records.map(({ seq }) => seq))
        open.mirror.apply(page)
      }
      if (draw.fraction() < 0.2) {
        open.db.close()
        open = openMirror(open.folder)
      }
      if (pages % 8 > 0) continue
      const some = seqs.slice(-60)
      const [found, expected] = [mirrorAnswers(open, some), traffic.answers(some)]
      for (const [name, answer] of Object.entries(expected))
        expect(found[name], `page ${pages}: ${name}`).toEqual(answer)
      expect(open.mirror.budget.sums).toEqual(new DiskBudget(open.db, 1).sums)
    }
    traffic.close()
    open.db.close()
  },
  60_000,
)
