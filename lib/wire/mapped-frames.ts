import * as z from 'zod'

/** The executed line with at most five lines on each side, each cut at 400 characters; empty where no source was found. */
const codeSchema = z.array(z.object({ line: z.number(), text: z.string(), ran: z.boolean() }))

const shared = {
  /** The frame as the SDK sent it; line and column start at 1. */
  raw: z.object({
    filename: z.string().nullable(),
    function: z.string().nullable(),
    line: z.number().nullable(),
    column: z.number().nullable(),
  }),
  /** Of a mapped frame whether its source is the app's own; of the others what the SDK sent. */
  inApp: z.boolean(),
}

const mappedFrameSchema = z.discriminatedUnion('result', [
  z.object({
    ...shared,
    result: z.literal('mapped'),
    /** Relative to its root where possible, as a person names it. */
    source: z.string(),
    /** The absolute path of the source, for an editor; `null` when it is not on this disk, or outside the roots. */
    path: z.string().nullable(),
    line: z.number(),
    column: z.number(),
    function: z.string().nullable(),
    code: codeSchema,
    /** Why the script on disk may be another build than the one that sent the event; `null` without a reason. */
    otherBuild: z.string().nullable(),
  }),
  z.object({
    ...shared,
    /** The frame needs no source map: the SDK mapped it, or it is part of the runtime, or not JavaScript. */
    result: z.literal('as sent'),
    reason: z.string(),
    /** As of a mapped frame; the line is that of `raw`. */
    path: z.string().nullable(),
    /** Read from disk; empty when the SDK sent source lines, or the file is not there. */
    code: codeSchema,
  }),
  z.object({
    ...shared,
    /** `refused` when a limit or a root forbids reading. */
    result: z.enum(['not found', 'refused']),
    reason: z.string(),
    /** Absolute paths, in the order in which they were tried. */
    lookedFor: z.array(z.string()),
  }),
])
export type MappedFrame = z.infer<typeof mappedFrameSchema>

export const mappedFramesSchema = z.object({
  eventId: z.string(),
  /** `source maps found for all frames`, or `3 of 7 frames mapped: REASON`. */
  summary: z.string(),
  /** In the order of the event: exceptions outermost first, frames newest call first. */
  exceptions: z.array(
    z.object({
      /** The message of a minified React error; `null` for other exceptions. */
      decodedMessage: z.string().nullable(),
      frames: z.array(mappedFrameSchema),
    }),
  ),
})
export type MappedFrames = z.infer<typeof mappedFramesSchema>

const groupFrameSchema = z.object({
  /** Of the source where it was mapped, else as the SDK sent it; all `null` for events without a stack. */
  function: z.string().nullable(),
  file: z.string().nullable(),
  line: z.number().nullable(),
  /** `null` where the line is sufficient: a script without its map may have one line. */
  column: z.number().nullable(),
  /** Why it is not mapped, or may be another build's; `null` when there is nothing to say. */
  note: z.string().nullable(),
  count: z.number(),
  /** The newest event with this frame. */
  eventId: z.string(),
})
export type GroupFrame = z.infer<typeof groupFrameSchema>

/** `GET /query/errors/{hash}/frames`: the distinct top frames of a group's newest events, most frequent first. */
export const groupFramesSchema = z.object({
  hash: z.string(),
  /** Events that were read; `stopped` says why not all of the newest 20, or is `null`. */
  read: z.number(),
  stopped: z.string().nullable(),
  frames: z.array(groupFrameSchema),
})
export type GroupFrames = z.infer<typeof groupFramesSchema>
