import type { IncomingMessage } from 'node:http';

/** How much more than allowed is read and thrown away, so that a client that writes before it reads gets its answer. */
const DRAIN_BYTES = 64 * 1024 * 1024;

/**
 * The whole body, or null where it has more than `limit` bytes. An oversized one is read to its end without being kept:
 * an answer before that breaks the connection for clients that write first (stack.md §8).
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else if (size > limit + DRAIN_BYTES) break;
  }
  return size > limit ? null : Buffer.concat(chunks);
}
