import { analysePacked, type PackedTree } from '../../lib/protocol/trace/packed-tree'

// The entry of a worker: answers each tree with its findings.
self.addEventListener('message', ({ data }: MessageEvent<PackedTree>) => {
  const findings = analysePacked(data)
  const { members, sections, slow } = findings
  self.postMessage(findings, { transfer: [members.buffer, sections.buffer, slow.buffer] })
})
