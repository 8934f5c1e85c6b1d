import { extname } from 'node:path';
import * as z from 'zod';
import { verifierFolder } from '#functions/verifier-folder.ts';
import { NOTICES_FILE } from '#shared/console/notices.ts';
import { CONTENT_TYPES } from '#shared/http/answers.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { acceptedCoding, type Coding } from '#shared/http/negotiation/coding.ts';
import { notFound } from '#shared/http/sentences.ts';
import { AssetFiles } from './asset-files.ts';
import { assetFolder } from './asset-folder.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.js': CONTENT_TYPES.javascript,
  '.css': CONTENT_TYPES.css,
  '.mjs': CONTENT_TYPES.javascript,
  '.sha256': CONTENT_TYPES.text,
  '.txt': CONTENT_TYPES.text,
  '.svg': 'image/svg+xml',
};

const ENDINGS: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

/** The verifier and its SHA-256, which have a folder of their own. */
const VERIFIER = /^verify\.mjs(?:\.sha256)?$/;
/** How long browsers may keep a file. A changed file of the console has another name. */
const KEPT = 'public, max-age=31536000, immutable';
/** For the files whose names stay the same in each release: the verifier, and the notices. */
const ASKED_AGAIN = 'no-cache';

const files = { console: new AssetFiles(assetFolder()), verifier: new AssetFiles(verifierFolder()) };

/** Serves a file that a page of the console loads, or the verifier (rules/web-console.md#files). */
export const getAsset = endpoint({
  operation: 'getConsoleAsset',
  method: 'GET',
  path: 'root:/-/assets/{file}',
  summary: 'Get a file of the console',
  access: 'public',
  produces: 'bytes',
  success: { 200: z.instanceof(Buffer).meta({ override: { type: 'string', format: 'binary' } }) },
  errors: [notFound],
  handler: async ({ params: { file }, acceptEncoding }) => {
    const type = TYPES[extname(file)];
    const kind = VERIFIER.test(file) ? 'verifier' : 'console';
    // The build does not compress the line with the SHA-256.
    const coding = extname(file) === '.sha256' ? undefined : acceptedCoding(acceptEncoding, ['br', 'gzip']);
    const body = type && files[kind].read(coding === undefined ? file : file + ENDINGS[coding]);
    if (!body) throw notFound();
    return {
      status: 200,
      body,
      headers: {
        'content-type': type,
        'cache-control': kind === 'verifier' || file === NOTICES_FILE ? ASKED_AGAIN : KEPT,
        'cross-origin-resource-policy': 'same-origin',
        vary: 'accept-encoding',
        ...(coding !== undefined && { 'content-encoding': coding }),
      },
    };
  },
});
