import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { BASE_PATH } from '#shared/base/addresses.ts';
import { type Endpoint, endpoint } from '#shared/http/endpoint.ts';
import { REFERENCE_PATH } from '#shared/http/reference-page.ts';
import { assetFolder } from './asset-folder.ts';

/** Files of the page change only with a release and hold no data of organizations, so anybody may cache them. */
const CACHED_AN_HOUR = { 'cache-control': 'public, max-age=3600' };

/** Script that shows the OpenAPI document. Without `validatorUrl: null`, the page would send it to a public validator. */
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

/** @param text reads the file; called once, at the first request */
const assetEndpoint = ({ operation, file, summary, produces, text }: Asset): Endpoint => {
  let content: string | undefined;
  return endpoint({
    operation,
    method: 'GET',
    path: `${REFERENCE_PATH}/${file}`,
    summary,
    access: 'public',
    params: z.object({}),
    produces,
    success: { 200: z.string() },
    errors: [],
    handler: async () => {
      content ??= text();
      return { status: 200, body: content, headers: CACHED_AN_HOUR };
    },
  });
};

const readPackaged = (file: string) => () => readFileSync(join(assetFolder(), file), 'utf8');

/** The files that the page loads (rules/requests.md#reference-page). */
export const getAssets: readonly Endpoint[] = [
  assetEndpoint({
    operation: 'getReferenceLibrary',
    file: 'swagger-ui-bundle.js',
    summary: 'The program that shows the reference',
    produces: 'javascript',
    text: readPackaged('swagger-ui-bundle.js'),
  }),
  assetEndpoint({
    operation: 'getReferenceStyle',
    file: 'swagger-ui.css',
    summary: 'The style of the reference',
    produces: 'css',
    text: readPackaged('swagger-ui.css'),
  }),
  assetEndpoint({
    operation: 'getReferenceStart',
    file: 'show.js',
    summary: 'Starts the reference on its page',
    produces: 'javascript',
    text: () => SHOW,
  }),
];
