import type { IncomingMessage } from 'node:http';

/** How many bytes above the limit are read and discarded. */
const DRAIN_BYTES = 64 * 1024 * 1024;

/**
 * Reads the body of a request. An oversized body is read to its end and discarded, because an answer before the end breaks
 * the connection for clients that write before they read (rules/storage.md#lambda-and-api-gateway).
 *
 * @param limit in bytes
 * @returns null if the body has more bytes
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  // A request without an encoding yields buffers.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else if (size > limit + DRAIN_BYTES) break;
  }
  return size > limit ? null : Buffer.concat(chunks);
}
