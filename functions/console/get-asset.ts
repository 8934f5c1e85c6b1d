import { extname } from 'node:path';
import * as z from 'zod';
import { CONTENT_TYPES } from '#shared/http/answers.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { acceptedCoding, type Coding } from '#shared/http/negotiation/coding.ts';
import { notFound } from '#shared/http/sentences.ts';
import { AssetFiles } from './asset-files.ts';
import { assetFolder } from './asset-folder.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.js': CONTENT_TYPES.javascript,
  '.css': CONTENT_TYPES.css,
  '.svg': 'image/svg+xml',
};

/** Endings of the files that the build compressed. */
const ENDINGS: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

const files = new AssetFiles(assetFolder());

/** Serves a file that a page of the console loads (rules/web-console.md#files). */
export const getAsset = endpoint({
  operation: 'getConsoleAsset',
  method: 'GET',
  path: 'root:/-/assets/{file}',
  summary: 'Get a file of the console',
  access: 'public',
  params: z.object({ file: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  produces: 'bytes',
  success: { 200: z.instanceof(Buffer).meta({ override: { type: 'string', format: 'binary' } }) },
  errors: [notFound],
  handler: async ({ params: { file }, acceptEncoding }) => {
    const type = TYPES[extname(file)];
    const coding = acceptedCoding(acceptEncoding, ['br', 'gzip']);
    const body = type && files.read(coding === undefined ? file : file + ENDINGS[coding]);
    if (!body) throw notFound();
    return {
      status: 200,
      body,
      headers: {
        'content-type': type,
        // A changed file has another name.
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'same-origin',
        vary: 'accept-encoding',
        ...(coding !== undefined && { 'content-encoding': coding }),
      },
    };
  },
});
