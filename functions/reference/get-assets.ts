import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type Endpoint, endpoint } from '#shared/http/endpoint.ts';
import { BASE_PATH } from '#shared/http/gateway-event.ts';
import { REFERENCE_PATH } from '#shared/http/reference-page.ts';
import { assetFolder } from './asset-folder.ts';

/** Files of the page change with a release at most; none of them is anybody's evidence. */
const CACHED_AN_HOUR = { 'cache-control': 'public, max-age=3600' };

/** Shows the OpenAPI document in the page. No address of a validator: the document is sent to nobody. */
const SHOW = `'use strict';
SwaggerUIBundle({
  url: '${BASE_PATH}/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
});
`;

interface Asset {
  operation: string;
  file: string;
  summary: string;
  produces: 'javascript' | 'css';
  text: () => string;
}

/** @param text called once, when the file is first asked for */
const assetEndpoint = ({ operation, file, summary, produces, text }: Asset): Endpoint => {
  let read: string | undefined;
  return endpoint({
    operation,
    method: 'GET',
    path: `${REFERENCE_PATH}/${file}`,
    summary,
    access: 'public',
    params: z.object({}),
    query: z.object({}),
    body: { kind: 'none' },
    produces,
    success: { 200: z.string() },
    errors: [],
    handler: async () => {
      read ??= text();
      return { status: 200, body: read, headers: CACHED_AN_HOUR };
    },
  });
};

const packaged = (file: string) => () => readFileSync(join(assetFolder(), file), 'utf8');

/** What the page is made of beside itself. */
export const getAssets: readonly Endpoint[] = [
  assetEndpoint({
    operation: 'getReferenceLibrary',
    file: 'swagger-ui-bundle.js',
    summary: 'The program that shows the reference',
    produces: 'javascript',
    text: packaged('swagger-ui-bundle.js'),
  }),
  assetEndpoint({
    operation: 'getReferenceStyle',
    file: 'swagger-ui.css',
    summary: 'The style of the reference',
    produces: 'css',
    text: packaged('swagger-ui.css'),
  }),
  assetEndpoint({
    operation: 'getReferenceStart',
    file: 'show.js',
    summary: 'Starts the reference on its page',
    produces: 'javascript',
    text: () => SHOW,
  }),
];
