import type { StoredBody } from '#shared/bodies/bodies.ts';
import { sha256 } from '#shared/bodies/bodies.ts';

/** The three places of a body with this text. */
export function testBody(text: string): Record<'inline' | 'long' | 'erased', StoredBody> {
  const common = {
    alg: 'sha256' as const,
    digest: sha256(text),
    salt: Buffer.alloc(32, 1),
    size: Buffer.byteLength(text),
  };
  return {
    inline: { ...common, store: 'inline', enc: 'none', data: Buffer.from(text) },
    long: { ...common, store: 's3', enc: 'gzip', version: null },
    erased: { ...common, store: 'erased', enc: 'none' },
  };
}
