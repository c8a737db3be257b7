/** The door of the index for programs that open its file while no collector uses it: saving, showing and comparing runs. */
export { Digest } from './digest'
export { indexPath, removeIndex } from './index-open'
export { DIGEST_VERSION } from './index-schema'
export { planTrace, serializeSpan, TraceSpans } from './traces/trace-spans'
