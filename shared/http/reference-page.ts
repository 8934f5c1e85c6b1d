import { BASE_PATH } from '#shared/base/addresses.ts';
import { PAGE_SOURCES } from './answers.ts';

/** Path of the reference page below the base path. */
export const REFERENCE_PATH = '/doc';

const at = (file: string) => `${BASE_PATH}${REFERENCE_PATH}/${file}`;

/** The page. It loads only files of this service, by addresses that work with and without a trailing `/`. */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${at('swagger-ui.css')}">
  </head>
  <body>
    <noscript>The same is told by <a href="${BASE_PATH}/openapi.json">the OpenAPI document</a>.</noscript>
    <div id="reference"></div>
    <script src="${at('swagger-ui-bundle.js')}"></script>
    <script src="${at('show.js')}"></script>
  </body>
</html>
`;

export const REFERENCE_HEADERS = {
  'content-security-policy': PAGE_SOURCES.join('; '),
  'cache-control': 'no-cache',
};
