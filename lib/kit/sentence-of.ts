/** What went wrong, for a person: whatever was thrown, or given as the reason to stop. */
export const sentenceOf = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason))
