/** Returns bytes with one bit of a byte changed. */
export function flipped(bytes: unknown, at = 0): Buffer {
  const changed = Buffer.from(bytes as Uint8Array);
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
  return changed;
}
