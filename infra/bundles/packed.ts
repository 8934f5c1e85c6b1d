import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';

/** Compresses a file once, so that no request has to. @returns the file with the endings `.br` and `.gz` */
export function packed(name: string, bytes: Buffer): { name: string; bytes: Buffer }[] {
  const params = {
    [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY,
    [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return [
    { name: `${name}.br`, bytes: brotliCompressSync(bytes, { params }) },
    { name: `${name}.gz`, bytes: gzipSync(bytes, { level: zlib.Z_BEST_COMPRESSION }) },
  ];
}
