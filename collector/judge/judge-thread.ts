import { workerData } from 'node:worker_threads'
import type { Case } from '../../lib/verdict/rules/rule'
import { answerCalls, giveWay, threadPort } from '../runtime/thread-call'
import { openLocal } from '../spool/local'
import { type JudgeQuery, judgeRecord } from './judge-contract'
import { judgeSpans, type SpanQuery } from './judge-spans'

/** The entry of the judge thread. It parses thousands of bodies at once, which would block any other thread. */
const { folder } = workerData as { readonly folder: string }

giveWay(10)

const spool = openLocal(folder)

const judge = (query: JudgeQuery, pageLimits: NonNullable<Case['pageLimits']>, collectorUrl: string) =>
  judgeRecord(spool, query, pageLimits, collectorUrl)

const spans = (query: SpanQuery) => judgeSpans(spool, query)

answerCalls(threadPort(), { judge, spans }, () => spool.close())
