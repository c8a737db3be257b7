import { workerData } from 'node:worker_threads'
import { answerCalls, threadPort } from '../runtime/thread-call'
import { openKeptFrames } from './kept-frames'
import { createFrameMapping, type SentStacks } from './map-frames'

/** The entry of the thread that maps frames. A source map of 15 MB would block any other thread for a second. */
const { file, roots } = workerData as { readonly file: string; readonly roots: readonly string[] }

const kept = openKeptFrames(file)
const map = createFrameMapping(roots)

const mapFrames = (stacks: SentStacks) => kept.mapOnce(stacks.eventId, () => map(stacks))

answerCalls(threadPort(), { mapFrames }, kept.close)
