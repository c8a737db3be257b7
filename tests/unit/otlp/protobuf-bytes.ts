/** A length-delimited field of a protobuf message: the encoder refuses such depths and sizes. */
export function lengthDelimited(id: number, content: Buffer): Buffer {
  const length: number[] = []
  for (let rest = content.length; ; rest >>>= 7) {
    length.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest)
    if (rest <= 0x7f) break
  }
  return Buffer.concat([Buffer.from([(id << 3) | 2, ...length]), content])
}
