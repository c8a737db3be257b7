import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import { FRAMES_FILE } from '../../lib/wire/run'
import { openForWriting } from '../runtime/database'
import { answerCalls, threadPort } from '../runtime/thread-call'
import { createKeptFrames } from './kept-frames'
import { createFrameMapping, type SentStacks } from './map-frames'

/** The entry of the thread that maps frames. A source map of 15 MB would block any other thread for a second. */
const { folder, roots } = workerData as { readonly folder: string; readonly roots: readonly string[] }

const db = openForWriting(join(folder, FRAMES_FILE), 'NORMAL')
db.pragma('wal_autocheckpoint = 1000')
const kept = createKeptFrames(db)
const map = createFrameMapping(roots)

const mapFrames = (stacks: SentStacks) => kept.mapOnce(stacks.eventId, () => map(stacks))

answerCalls(threadPort(), { mapFrames }, () => db.close())
