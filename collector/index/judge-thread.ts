import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import { readEvidence } from '../../lib/verdict/evidence/read-evidence'
import type { Case } from '../../lib/verdict/rules/rule'
import type { Contract } from '../../lib/wire/contract'
import { answerCalls, giveWay, threadPort } from '../runtime/thread-call'
import { openForReading } from '../spool/database'
import { type JudgeQuery, judgeContract, newestSubmissions } from './judge-contract'

/** Judges what is on record by the contract: up to thousands of bodies at once, so beside everybody who answers. */
const { folder } = workerData as { readonly folder: string }

giveWay(10)

const spool = openForReading(join(folder, 'spool.db'))

function judge(asked: JudgeQuery, limits: NonNullable<Case['limits']>, collectorUrl: string): Contract {
  const { submissions, damaged, isPart, unseen } = newestSubmissions(spool, asked)
  const evidence = readEvidence(submissions)
  const pages = new Set(submissions.map(({ page }) => page))
  const isAll = asked.stamp === null && asked.after === 0
  const given: Case = {
    evidence,
    missing: unseen,
    requests: null,
    fallbacks: null,
    // What was told to others than those that are judged says nothing of these.
    limits: isAll ? limits : { pages: limits.pages.filter(({ page }) => pages.has(page)), unnamed: 0 },
    collectorUrl,
  }
  const from = {
    submissions: submissions.length,
    items: evidence.items.length,
    first: submissions[0]?.receivedAt ?? null,
    last: submissions.at(-1)?.receivedAt ?? null,
    isPart,
    damaged: [...damaged],
  }
  return { ...asked, from, ...judgeContract(given) }
}

answerCalls(threadPort(), { judge }, () => spool.close())
